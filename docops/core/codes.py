"""The closed enumerations of docops: outcomes, families, aspects, finding codes, exit codes."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Outcome(StrEnum):
    """What became of a criterion; four outcomes, so that a crashed or skipped check is never taken for a pass."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    NOT_APPLICABLE = "not_applicable"


class Family(StrEnum):
    """What a predicate looks at: native state, wording, or what must not change."""

    STRUCTURAL = "structural"
    ANCHOR = "anchor"
    PRESERVATION = "preservation"


class Aspect(StrEnum):
    """What kind of attribute a fact states (docs/facts.md describes each)."""

    TEXT = "text"
    VALUE = "value"
    FORMULA = "formula"
    STRUCTURE = "structure"
    ORDER = "order"
    FORMAT = "format"
    GEOMETRY = "geometry"
    MEDIA = "media"
    LINK = "link"
    NOTE = "note"
    COMMENT = "comment"
    REVISION = "revision"
    FIELD = "field"
    FORM = "form"
    NAME = "name"
    VALIDATION = "validation"
    LAYOUT = "layout"
    MASTER = "master"
    THEME = "theme"
    ANIMATION = "animation"
    TRANSITION = "transition"
    METADATA = "metadata"
    PROTECTION = "protection"
    CODE = "code"
    RAW = "raw"


ALL_ASPECTS: frozenset[Aspect] = frozenset(Aspect)

#: What another program's re-save keeps; the aspects of the profile `content`.
CONTENT_ASPECTS: frozenset[Aspect] = frozenset(
    {
        Aspect.TEXT,
        Aspect.VALUE,
        Aspect.FORMULA,
        Aspect.STRUCTURE,
        Aspect.ORDER,
        Aspect.NAME,
        Aspect.LINK,
        Aspect.MEDIA,
        Aspect.NOTE,
        Aspect.COMMENT,
        Aspect.REVISION,
        Aspect.FIELD,
        Aspect.FORM,
    }
)


class FindingCode(StrEnum):
    """Why a criterion did not pass; closed, documented in docs/findings.md."""

    MISSING = "missing"
    MISMATCH = "mismatch"
    UNEXPECTED = "unexpected"
    UNEXPECTED_CHANGE = "unexpected_change"
    UNEXPECTED_ADDITION = "unexpected_addition"
    UNEXPECTED_REMOVAL = "unexpected_removal"
    UNEXPECTED_MOVE = "unexpected_move"
    STATIC_VALUE = "static_value"
    NOT_NATIVE = "not_native"
    STALE_VALUE = "stale_value"
    FORMULA_ERROR = "formula_error"
    WRONG_PRECEDENTS = "wrong_precedents"
    HIDDEN_TEXT = "hidden_text"
    WRONG_COUNT = "wrong_count"
    WRONG_ORDER = "wrong_order"
    UNSUPPORTED = "unsupported"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"
    ARTIFACT_MISSING = "artifact_missing"
    ARTIFACT_UNREADABLE = "artifact_unreadable"
    ARTIFACT_WRONG_TYPE = "artifact_wrong_type"
    ARTIFACT_ENCRYPTED = "artifact_encrypted"
    LIMIT_EXCEEDED = "limit_exceeded"
    EXTRA_FILE = "extra_file"
    PREDICATE_ERROR = "predicate_error"
    ENGINE_UNAVAILABLE = "engine_unavailable"
    CODE_RAISED = "code_raised"
    CODE_ANSWER = "code_answer"
    CODE_LIMIT = "code_limit"
    CODE_ENDED = "code_ended"
    CODE_NOT_ALLOWED = "code_not_allowed"
    MODEL_UNAVAILABLE = "model_unavailable"
    PICTURES_UNAVAILABLE = "pictures_unavailable"


#: Findings that say that docops could not decide; they are never held against the output.
UNDECIDED: frozenset[FindingCode] = frozenset(
    {FindingCode.UNSUPPORTED, FindingCode.INCONCLUSIVE, FindingCode.ENGINE_UNAVAILABLE, FindingCode.PREDICATE_ERROR}
)


class ExitCode(IntEnum):
    """Process exit codes of the command line."""

    PASSED = 0
    FAILED = 1
    USAGE = 2
    INVALID = 3
    ERROR = 4
    NOTHING_SELECTED = 5
