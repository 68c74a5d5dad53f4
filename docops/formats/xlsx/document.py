"""An xlsx workbook as a document: its tree of state, its text, the native object, coverage."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from lxml import etree

from docops.core.address import Segment
from docops.core.codes import Aspect, FindingCode
from docops.core.document import Coverage, DocumentBase
from docops.core.errors import Unreadable
from docops.core.node import Align, Node, root_node
from docops.core.spans import TextSpan
from docops.formats.ooxml.chart import chart_parts
from docops.formats.ooxml.common import expect_main, leftover_nodes, part_fingerprint, property_nodes, theme_node
from docops.formats.ooxml.package import NS_R, Part, open_package
from docops.formats.xlsx.build import Build, Facts, attributes, digest
from docops.formats.xlsx.cells import sheet_address
from docops.formats.xlsx.drawings import anchored, chart_element, drawing_part
from docops.formats.xlsx.model import R_ID, DefinedName, Sheet, Workbook, X
from docops.formats.xlsx.references import parse_area
from docops.formats.xlsx.sheets import SheetTree
from docops.formats.xlsx.shift import IDENTITY, Translation
from docops.formats.xlsx.styles import DEFAULTS
from docops.formats.xlsx.values import cell_name, column_letters, is_true, whole

_CALCULATION_DEFAULTS = {"calcMode": "auto", "refMode": "A1", "iterate": "0", "iterateCount": "100", "iterateDelta": "0.001", "fullPrecision": "1"}
_CALCULATION_VOLATILE = ("calcId", "fullCalcOnLoad", "calcCompleted", "calcOnSave", "concurrentCalc", "concurrentManualCount", "forceFullCalc")
_PROPERTY_DEFAULTS = {
    "date1904": "0",
    "showObjects": "all",
    "showBorderUnselectedTables": "1",
    "saveExternalLinkValues": "1",
    "updateLinks": "userSet",
    "publishItems": "0",
    "refreshAllConnections": "0",
    "allowRefreshQuery": "0",
}
#: Settings of the program rather than of the workbook.
_PROPERTY_VOLATILE = (
    "defaultThemeVersion",
    "filterPrivacy",
    "backupFile",
    "checkCompatibility",
    "autoCompressPictures",
    "hidePivotFieldList",
    "showPivotChartFilter",
    "showInkAnnotation",
    "promptedSolutions",
    "dateCompatibility",
    "codeName",
)
_VOLATILE = frozenset({"fileVersion", "sheets", "definedNames", "pivotCaches", "fileRecoveryPr", "AlternateContent", "revisionPtr", "functionGroups", "webPublishing"})
_VOLATILE_EXTENSIONS = ("calcFeatures", "workbookPr", "absPath", "extCalcPr")


class XlsxDocument(DocumentBase):
    """A workbook. `workbook`: its parsed parts, for predicates."""

    format = "xlsx"

    def __init__(self, data: bytes) -> None:
        self._data = data
        package = open_package(data)
        expect_main(package, "xlsx")
        self.workbook = Workbook(package)
        self.package = package
        if not self.workbook.sheets:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "the workbook has no sheet", self.workbook.part.name)

    @cached_property
    def tree(self) -> WorkbookTree:
        """The document's own tree and the trees of its sheets."""
        return WorkbookTree(self.workbook, IDENTITY)

    @property
    def root(self) -> Node:
        """The document's state as a tree."""
        return self.tree.root

    @cached_property
    def native(self) -> Any:
        """The workbook as openpyxl opens it, formulas kept; raises Unreadable where it cannot."""
        import openpyxl

        try:
            return openpyxl.load_workbook(io.BytesIO(self._data), rich_text=True, keep_vba=True)
        except Exception as error:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"openpyxl cannot open the file: {type(error).__name__}: {error}") from error

    def spans(self) -> Sequence[TextSpan]:
        """Every stored text, sheet by sheet."""
        from docops.formats.xlsx.spans import workbook_spans

        return workbook_spans(self.workbook)

    def coverage(self) -> Sequence[Coverage]:
        """What share of each part is modelled, raw and volatile."""
        from docops.formats.xlsx.coverage import workbook_coverage

        return workbook_coverage(self.workbook)


def open_xlsx(data: bytes) -> XlsxDocument:
    """Open the bytes of a workbook, template or macro-enabled workbook; raises Unreadable for everything else."""
    return XlsxDocument(data)


class WorkbookTree:
    """The tree of a workbook, in its own coordinates or in those of the workbook it is compared to.

    sheets: the trees of the sheets, in order.   root: everything.
    """

    def __init__(self, workbook: Workbook, translation: Translation) -> None:
        self.workbook = workbook
        self.build = Build(workbook, translation)
        self.sheets = [self._sheet(sheet) for sheet in workbook.sheets]
        self.root = root_node(self.children, lookup=self._lookup)

    def _sheet(self, sheet: Sheet) -> SheetTree:
        return SheetTree(self.build, sheet, lambda: self._names(sheet.index), self._fingerprint(sheet) if self.build.translation.identity else None)

    def _lookup(self, segment: Segment) -> Sequence[Node] | None:
        """Sheets by name, which may be a number, else by position; case matters only between sheets that differ in it."""
        if segment.kind != "sheet" or segment.any or segment.last is not None or (segment.number is None and segment.name is None):
            return None
        name = segment.name if segment.name is not None else str(segment.number)
        found = [tree.node for tree in self.sheets if tree.sheet.name == name]
        found = found or [tree.node for tree in self.sheets if tree.sheet.name.casefold() == name.casefold()]
        if not found and segment.number is not None and segment.number <= len(self.sheets):
            found = [self.sheets[segment.number - 1].node]
        return found if segment.ordinal is None else found[segment.ordinal - 1 : segment.ordinal]

    def children(self) -> list[Node]:
        """Sheets, names, settings, styles, external links, theme, properties, and parts that nobody models."""
        return [*(tree.node for tree in self.sheets), *self.others]

    @cached_property
    def others(self) -> list[Node]:
        """Everything but the sheets."""
        workbook = self.workbook
        themes = workbook.part.related("theme")
        theme = theme_node(workbook.package, themes[0] if themes and themes[0].is_xml else None)
        return [
            *self._names(None),
            Node(None, "workbook", facts=self._settings, align=Align.KEY),
            *self._styles(),
            *self._external(),
            *([theme] if theme is not None else []),
            *property_nodes(workbook.package),
            *leftover_nodes(workbook.package, modelled_parts(workbook), self.build.canonical.rules),
        ]

    def _fingerprint(self, sheet: Sheet) -> str:
        if sheet.part is None:
            return f"missing {sheet.name} {sheet.state}"
        return f"{self._shared} {part_fingerprint(self.workbook.package, sheet.part)} {sheet.index} {sheet.name} {sheet.state}"

    @cached_property
    def _shared(self) -> str:
        """Digest of what the facts of every sheet depend on: styles, shared strings, theme, metadata, people, names."""
        hasher = hashlib.blake2b(digest_size=16)
        for kind in ("styles", "sharedStrings", "theme", "sheetMetadata", "person"):
            for part in self.workbook.part.related(kind):
                hasher.update(f"{kind} {part.digest}".encode())
        listed = self.workbook.xml.find(f"{X}pivotCaches")
        for element in listed if listed is not None else ():
            cache = self.workbook.part.target(element.get(R_ID))
            hasher.update(f"{element.get('cacheId')} {cache.name if cache is not None else ''}\n".encode("utf-8", "surrogatepass"))
        for name in self.workbook.names:
            hasher.update(f"{name.name} {name.scope} {name.text}".encode("utf-8", "surrogatepass"))
        hasher.update(str(self.workbook.date1904).encode())
        return hasher.hexdigest()

    # Names -----------------------------------------------------------------------------------------------------------

    def _names(self, scope: int | None) -> list[Node]:
        """Defined names of the workbook (None) or of a sheet; print areas and titles stand in the print set-up."""
        workbook = self.workbook
        out = []
        for name in workbook.names:
            known = name.scope is not None and 0 <= name.scope < len(workbook.sheets)
            if (name.scope if known else None) != scope:
                continue
            if known and name.name in ("_xlnm.Print_Area", "_xlnm.Print_Titles"):
                continue
            if name.name == "_xlnm._FilterDatabase" and self._is_derived_filter(name):
                continue
            sheet = workbook.sheets[scope].name if scope is not None else None
            out.append(self._name(name, sheet))
        return out

    def _name(self, name: DefinedName, sheet: str | None) -> Node:
        facts: Facts = {(Aspect.NAME, "refers to"): self.build.translation.formula(name.text, sheet)}
        defaults = {"hidden": "0", "function": "0", "vbProcedure": "0", "xlm": "0", "publishToServer": "0", "workbookParameter": "0", "comment": ""}
        for attribute, value in attributes(name.element, defaults, ("name", "localSheetId")).items():
            facts[Aspect.NAME, attribute] = value
        parent = sheet_address(sheet) if sheet is not None else None
        return Node(parent, "name", name=name.name, facts=facts, align=Align.KEY, key=f"name {name.name.casefold()}", label=name.name)

    def _is_derived_filter(self, name: DefinedName) -> bool:
        """Whether a hidden filter name only repeats the sheet's filter, as programs write it."""
        if name.scope is None or not 0 <= name.scope < len(self.workbook.sheets):
            return False
        sheet = self.workbook.sheets[name.scope]
        element = sheet.xml.find(f"{X}autoFilter") if sheet.xml is not None else None
        if element is None:
            return False
        try:
            return parse_area(name.text.rpartition("!")[2]) == parse_area(element.get("ref", ""))
        except ValueError:
            return False

    # The workbook itself ---------------------------------------------------------------------------------------------

    def _settings(self) -> Facts:
        workbook = self.workbook
        out: Facts = {}
        for element in workbook.xml:
            local = etree.QName(element).localname
            if local == "workbookPr":
                for name, value in attributes(element, _PROPERTY_DEFAULTS, _PROPERTY_VOLATILE).items():
                    out[Aspect.STRUCTURE if name == "date1904" else Aspect.RAW, name] = value == "1" if name == "date1904" else value
                if element.get("codeName") and workbook.part.related("vbaProject"):
                    out[Aspect.CODE, "code name"] = element.get("codeName")
            elif local == "calcPr":
                for name, value in attributes(element, _CALCULATION_DEFAULTS, _CALCULATION_VOLATILE).items():
                    # How iteration goes matters only where it is on.
                    if name not in ("iterateDelta", "iterateCount") or is_true(element.get("iterate")):
                        out[Aspect.LAYOUT if name == "refMode" else Aspect.FORMULA, name] = value
            elif local in ("workbookProtection", "fileSharing"):
                defaults = {"lockStructure": "0", "lockWindows": "0", "lockRevision": "0", "readOnlyRecommended": "0"}
                prefix = "" if local == "workbookProtection" else "file sharing "
                stated = attributes(element, defaults)
                out |= {(Aspect.PROTECTION, prefix + name): _hash_text(name, value) for name, value in stated.items()}
            elif local == "bookViews":
                out |= _window_facts(element)
            elif local == "extLst":
                for extension in element:
                    for child in extension:
                        if etree.QName(child).localname not in _VOLATILE_EXTENSIONS:
                            out[Aspect.RAW, etree.QName(child).localname] = self.build.raw(child, workbook.part)
            elif local not in _VOLATILE and local != "externalReferences":
                out[Aspect.RAW, local] = self.build.raw(element, workbook.part)
        sheets = workbook.sheets
        duplicates = len(sheets) - len({sheet.name.casefold() for sheet in sheets})
        if duplicates:
            out[Aspect.STRUCTURE, "sheets of equal name"] = duplicates
        return out

    # Styles ----------------------------------------------------------------------------------------------------------

    def _styles(self) -> list[Node]:
        styles = self.workbook.styles
        base = {name: value for name, value in styles.facts(0).items() if DEFAULTS.get(name) != value}
        out = []
        normal = dict(base)
        used = None
        seen = {"Normal"}
        for name, built_in, facts in styles.named():
            if name == "Normal":
                normal |= {(aspect, f"style {fact}"): value for (aspect, fact), value in facts.items() if styles.facts(0).get((aspect, fact), value) != value}
                continue
            if name in seen:
                continue
            seen.add(name)
            if built_in:
                used = self._used_styles() if used is None else used
                if name not in used:
                    continue
            shown: Facts = {key: value for key, value in facts.items() if styles.facts(0).get(key) != value}
            out.append(Node(None, "style", name=name, facts=shown, align=Align.KEY, users=self._users(name), label=name))
        tables = [
            Node(None, "style", name=f"table {fact.removeprefix('table style ')}", facts={(aspect, "elements"): value}, align=Align.KEY)
            for (aspect, fact), value in styles.raw().items()
        ]
        return [Node(None, "style", name="Normal", facts=normal, align=Align.KEY, label="Normal"), *out, *tables]

    def _used_styles(self) -> frozenset[str]:
        """Names of the cell styles that a cell, row or column has."""
        found: set[str] = set()
        for sheet in self.workbook.sheets:
            if sheet.xml is None or sheet.kind == "macrosheet":
                continue
            found.update(_style_indexes(sheet.xml))
        styles = self.workbook.styles
        return frozenset(str(styles.facts(whole(index))[Aspect.FORMAT, "style"]) for index in found)

    def _users(self, name: str) -> Any:
        def users() -> frozenset[str]:
            styles = self.workbook.styles
            indexes = {index for index in range(styles.count) if styles.facts(index)[Aspect.FORMAT, "style"] == name}
            found: set[str] = set()
            for sheet in self.workbook.sheets:
                base = sheet_address(sheet.name)
                for number, row in sheet.rows.items():
                    found.update(f"{base}/cell[{cell_name(number, column)}]" for column, cell in row.cells.items() if cell.style in indexes)
                    if whole(row.element.get("s"), -1) in indexes:
                        found.add(f"{base}/row[{number}]")
                for element in sheet.xml.iterfind(f"{X}cols/{X}col") if sheet.xml is not None else ():
                    if whole(element.get("style"), -1) in indexes:
                        found.add(f"{base}/column[{column_letters(whole(element.get('min'), 1))}]")
            return frozenset(found)

        return users

    # Links to other workbooks ----------------------------------------------------------------------------------------

    def _external(self) -> list[Node]:
        out = []
        workbook = self.workbook
        for number, element in enumerate(workbook.xml.iterfind(f"{X}externalReferences/{X}externalReference"), 1):
            part = workbook.part.target(element.get(R_ID))
            facts: Facts = {}
            if part is not None and part.is_xml:
                targets = sorted(f"{rel.type} {rel.target}" for rel in part.relationships.values() if rel.external)
                if targets:
                    facts[Aspect.LINK, "target"] = targets[0].partition(" ")[2] if len(targets) == 1 else list(targets)
                facts[Aspect.RAW, "content"] = digest(self.build.canonical.element(part.xml, part))
            else:
                facts[Aspect.LINK, "target"] = "missing"
            out.append(Node(None, "external", number=number, facts=facts, align=Align.KEY))
        return out


def _style_indexes(root: etree._Element) -> set[str]:
    found = root.xpath("x:sheetData/x:row/@s|x:sheetData/x:row/x:c/@s|x:cols/x:col/@style", namespaces={"x": X[1:-1]})
    return {str(index) for index in found} if isinstance(found, list) else set()


def _window_facts(element: etree._Element) -> Facts:
    out: Facts = {}
    view = element.find(f"{X}workbookView")
    if view is not None:
        if view.get("showSheetTabs") is not None and not is_true(view.get("showSheetTabs")):
            out[Aspect.LAYOUT, "sheet tabs shown"] = False
        if view.get("visibility", "visible") != "visible":
            out[Aspect.STRUCTURE, "window"] = view.get("visibility")
    return out


def _hash_text(name: str, value: str) -> str:
    """The short password hashes are hexadecimal numbers, in capitals or not."""
    return value.upper() if name.lower().endswith("password") else value


def modelled_parts(workbook: Workbook) -> set[str]:
    """Names of the parts whose content is in facts of the tree."""
    main = workbook.part
    out = {main.name}
    for kind in ("styles", "sharedStrings", "theme", "sheetMetadata", "person", "externalLink"):
        out.update(part.name for part in main.related(kind))
    for sheet in workbook.sheets:
        if sheet.part is None:
            continue
        out.add(sheet.part.name)
        if not sheet.part.is_xml:
            continue
        for kind in ("comments", "threadedComment", "vmlDrawing"):
            out.update(part.name for part in sheet.part.related(kind))
        out.update(table.part.name for table in sheet.tables)
        for pivot in sheet.part.related("pivotTable"):
            out.add(pivot.name)
            for cache in pivot.related("pivotCacheDefinition"):
                out.add(cache.name)
                out.update(records.name for records in cache.related("pivotCacheRecords"))
        drawing = drawing_part(sheet)
        if drawing is not None:
            out.add(drawing.name)
            out |= _drawing_parts(drawing)
    return out


def _drawing_parts(drawing: Part) -> set[str]:
    out: set[str] = set()
    for _, element in anchored(drawing):
        holder = chart_element(element)
        part = drawing.target(holder.get("{" + NS_R + "}id")) if holder is not None else None
        if part is not None and part.is_xml:
            out |= chart_parts(part)
    return out


