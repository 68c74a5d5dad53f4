"""The JSON Schemas of docops's files and results, made from the types below; `docs/schema/` holds them as files."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from docops.core.codes import Aspect, Family, FindingCode, Outcome

TASK = "docops.task/1"
VERIFIER = "docops.verifier/1"
REUSABLE = "docops.reusable/1"
DIFF = "docops.diff/1"
STRESS = "docops.stress/1"

#: What names of tasks, groups and criteria are made of.
ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)*$"

#: What names of tasks are made of that come from another benchmark.
TASK_ID_PATTERN = r"^[^\s\x00-\x1f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$"

Level = Literal["L1", "L2", "L3", "L4"]
Operation = Literal["C1", "C2", "C3", "C4", "C5", "F1", "F2", "F3", "F4", "S1", "S2", "S3", "S4"]
Text = Annotated[str, Meta(min_length=1)]


class ScopeObject(Struct, forbid_unknown_fields=True):
    """A place and what may happen there."""

    at: Annotated[str, Meta(min_length=1, description="Address of the place, without the artifact.")]
    allow: Annotated[list[Literal["change", "add", "remove", "move"]], Meta(min_length=1, description="What is allowed; everything where left out.")]


class PreserveObject(Struct, forbid_unknown_fields=True, rename={"except_": "except"}):
    """How strictly an artifact is preserved outside its edit scope."""

    profile: Annotated[
        Literal["native", "content", "bytes"],
        Meta(description="native: every aspect; content: what another program's re-save keeps; bytes: parts identical."),
    ] = "native"
    except_: Annotated[list[Text], Meta(description="Aspects or addresses that are left out.")] = []


class ArtifactObject(Struct, forbid_unknown_fields=True):
    """A file with its roles."""

    output: Annotated[str, Meta(min_length=1, description="Path of the result, relative to the output folder.")]
    source: Annotated[
        Text | UnsetType, Meta(description="Path of the document it was made from, inside the bundle; left out for one made from nothing.")
    ] = UNSET
    reference: Annotated[Text | UnsetType, Meta(description="Path of a right result, inside the bundle.")] = UNSET
    read_only: Annotated[bool, Meta(description="An input that must come back untouched if it comes back, and may stay away.")] = False


class TaskObject(Struct, forbid_unknown_fields=True):
    """A task on documents: what is given, what is asked, what may change."""

    schema: Literal["docops.task/1"]
    task_id: Annotated[
        str,
        Meta(
            pattern=TASK_ID_PATTERN,
            description="Name of the task, unique among its neighbours: letters, digits, '-', '_' and '.'; with a rubric of another benchmark, "
            "its name there.",
        ),
    ]
    instruction: Annotated[str, Meta(min_length=1, description="Path of the task's text, inside the bundle.")]
    level: Annotated[
        Level,
        Meta(description="L1 one edit, L2 several edits in one document, L3 a whole workflow in one document, L4 several documents that must agree."),
    ]
    operations: Annotated[
        list[Operation],
        Meta(
            min_length=1,
            description="C1 extract, C2 edit, C3 generate, C4 compute, C5 reason; F1 style, F2 highlight, F3 layout, F4 theme; "
            "S1 add/delete, S2 reorder, S3 hierarchy, S4 tables and forms.",
        ),
    ]
    artifacts: Annotated[list[ArtifactObject], Meta(min_length=1)]
    verifier: Annotated[str, Meta(min_length=1, description="Path of the verifier, inside the bundle.")]
    title: str = ""
    domain: str = ""
    language: Annotated[str, Meta(pattern=r"^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", description="Language tag of the documents (BCP 47).")] = ""
    required_operations: Annotated[list[Text], Meta(description="What must hold afterwards, a sentence each.")] = []
    edit_scope: Annotated[dict[str, list[Text | ScopeObject]], Meta(description="Artifact → places where it may change.")] = {}
    preserve: Annotated[dict[str, PreserveObject], Meta(description="Artifact → how strictly the rest of it is kept.")] = {}
    extra_files: Annotated[Literal["list", "forbid"], Meta(description="Files that no artifact declares: listed, or a reason to fail.")] = "list"
    provenance: str = ""
    licence: str = ""
    schema_file: Annotated[str, Meta(description="Where an editor finds this schema; docops does not read it.")] = msgspec.field(
        name="$schema", default=""
    )


class UseObject(Struct, forbid_unknown_fields=True, rename={"with_": "with"}):
    """A reusable verifier with its parameters; its criteria come under the id."""

    id: Annotated[str, Meta(pattern=ID_PATTERN)]
    verifier: Annotated[str, Meta(min_length=1, description="Name in the catalogue (`docops verifiers`).")]
    with_: Annotated[dict[str, Any], Meta(description="Its parameters.")] = {}
    title: str = ""
    critical: bool = False
    weight: Annotated[float, Meta(gt=0)] = 1.0
    reason: str = ""
    source: str = ""


class CriterionHead(Struct):
    """A predicate with its parameters (all other keys)."""

    id: Annotated[str, Meta(pattern=ID_PATTERN, description="Dotted path: dimension, item, checkpoint.")]
    predicate: Annotated[str, Meta(min_length=1, description="Name of a predicate (`docops predicates`).")]
    title: str = ""
    critical: Annotated[bool, Meta(description="Without it nothing else counts.")] = False
    weight: Annotated[float, Meta(gt=0)] = 1.0
    reason: Annotated[str, Meta(description="Why it is asked.")] = ""
    source: Annotated[str, Meta(description="Where it is asked.")] = ""


class GateObject(Struct, forbid_unknown_fields=True):
    """A condition on the total, apart from its parts: where it does not hold, the total is multiplied."""

    of: Annotated[
        list[Text],
        Meta(min_length=1, description="Ids of criteria or groups (implied ones too, like preserved:report.docx); they count in no mean."),
    ]
    title: str = ""
    multiply: Annotated[float, Meta(ge=0, lt=1, description="Factor of the total where one of them does not hold; 0 zeroes it.")] = 0.0


class VerifierObject(Struct, forbid_unknown_fields=True):
    """A tree of groups and criteria."""

    schema: Literal["docops.verifier/1"]
    aggregate: Annotated[Literal["all", "ppteval", "mind2web2", "weighted"], Meta(description="How the results make the score.")] = "all"
    penalty: Annotated[float, Meta(ge=0, le=1, description="Of `ppteval`: what the other parts can take from the critical ones (λ).")] = 0.3
    groups: Annotated[dict[str, Any], Meta(description="Group id → what it is; groups nest.")] = {}
    gates: Annotated[dict[str, GateObject], Meta(description="Gate id → compliance gate on the total.")] = {}
    rubric: Annotated[
        Text | UnsetType,
        Meta(description="Path of a rubric of PPT-Eval in the bundle, instead of criteria; its code runs only with --allow-code."),
    ] = UNSET
    criteria: list[CriterionHead] = []
    use: list[UseObject] = []


class ParameterObject(Struct, forbid_unknown_fields=True):
    """A parameter of a reusable verifier."""

    type: Annotated[
        Literal[
            "artifact", "address", "text", "number", "whole number", "true or false", "list of text", "list of number", "list of list of text", "any"
        ],
        Meta(description="artifact: name of a declared artifact; address: a place, artifact included."),
    ]
    doc: Annotated[str, Meta(min_length=1)]
    optional: Annotated[bool, Meta(description="May be left out; what it would fill is then left out too.")] = False
    default: Any = UNSET


class ExampleObject(Struct, forbid_unknown_fields=True, rename={"with_": "with"}):
    """A case that shows what a reusable verifier does; a test runs it."""

    title: Text
    files: Annotated[dict[str, Text], Meta(description="Artifact → path of its file, relative to the catalogue folder.")]
    passes: bool
    sources: Annotated[dict[str, Text], Meta(description="Artifact → path of its source, where the criteria compare.")] = {}
    with_: dict[str, Any] = {}
    finding: Annotated[FindingCode | UnsetType, Meta(description="A code that must be among the findings of a failing example.")] = UNSET


class ReusableObject(Struct, forbid_unknown_fields=True):
    """A named composition of predicates with parameters."""

    schema: Literal["docops.reusable/1"]
    name: Annotated[str, Meta(pattern=r"^[a-z0-9-]+/[a-z0-9-]+$", description="format/name; the file is verifiers/<name>.toml.")]
    title: Text
    doc: Text
    formats: Annotated[list[Text], Meta(min_length=1)]
    criteria: Annotated[list[CriterionHead], Meta(min_length=1)]
    examples: Annotated[list[ExampleObject], Meta(min_length=2)]
    parameters: dict[str, ParameterObject] = {}


class ProtectObject(Struct, forbid_unknown_fields=True, rename={"except_": "except"}):
    """Documents of a repository and how strictly they are kept."""

    files: Annotated[list[Text], Meta(min_length=1, description="Patterns of paths from the top of the repository; ** is any depth.")]
    profile: Annotated[Literal["native", "content", "bytes"], Meta(description="As in a bundle's preserve.")] = "native"
    aspects: Annotated[list[Aspect] | UnsetType, Meta(description="What is protected; everything where left out.")] = UNSET
    except_: Annotated[list[Text], Meta(description="Aspects or addresses that may change without being declared.")] = []


class DeclareObject(Struct, forbid_unknown_fields=True):
    """A change that is wanted."""

    file: Annotated[str, Meta(min_length=1, description="Path of the document, from the top of the repository.")]
    reason: Annotated[str, Meta(min_length=1, description="Why it changes.")]
    places: Annotated[list[Text], Meta(description="Addresses that may change; the whole document where left out.")] = []
    base: Annotated[
        str, Meta(description="SHA-256 of the document before the change (its beginning will do); the declaration ends with the next version.")
    ] = ""


class GuardObject(Struct, forbid_unknown_fields=True):
    """What `docops guard` protects."""

    schema: Literal["docops.guard/1"]
    protect: Annotated[list[ProtectObject], Meta(min_length=1)]
    declare: list[DeclareObject] = []


def _schema_of(struct: type[Struct], name: str) -> dict[str, Any]:
    made = msgspec.json.schema(struct)
    reference = made.pop("$ref").rpartition("/")[2]
    definitions = {key: _clean(value) for key, value in made["$defs"].items() if key != reference}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, **_clean(made["$defs"][reference]), "$defs": definitions}


def _clean(schema: Any) -> Any:
    """Without the titles that only repeat a Python class's name and the empty defaults."""
    if isinstance(schema, dict):
        return {
            key: _clean(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str) and value.endswith(("Object", "Head")))
        }
    return [_clean(item) for item in schema] if isinstance(schema, list) else schema


@cache
def task_schema() -> dict[str, Any]:
    """Schema of `task_metadata.json`."""
    return _schema_of(TaskObject, "task.schema.json")


@cache
def verifier_schema() -> dict[str, Any]:
    """Schema of `verifier.toml`; parameters of predicates are checked apart, where the predicate is known."""
    made = _schema_of(VerifierObject, "verifier.schema.json")
    made["properties"]["groups"]["additionalProperties"] = {"$ref": "#/$defs/Group"}
    made["$defs"]["Group"] = {
        "description": "A group; every other table in it is a group below it.",
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "critical": {"type": "boolean", "description": "Where it fails, nothing else counts."},
            "weight": {"type": "number", "exclusiveMinimum": 0},
        },
        "additionalProperties": {"$ref": "#/$defs/Group"},
    }
    return made


@cache
def reusable_schema() -> dict[str, Any]:
    """Schema of the files in `verifiers/`."""
    return _schema_of(ReusableObject, "reusable.schema.json")


@cache
def guard_schema() -> dict[str, Any]:
    """Schema of `docops-guard.toml`."""
    return _schema_of(GuardObject, "guard.schema.json")


def editor_verifier_schema() -> dict[str, Any]:
    """Schema of `verifier.toml` with every predicate's parameters, for editors."""
    from docops.parameters import parameter_schema
    from docops.registry import predicates

    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(verifier_schema()))
    criterion = made["$defs"]["CriterionHead"]
    found = predicates()
    criterion["properties"]["predicate"]["enum"] = [predicate.name for predicate in found]
    del criterion["properties"]["predicate"]["minLength"]
    cases = []
    for predicate in found:
        properties = {parameter.name: parameter_schema(parameter.annotation) for parameter in predicate.parameters}
        then: dict[str, Any] = {
            "description": predicate.doc.partition("\n")[0],
            "properties": properties,
            "required": [parameter.name for parameter in predicate.parameters if parameter.required],
            "propertyNames": {"enum": [*criterion["properties"], *properties]},
        }
        cases.append({"if": {"properties": {"predicate": {"const": predicate.name}}, "required": ["predicate"]}, "then": then})
    criterion["allOf"] = cases
    return made


def _record(properties: dict[str, Any], description: str) -> dict[str, Any]:
    return {"description": description, "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_SCORE = {"type": "number", "minimum": 0, "maximum": 1}
_OUTCOME = {"enum": [str(outcome) for outcome in Outcome]}
_OPEN_SCORE = {"anyOf": [_SCORE, {"type": "null"}]}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def verdict_schema() -> dict[str, Any]:
    """Schema of a verdict (`docops verify --format json`)."""
    finding = _record(
        {"code": {"enum": sorted(map(str, FindingCode))}, "address": _TEXT, "expected": {}, "observed": {}, "message": _TEXT}, "One reason."
    )
    criterion = _record(
        {
            "id": _TEXT,
            "title": _TEXT,
            "family": {"enum": [str(family) for family in Family]},
            "predicate": _TEXT,
            "critical": {"type": "boolean"},
            "weight": {"type": "number", "exclusiveMinimum": 0},
            "outcome": _OUTCOME,
            "score": _OPEN_SCORE,
            "reason_code": _TEXT,
            "message": _TEXT,
            "findings": _list({"$ref": "#/$defs/Finding"}),
            "findings_total": _COUNT,
            "evidence": _list(_record({"address": _TEXT, "excerpt": _TEXT}, "What a predicate looked at.")),
            "source": _TEXT,
            "implied": {"type": "boolean"},
        },
        "One criterion and what became of it.",
    )
    weight = {"type": "number", "exclusiveMinimum": 0}
    group = _record(
        {"id": _TEXT, "title": _TEXT, "critical": {"type": "boolean"}, "weight": weight, "score": _OPEN_SCORE, "outcome": _OUTCOME, "reason": _TEXT},
        "One group.",
    )
    gate = _record(
        {"id": _TEXT, "title": _TEXT, "of": _list(_TEXT), "outcome": _OUTCOME, "factor": _OPEN_SCORE, "reason": _TEXT}, "One compliance gate."
    )
    artifact = _record(
        {"output": _TEXT, "format": _TEXT, "sha256": _TEXT, "bytes": _COUNT, "readable": {"type": "boolean"}}, "One artifact as found."
    )
    counts = _record({str(outcome): _COUNT for outcome in Outcome}, "Criteria by outcome.")
    body = _record(
        {
            "schema": {"const": "docops.verdict/1"},
            "task_id": _TEXT,
            "status": {"enum": ["passed", "failed", "error"]},
            "passed": {"type": "boolean"},
            "score": _SCORE,
            "score_interval": {"type": "array", "items": _SCORE, "minItems": 2, "maxItems": 2},
            "families": _record({str(family): counts for family in Family}, "Criteria by family and outcome."),
            "reason": _TEXT,
            "groups": _list({"$ref": "#/$defs/Group"}),
            "gates": _list({"$ref": "#/$defs/Gate"}),
            "criteria": _list({"$ref": "#/$defs/Criterion"}),
            "artifacts": _list({"$ref": "#/$defs/Artifact"}),
            "extra_files": _list(_TEXT),
            "extra_files_total": _COUNT,
            "engines": _list(_TEXT),
            "bundle_digest": _TEXT,
            "docops": _TEXT,
            "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        },
        "The result of one verifier on one output folder.",
    )
    definitions = {"Finding": finding, "Criterion": criterion, "Group": group, "Gate": gate, "Artifact": artifact}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "verdict.schema.json", **body, "$defs": definitions}


def diff_schema() -> dict[str, Any]:
    """Schema of a comparison (`docops diff --format json`)."""
    change = _record(
        {
            "address": _TEXT,
            "aspect": {"enum": [str(aspect) for aspect in Aspect]},
            "name": _TEXT,
            "kind": {"enum": ["added", "removed", "changed", "moved"]},
            "before": {},
            "after": {},
        },
        "One difference.",
    )
    body = _record(
        {
            "schema": {"const": DIFF},
            "a": _TEXT,
            "b": _TEXT,
            "changes": _list({"$ref": "#/$defs/Change"}),
            "changes_total": _COUNT,
            "equal": {"type": "boolean"},
        },
        "What differs between two documents of one format.",
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "diff.schema.json", **body, "$defs": {"Change": change}}


def stress_schema() -> dict[str, Any]:
    """Schema of a stress run (`docops stress --format json`)."""
    interval = {"type": "array", "items": _SCORE, "minItems": 2, "maxItems": 2}
    open_ends = dict.fromkeys(("equivalent", "invalid", "error", "timeout"), _COUNT)
    corruption = _record(
        {"planned": _COUNT, "killed": _COUNT, "survived": _COUNT, **open_ends, "detection_rate": _OPEN_SCORE, "interval": interval},
        "What became of corruptions; the rate is of all but the equivalent and invalid ones, with its 95 % Wilson interval.",
    )
    benign = _record(
        {"planned": _COUNT, "passed": _COUNT, "failed": _COUNT, **open_ends, "false_alarm_rate": _OPEN_SCORE, "interval": interval},
        "What became of benign rewrites.",
    )
    both = {
        "type": "object",
        "properties": {name: {"$ref": f"#/$defs/{name.title()}"} for name in ("corruption", "benign")},
        "additionalProperties": False,
    }
    family = _record({"killed": _COUNT, "alone": _COUNT, "share": _OPEN_SCORE, "interval": interval}, "Kills that a family of criteria took part in.")
    entry = dict.fromkeys(("id", "task_id", "operator", "class", "address", "before", "after", "reproduce"), _TEXT)
    found = _list(_record({"code": {"enum": sorted(map(str, FindingCode))}, "address": _TEXT, "message": _TEXT}, "One reason."))
    judged = _list(_record({**entry, "criteria": _list(_TEXT), "findings": found}, "A mutant, and what was found against it."))
    groups = {name: {"type": "object", "additionalProperties": both} for name in ("class", "format", "operator")}
    families = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Family"}}
    body = _record(
        {
            "schema": {"const": STRESS},
            "suite": _TEXT,
            "seed": {"type": "integer"},
            "bundles": _COUNT,
            "corruption": {"$ref": "#/$defs/Corruption"},
            "benign": {"$ref": "#/$defs/Benign"},
            "by": _record({**groups, "family": families}, "The same by class, format, operator and killing family."),
            "survivors": _list(_record(entry, "A corruption that passed.")),
            "false_alarms": judged,
            "wrong_reason": judged,
            "unfinished": _list(
                _record({**entry, "outcome": {"enum": ["invalid", "error", "timeout"]}, "note": _TEXT}, "A mutant without a verdict.")
            ),
            "skipped": _list(_record({"operator": _TEXT, "needs": _TEXT, "mutants": _COUNT}, "An operator that needs what is not installed.")),
            "waived": _list(_record({**entry, "reason": _TEXT}, "A mutant that the suite holds to be equivalent, with the reason.")),
        },
        "How far verifiers can be trusted: corruptions caught and benign rewrites passed.",
    )
    definitions = {"Corruption": corruption, "Benign": benign, "Family": family}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "stress.schema.json", **body, "$defs": definitions}


def _document(name: str, body: dict[str, Any], definitions: dict[str, Any] | None = None) -> dict[str, Any]:
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"{name}.schema.json", **body}
    return {**made, "$defs": definitions} if definitions else made


_INTERVAL = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_OPEN_INTERVAL = {"anyOf": [_INTERVAL, {"type": "null"}]}
_OPEN_NUMBER = {"anyOf": [{"type": "number"}, {"type": "null"}]}


def _table(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": items}


def row_schema() -> dict[str, Any]:
    """Schema of one line of `rows.jsonl` (`docops run`)."""
    body = _record(
        {
            "agent": _TEXT,
            "task_id": _TEXT,
            "trial": _COUNT,
            "status": {"enum": ["passed", "failed", "error"]},
            "passed": {"type": "boolean"},
            "score": {**_OPEN_SCORE, "description": "null where an error left the verdict open."},
            "score_interval": {"type": "array", "items": _SCORE, "minItems": 2, "maxItems": 2},
            "level": _TEXT,
            "formats": _list(_TEXT),
            "operations": _list(_TEXT),
            "domain": _TEXT,
            "reason_codes": _list(_TEXT),
            "families": _list({"enum": [str(family) for family in Family]}),
            "modes": _list(_TEXT),
            "missing": {"type": "boolean", "description": "Nothing of what the task asks for was there."},
            "note": _TEXT,
            "inputs": _TEXT,
        },
        "One output of one agent on one task.",
    )
    return _document("row", body)


def run_schema() -> dict[str, Any]:
    """Schema of the summary of a run (`docops run --format json`)."""
    counted = {
        **dict.fromkeys(("tasks", "outputs", "passed", "failed", "errors", "missing"), _COUNT),
        "pass_rate": _OPEN_SCORE,
        "interval": _OPEN_INTERVAL,
        "bounds": {"type": "array", "items": _OPEN_SCORE, "minItems": 2, "maxItems": 2},
        "mean_score": _OPEN_SCORE,
        "score_interval": _OPEN_INTERVAL,
    }
    column = _record({"outputs": _COUNT, "total": {"type": "number"}, "mean": {"type": "number"}}, "One kind of cost.")
    fidelity = _record({"outputs": _COUNT, "columns": _table(column)}, "Costs of one fidelity.")
    agent = _record(
        {
            **counted,
            "by": _record({name: _table({"$ref": "#/$defs/Counts"}) for name in ("level", "format", "operation", "domain")}, "Groups of tasks."),
            "format_cv": _table(_OPEN_NUMBER),
            "trials": _table(_record({"tasks": _COUNT, "pass_at": _SCORE, "pass_all": _SCORE}, "pass@k and pass^k.")),
            "failures": _record({name: _table(_COUNT) for name in ("modes", "reason_codes", "families")}, "Outputs by why they failed."),
            "costs": _record({"unknown": _COUNT, "measured": fidelity, "estimated": fidelity}, "What outputs cost."),
            "unknown_folders": _list(_TEXT),
        },
        "One agent.",
    )
    difference = {"delta": _OPEN_NUMBER, "interval": _OPEN_INTERVAL, "excludes_zero": {"type": "boolean"}}
    pair = _record(
        {"a": _TEXT, "b": _TEXT, "tasks": _COUNT, **difference, **{f"score_{name}": item for name, item in difference.items()}}, "Two agents."
    )
    body = _record(
        {
            "schema": {"const": "docops.run/1"},
            **dict.fromkeys(("tasks", "outputs", "errors", "resamples"), _COUNT),
            "seed": {"type": "integer"},
            "agents": _table({"$ref": "#/$defs/Agent"}),
            "pairs": _list({"$ref": "#/$defs/Pair"}),
        },
        "What a run found.",
    )
    return _document("run", body, {"Agent": agent, "Counts": _record(counted, "A group of tasks."), "Pair": pair})


@cache
def cost_schema() -> dict[str, Any]:
    """Schema of one line of `OUTPUTS/<agent>/costs.jsonl`."""
    amount = {"type": "number", "minimum": 0}
    properties = {
        "task_id": {"type": "string", "minLength": 1},
        "trial": {"type": "integer", "minimum": 0, "description": "1 where left out."},
        "fidelity": {"enum": ["measured", "estimated"]},
        **dict.fromkeys(("tokens", "dollars", "steps", "seconds"), amount),
    }
    body = _record(properties, "What one output cost.")
    return _document("cost", {**body, "required": ["task_id", "fidelity"]})
