"""Write docops/formats/ooxml/defaults.txt: attributes of the OOXML schemas that are boolean or have a default.

    python tools/ooxml_defaults.py FOLDER > docops/formats/ooxml/defaults.txt

FOLDER holds typed Python bindings of the schemas (the `docx4j_py` folder of the docx4j distribution, 0.2.0): dataclasses
whose field metadata names the attribute or element, its namespace and `schema_default`. Only facts are taken from it:
element, attribute, whether it is boolean, its default. An element whose types disagree about an attribute is left out.
SpreadsheetML and PresentationML, which those bindings do not cover, are in docops/formats/ooxml/defaults_more.txt, by hand
from ECMA-376 part 1, annex A.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

MODULES = ("wml", "dml/main", "dml/chart", "dml/picture", "dml/spreadsheet_drawing", "dml/wordprocessing_drawing", "dml/diagram", "dml/chart_drawing")
NAMESPACES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
    "http://schemas.openxmlformats.org/drawingml/2006/picture": "pic",
    "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing": "xdr",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
    "http://schemas.openxmlformats.org/drawingml/2006/chartDrawing": "cdr",
}


#: Stated defaults of attributes that a shape inherits from its layout, so that absence means something else.
INHERITED = {("a:bodyPr", "upright")}

BOOLEANS = {"bool", "SharedTypesStOnOff", "STOnOff"}


@dataclass
class Type:
    """attributes: name → (boolean, default or None).   elements: qualified name → names of types."""

    bases: list[str] = field(default_factory=list)
    attributes: dict[str, tuple[bool, str | None]] = field(default_factory=dict)
    elements: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def literal(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def entries(node: ast.expr) -> dict[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    return {key: value for name, value in zip(node.keys, node.values) if (key := literal(name)) is not None}


def type_names(annotation: str) -> set[str]:
    words = "".join(letter if letter.isalnum() or letter in "_." else " " for letter in annotation).split()
    return {word.rpartition(".")[2] for word in words if word not in {"None", "list", "str", "int", "bool", "object"}}


def enumerations(paths: list[Path]) -> dict[str, str]:
    """`STBarDir.COL` → `col`."""
    out = {}
    for path in paths:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ClassDef):
                continue
            for line in node.body:
                if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name) and literal(line.value) is not None:
                    out[f"{node.name}.{line.targets[0].id}"] = literal(line.value) or ""
    return out


def read(path: Path, members: dict[str, str]) -> dict[str, Type]:
    out: dict[str, Type] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ClassDef):
            continue
        found = out.setdefault(node.name, Type([ast.unparse(base) for base in node.bases]))
        for line in node.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and isinstance(line.value, ast.Call):
                read_field(line.target.id, ast.unparse(line.annotation), line.value, found, members)
    return out


def read_field(python_name: str, annotation: str, call: ast.Call, found: Type, members: dict[str, str]) -> None:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    metadata = entries(keywords["metadata"]) if "metadata" in keywords else {}
    kind = literal(metadata.get("type"))
    name = literal(metadata.get("name")) or python_name
    prefix = NAMESPACES.get(literal(metadata.get("namespace")) or "", "")
    if kind == "Attribute":
        stated = metadata.get("schema_default")
        default = literal(stated) if stated is None or literal(stated) is not None else members.get(ast.unparse(stated))
        boolean = bool(BOOLEANS & (type_names(annotation) | set(annotation.split())))
        found.attributes[f"{prefix}:{name}" if prefix else name] = (boolean, default)
    elif kind == "Element" and prefix:
        found.elements[f"{prefix}:{name}"] |= type_names(annotation)
    elif kind == "Elements":
        choices = metadata.get("choices")
        for choice in choices.elts if isinstance(choices, ast.Tuple) else []:
            parts = entries(choice)
            prefix = NAMESPACES.get(literal(parts.get("namespace")) or "", "")
            if prefix and "type" in parts:
                inner = parts["type"]
                text = literal(inner.args[0]) if isinstance(inner, ast.Call) and inner.args else ast.unparse(inner)
                found.elements[f"{prefix}:{literal(parts.get('name'))}"] |= type_names(text or "")


def attributes_of(name: str, types: dict[str, Type], seen: frozenset[str] = frozenset()) -> dict[str, tuple[bool, str | None]] | None:
    if name not in types or name in seen:
        return None
    out: dict[str, tuple[bool, str | None]] = {}
    for base in types[name].bases:
        out |= attributes_of(base.rpartition(".")[2], types, seen | {name}) or {}
    return out | types[name].attributes


def main() -> None:
    folder = Path(sys.argv[1])
    types: dict[str, Type] = {}
    paths = [folder / module / "__init__.py" for module in (*MODULES, "shared_types")]
    members = enumerations(paths)
    for path in paths:
        types |= read(path, members)
    elements: dict[str, set[str]] = defaultdict(set)
    for one in types.values():
        for element, names in one.elements.items():
            elements[element] |= names
    for element, names in sorted(elements.items()):
        known = [found for name in sorted(names) if (found := attributes_of(name, types)) is not None]
        shared = set.intersection(*(set(found) for found in known)) if known else set()
        for attribute in sorted(shared):
            variants = {found[attribute] for found in known}
            if len(variants) == 1:
                boolean, default = variants.pop()
                if (element, attribute) in INHERITED:
                    default = None
                if boolean or default is not None:
                    print(element, attribute, "bool" if boolean else "text", default if default is not None else "-")


if __name__ == "__main__":
    main()
