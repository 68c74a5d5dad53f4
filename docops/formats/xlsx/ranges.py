"""What belongs to ranges of a sheet: merged areas, links, input rules, conditional formats, comments, tables, pivots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Align, Node, Value
from docops.formats.ooxml.package import Part
from docops.formats.xlsx.build import Build, Facts, attributes
from docops.formats.xlsx.cells import sheet_address
from docops.formats.xlsx.model import R_ID, Sheet, X, read_text
from docops.formats.xlsx.values import is_true, number_text, unescape, whole

X14 = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}"
XM = "{http://schemas.microsoft.com/office/excel/2006/main}"

_RULE_DEFAULTS = {
    "type": "none",
    "errorStyle": "stop",
    "imeMode": "noControl",
    "operator": "between",
    "allowBlank": "0",
    "showDropDown": "0",
    "showInputMessage": "0",
    "showErrorMessage": "0",
    "errorTitle": "",
    "error": "",
    "promptTitle": "",
    "prompt": "",
}
_CF_DEFAULTS = {
    "stopIfTrue": "0",
    "aboveAverage": "1",
    "percent": "0",
    "bottom": "0",
    "equalAverage": "0",
    "stdDev": "0",
    "activePresent": "0",
}
#: Settings of conditional formats → the kinds of rules that heed them.
_RULE_SETTINGS = {
    **dict.fromkeys(("aboveAverage", "equalAverage", "stdDev"), ("aboveAverage",)),
    **dict.fromkeys(("rank", "percent", "bottom"), ("top10",)),
    "text": ("containsText", "notContainsText", "beginsWith", "endsWith"),
    "operator": ("cellIs", "containsText", "notContainsText", "beginsWith", "endsWith"),
    "timePeriod": ("timePeriod",),
}
_CF_CONTENT_DEFAULTS = {
    "dataBar": {"minLength": "10", "maxLength": "90", "showValue": "1"},
    "iconSet": {"iconSet": "3TrafficLights1", "showValue": "1", "percent": "1", "reverse": "0"},
    "cfvo": {"gte": "1"},
}


_AREA_ASPECTS = {"validation": Aspect.VALIDATION, "conditional_format": Aspect.FORMAT, "hyperlink": Aspect.LINK}


def merge_nodes(build: Build, sheet: Sheet) -> list[Node]:
    """Merged areas."""
    base = sheet_address(sheet.name)
    out: list[Node] = []
    for ref in dict.fromkeys(sheet.merged):
        area = build.translation.area(ref, sheet.name) or f"gone {ref}"
        first, _, last = area.partition(":")
        if last and first != last:
            out.append(Node(base, "merge", number=len(out) + 1, name=_plain(ref), facts={(Aspect.STRUCTURE, "area"): area}, align=Align.KEY, key=f"merge {area}"))
    return out


def _plain(ref: str) -> str:
    return " ".join(ref.replace("$", "").split())


def hyperlink_nodes(build: Build, sheet: Sheet) -> list[Node]:
    """Links of cells: target, place inside it, tool tip. The text shown is the cell's own."""
    base = sheet_address(sheet.name)
    found: dict[str, list[Facts]] = {}
    for element in sheet.xml.iterfind(f"{X}hyperlinks/{X}hyperlink") if sheet.xml is not None else ():
        facts: Facts = {}
        target, place = "", unescape(element.get("location", ""))
        if element.get(R_ID) is not None and sheet.part is not None:
            rel = sheet.part.relationships.get(element.get(R_ID, ""))
            target = "missing" if rel is None else rel.target
        # An address with a fragment is stored in one piece or in two.
        if target and "#" in target and not place:
            target, _, place = target.partition("#")
        if target:
            facts[Aspect.LINK, "target"] = target
        if place:
            facts[Aspect.LINK, "place"] = place if target else build.translation.formula(place, sheet.name)
        if element.get("tooltip"):
            # Other programs keep where a link leads, not what is shown over it.
            facts[Aspect.LAYOUT, "tooltip"] = unescape(element.get("tooltip", ""))
        for name, value in attributes(element, {"display": ""}, ("ref", "location", "tooltip", "display")).items():
            facts[Aspect.RAW, name] = value
        found.setdefault(_plain(element.get("ref", "")), []).append(facts)
    return _numbered(node for ref, variants in found.items() for node in _named(build, sheet, base, "hyperlink", ref, variants, also=True))


def _named(build: Build, sheet: Sheet, base: str, kind: str, ref: str, variants: list[Facts], *, also: bool = False, labels: list[str] | None = None) -> Iterator[Node]:
    """One node for each set of facts at a range; equal ranges are told apart by their order."""
    for number, facts in enumerate(variants, 1):
        areas = build.translation.areas(ref, sheet.name)
        facts[_AREA_ASPECTS[kind], "area"] = areas
        ordinal = number if len(variants) > 1 else None
        owners: tuple[str, ...] = (f"{base}/cell[{ref}]",) if also and " " not in ref and ":" not in ref else ()
        yield Node(
            base,
            kind,
            name=ref,
            ordinal=ordinal,
            facts=facts,
            align=Align.KEY,
            key=f"{kind} {areas} {number}",
            also=owners,
            label=labels[number - 1] if labels else None,
        )


def _numbered(nodes: Iterable[Node]) -> list[Node]:
    """Nodes that are named by a range, numbered as well, so that `validation[1]` names the first."""
    out = list(nodes)
    for number, node in enumerate(out, 1):
        node.number = number
    return out


def validation_nodes(build: Build, sheet: Sheet) -> list[Node]:
    """Input rules, those of the 2009 extension included."""
    base = sheet_address(sheet.name)
    found: dict[str, list[Facts]] = {}
    if sheet.xml is None:
        return []
    for element in (*sheet.xml.iterfind(f"{X}dataValidations/{X}dataValidation"), *sheet.xml.iter(f"{X14}dataValidation")):
        sqref = element.get("sqref") or element.findtext(f"{XM}sqref") or ""
        stated = attributes(element, _RULE_DEFAULTS, ("sqref",))
        facts: Facts = {(Aspect.VALIDATION, name): unescape(value) for name, value in stated.items()}
        kind = element.get("type", "none")
        facts[Aspect.VALIDATION, "type"] = kind
        if kind in ("none", "list", "custom"):
            facts.pop((Aspect.VALIDATION, "operator"), None)
        single = kind in ("list", "custom") or element.get("operator", "between") not in ("between", "notBetween")
        for name in ("formula1",) if single else ("formula1", "formula2"):
            formula = element.findtext(f"{X}{name}") or element.findtext(f"{X14}{name}/{XM}f")
            if formula and formula.strip():
                facts[Aspect.VALIDATION, name] = build.translation.formula(unescape(formula), sheet.name)
        for child in element:
            if etree.QName(child).localname not in ("formula1", "formula2", "sqref") and sheet.part is not None:
                facts[Aspect.RAW, etree.QName(child).localname] = build.raw(child, sheet.part)
        found.setdefault(" ".join(sorted(_plain(sqref).split())), []).append(facts)
    for holder in sheet.xml.iterfind(f"{X}dataValidations"):
        if is_true(holder.get("disablePrompts")):
            for variants in found.values():
                for facts in variants:
                    facts[Aspect.VALIDATION, "prompts disabled"] = True
    return _numbered(node for ref, variants in found.items() for node in _named(build, sheet, base, "validation", ref, variants))


def conditional_nodes(build: Build, sheet: Sheet) -> list[Node]:
    """Conditional formats: one node for each set of ranges, its rules by priority; extension rules joined to theirs."""
    base = sheet_address(sheet.name)
    if sheet.xml is None or sheet.part is None:
        return []
    extended = {rule.get("id", ""): rule for rule in sheet.xml.iter(f"{X14}cfRule")}
    used: set[str] = set()
    rules: list[tuple[int, str, Facts]] = []
    for block in sheet.xml.iterfind(f"{X}conditionalFormatting"):
        ref = " ".join(sorted(_plain(block.get("sqref", "")).split()))
        for rule in block.iterfind(f"{X}cfRule"):
            facts = _rule_facts(build, sheet, rule, is_true(block.get("pivot")))
            identifier = next((element.text or "" for element in rule.iter(f"{X14}id")), "")
            if identifier in extended:
                used.add(identifier)
                facts[Aspect.RAW, "extension"] = _extended_rule(build, sheet, extended[identifier])
                shown = _extended_ref(extended[identifier])
                if shown != ref:
                    facts[Aspect.RAW, "extension area"] = build.translation.areas(shown, sheet.name) if shown else "none"
            rules.append((_priority(rule), ref, facts))
    for identifier, rule in extended.items():
        if identifier not in used:
            rules.append((_priority(rule), _extended_ref(rule), _rule_facts(build, sheet, rule, False)))
    # Priorities order the rules of a sheet; their numbers are not state.
    order = sorted(range(len(rules)), key=lambda at: (rules[at][0], at))
    found: dict[str, list[Facts]] = {}
    for at in order:
        found.setdefault(rules[at][1], []).append(rules[at][2])
    out = _numbered(node for ref, variants in found.items() for node in _named(build, sheet, base, "conditional_format", ref, variants))
    _order_overlaps(rules, order, out)
    return out


def _extended_ref(rule: etree._Element) -> str:
    """The ranges that a rule of the 2009 extension stands for."""
    holder = rule.getparent()
    return " ".join(sorted(_plain((holder.findtext(f"{XM}sqref") if holder is not None else "") or "").split()))


def _order_overlaps(rules: list[tuple[int, str, Facts]], order: list[int], nodes: list[Node]) -> None:
    """Give each rule its rank among the rules that touch the same cells: there the first one wins."""
    from docops.formats.xlsx.references import Area, parse_area

    def areas(ref: str) -> list[Area]:
        out = []
        for part in ref.split():
            try:
                out.append(parse_area(part))
            except ValueError:
                continue
        return out

    if len(order) > 400:
        return
    parsed = [areas(rules[at][1]) for at in order]
    for rank, at in enumerate(order):
        above = sum(
            1
            for other in range(rank)
            if rules[order[other]][1] != rules[at][1] and any(one.intersection(two) is not None for one in parsed[rank] for two in parsed[other])
        )
        if above:
            rules[at][2][Aspect.FORMAT, "rules above"] = above


def _priority(rule: etree._Element) -> int:
    text = rule.get("priority", "0")
    return -whole(text[1:]) if text.startswith("-") else whole(text)


def _rule_facts(build: Build, sheet: Sheet, rule: etree._Element, pivot: bool) -> Facts:
    out: Facts = {}
    kind = rule.get("type", "")
    for name, value in attributes(rule, _CF_DEFAULTS, ("priority", "dxfId", "id")).items():
        # Programs write settings of other kinds of rules as well.
        if kind in _RULE_SETTINGS.get(name, (kind,)):
            out[Aspect.FORMAT, f"rule {name}"] = value
    if pivot:
        out[Aspect.FORMAT, "rule pivot"] = True
    styles = build.workbook.styles
    own = rule.find(f"{X14}dxf")
    look = styles.dxf(rule.get("dxfId")) if own is None else styles.differential(own)
    for name, shown in look.items():
        out[Aspect.FORMAT, name] = shown
    number = 0
    for child in rule:
        local = etree.QName(child).localname
        if local in ("formula", "f"):
            number += 1
            out[Aspect.FORMAT, f"rule formula {number}"] = build.translation.formula(unescape(child.text or ""), sheet.name)
        elif local not in ("extLst", "dxf"):
            out[Aspect.FORMAT, f"rule {local}"] = _scale(build, sheet, child)
        elif local == "extLst" and sheet.part is not None:
            text = "".join(build.raw(inner, sheet.part) for extension in child for inner in extension if inner.tag != f"{X14}id")
            if text:
                out[Aspect.RAW, "rule extensions"] = text
    return out


def _scale(build: Build, sheet: Sheet, element: etree._Element) -> Value:
    """A colour scale, data bar or icon set: its settings, thresholds and colours."""
    local = etree.QName(element).localname
    out: list[Value] = [f"{name}={value}" for name, value in attributes(element, _CF_CONTENT_DEFAULTS.get(local, {})).items()]
    for child in element:
        name = etree.QName(child).localname
        if name == "cfvo":
            kind = child.get("type", "")
            value = child.get("val") or child.findtext(f"{XM}f") or ""
            # The ends of a scale need no number; programs write one all the same.
            shown = "" if kind in ("min", "max", "autoMin", "autoMax") else _threshold(build, sheet, value)
            out.append(f"{kind} {shown}{'' if child.get('gte') is None or is_true(child.get('gte')) else ' exclusive'}".strip())
        elif name.lower().endswith("color"):
            out.append(f"{'' if name == 'color' else name + ' '}{build.workbook.styles.color(child)}")
        elif sheet.part is not None:
            out.append(build.raw(child, sheet.part))
    return out


def _threshold(build: Build, sheet: Sheet, text: str) -> str:
    try:
        return number_text(float(text))
    except ValueError:
        return build.translation.formula(text, sheet.name)


def _extended_rule(build: Build, sheet: Sheet, rule: etree._Element) -> Value:
    out: list[Value] = []
    for child in rule:
        scale = _scale(build, sheet, child)
        out.append([etree.QName(child).localname, scale])
    out += [f"{name}={value}" for name, value in attributes(rule, _CF_DEFAULTS, ("priority", "id")).items()]
    return out


def comment_nodes(build: Build, sheet: Sheet) -> list[Node]:
    """Comments: text, author, visibility and box; threaded ones with their replies."""
    base = sheet_address(sheet.name)
    if sheet.part is None:
        return []
    from docops.formats.xlsx.comments import read_comments

    comments = read_comments(sheet)
    build.modelled |= comments.parts
    out: list[Node] = []
    for ref, variants in comments.found.items():
        for number, comment in enumerate(variants, 1):
            facts: Facts = dict(comment.facts)
            runs = _comment_runs(build, comment.element) if comment.element is not None and not comment.threaded else []
            if runs:
                facts[Aspect.FORMAT, "runs"] = runs
            areas = build.translation.areas(ref, sheet.name) or f"gone {ref}"
            out.append(
                Node(
                    base,
                    "comment",
                    number=len(out) + 1,
                    name=ref,
                    ordinal=number if len(variants) > 1 else None,
                    facts=facts,
                    align=Align.KEY,
                    key=f"comment {areas} {number}",
                    label=comment.text,
                    also=(f"{base}/cell[{ref}]",),
                )
            )
    return out


def _comment_runs(build: Build, element: etree._Element) -> list[Value]:
    """Runs of a comment whose formatting is not what programs write by default."""
    text = element.find(f"{X}text")
    runs = read_text(text).runs if text is not None else None
    out: list[Value] = []
    plain = True
    for run in runs or ():
        font = build.workbook.styles.font(run.font, partial=True) if run.font is not None else {}
        look: dict[str, Value] = {
            name.removeprefix("font."): value
            for name, value in font.items()
            if name in ("font.bold", "font.italic", "font.underline", "font.strike", "font.position") and value not in (False, "none", "baseline")
        }
        if font.get("font.color", "000000") != "000000":
            look["color"] = font["font.color"]
        if font.get("font.name", "Tahoma") not in ("Tahoma", "Calibri", "Arial", "Segoe UI", "Aptos Narrow"):
            look["name"] = font["font.name"]
        if font.get("font.size", "9") not in ("8", "9", "10", "11"):
            look["size"] = font["font.size"]
        plain = plain and not look
        out.append([run.text, look])
    return [] if plain else out


def table_nodes(build: Build, sheet: Sheet) -> list[Node]:
    """Tables with their columns."""
    base = sheet_address(sheet.name)
    out = []
    for table in sheet.tables:
        build.modelled.add(table.part.name)
        out.append(_table_node(build, sheet, base, table.part, table.name))
    return _numbered(out)


_TABLE_DEFAULTS = {
    "headerRowCount": "1",
    "totalsRowCount": "0",
    "insertRow": "0",
    "insertRowShift": "0",
    "published": "0",
    "tableType": "worksheet",
    "comment": "",
    "totalsRowShown": "1",
}
_STYLE_DEFAULTS = {"showFirstColumn": "0", "showLastColumn": "0", "showRowStripes": "0", "showColumnStripes": "0"}
_DXF_NAMES = ("headerRowDxfId", "dataDxfId", "totalsRowDxfId", "headerRowBorderDxfId", "tableBorderDxfId", "totalsRowBorderDxfId")


def _table_node(build: Build, sheet: Sheet, base: str, part: Part, name: str) -> Node:
    root = part.xml
    facts: Facts = {(Aspect.NAME, "name"): name, (Aspect.STRUCTURE, "area"): build.translation.area(root.get("ref", ""), sheet.name)}
    if root.get("name") and root.get("name") != name:
        facts[Aspect.NAME, "internal name"] = root.get("name")
    # Whether a totals row was shown before is remembered only for the user interface.
    for key, value in attributes(root, _TABLE_DEFAULTS, ("id", "name", "displayName", "ref", "totalsRowShown", *_DXF_NAMES)).items():
        facts[Aspect.STRUCTURE if key in ("headerRowCount", "totalsRowCount") else Aspect.RAW, key] = value
    _dxf_facts(build, root, facts)
    for child in root:
        local = etree.QName(child).localname
        if local == "tableStyleInfo":
            facts[Aspect.FORMAT, "table style"] = child.get("name", "none")
            for key, value in attributes(child, _STYLE_DEFAULTS, ("name",)).items():
                facts[Aspect.FORMAT, key] = value
        elif local == "autoFilter":
            # The filter's own area follows from the table's; whether it holds the totals, programs disagree.
            facts[Aspect.STRUCTURE, "filter"] = list(filter_value(build, sheet, child)[1:]) or True
        elif local == "sortState":
            facts[Aspect.STRUCTURE, "sorted"] = sort_value(build, sheet, child)
        elif local not in ("tableColumns", "extLst"):
            facts[Aspect.RAW, local] = build.raw(child, part)
        elif local == "extLst":
            text = "".join(build.raw(inner, part) for extension in child for inner in extension)
            if text:
                facts[Aspect.RAW, "extensions"] = text
    node = Node(base, "table", name=name, facts=facts, align=Align.KEY, children=lambda: columns, label=name)
    columns = _table_columns(build, sheet, node, part)
    return node


def _table_columns(build: Build, sheet: Sheet, node: Node, part: Part) -> list[Node]:
    out: list[Node] = []
    for number, element in enumerate(part.xml.iterfind(f"{X}tableColumns/{X}tableColumn"), 1):
        facts: Facts = {}
        for key, value in attributes(element, {"totalsRowFunction": "none"}, ("id", "name", "uniqueName", "queryTableFieldId", *_DXF_NAMES)).items():
            # The cells of the totals row say the same; other programs keep only these.
            facts[Aspect.LAYOUT if key.startswith("totalsRow") else Aspect.STRUCTURE, key] = unescape(value)
        _dxf_facts(build, element, facts)
        for child in element:
            local = etree.QName(child).localname
            # What new rows are filled with; the formulas of the rows that are there stand in their cells.
            if local in ("calculatedColumnFormula", "totalsRowFormula"):
                facts[Aspect.LAYOUT, local] = ("array " if is_true(child.get("array")) else "") + build.translation.formula(unescape(child.text or ""), sheet.name)
            else:
                facts[Aspect.RAW, local] = build.raw(child, part)
        name = unescape(element.get("name", ""))
        facts[Aspect.NAME, "name"] = name
        # The name of a column is the text of its heading, which may be empty only in broken files.
        out.append(Node(node, "column", number=number, name=name or f"column {number}", facts=facts, align=Align.ORDERED_KEY, label=name))
    return out


def _dxf_facts(build: Build, element: etree._Element, facts: Facts) -> None:
    """Differential formats that a table or column states for its rows to come."""
    for name in _DXF_NAMES:
        if element.get(name) is not None:
            look = build.workbook.styles.dxf(element.get(name))
            if look:
                facts[Aspect.FORMAT, name.removesuffix("DxfId")] = dict(look)
    for name in ("headerRowCellStyle", "dataCellStyle", "totalsRowCellStyle"):
        if element.get(name):
            facts.pop((Aspect.STRUCTURE, name), None)
            facts.pop((Aspect.RAW, name), None)
            facts[Aspect.FORMAT, name] = element.get(name)


def filter_value(build: Build, sheet: Sheet, element: etree._Element) -> list[Value]:
    """An auto filter: its area, then the criteria of each column that has some."""
    out: list[Value] = [build.translation.area(element.get("ref", ""), sheet.name)]
    columns = element.iterfind(f"{X}filterColumn")
    out += [_criteria(column) for column in columns if len(column) or column.get("hiddenButton") is not None or column.get("showButton") is not None]
    return out


def _criteria(element: etree._Element) -> Value:
    defaults: Mapping[str, str] = {"hiddenButton": "0", "showButton": "1", "blank": "0", "and": "0", "percent": "0", "top": "1", "operator": "equal"}
    # Whether both of two conditions must hold says nothing where there is one.
    idle = ("and",) if len(element) < 2 else ()
    stated = " ".join(f"{name}={value}" for name, value in attributes(element, defaults, idle).items())
    inner = [_criteria(child) for child in element if isinstance(child.tag, str)]
    name = etree.QName(element).localname
    return f"{name} {stated}".strip() if not inner else [f"{name} {stated}".strip(), *inner]


def sort_value(build: Build, sheet: Sheet, element: etree._Element) -> Value:
    """A sort state: its area and conditions."""
    out: list[Value] = [build.translation.area(element.get("ref", ""), sheet.name)]
    out += [f"{name}={value}" for name, value in attributes(element, {"columnSort": "0", "caseSensitive": "0", "sortMethod": "none"}, ("ref",)).items()]
    for condition in element:
        defaults = {"descending": "0", "sortBy": "value"}
        stated = " ".join(f"{name}={value}" for name, value in attributes(condition, defaults, ("ref", "dxfId")).items())
        look = build.workbook.styles.dxf(condition.get("dxfId"))
        out.append(f"{build.translation.area(condition.get('ref', ''), sheet.name)} {stated} {look or ''}".strip())
    return out


def pivot_nodes(build: Build, sheet: Sheet) -> list[Node]:
    """Pivot tables; the definition is compared in canonical form together with its cache definition."""
    base = sheet_address(sheet.name)
    out: list[Node] = []
    for part in sheet.part.related("pivotTable") if sheet.part is not None else ():
        root = part.xml
        build.modelled.add(part.name)
        location = root.find(f"{X}location")
        facts: Facts = {}
        if location is not None:
            facts[Aspect.STRUCTURE, "area"] = build.translation.area(location.get("ref", ""), sheet.name)
            for name, value in attributes(location, {"rowPageCount": "0", "colPageCount": "0"}, ("ref",)).items():
                facts[Aspect.STRUCTURE, name] = value
        for cache in part.related("pivotCacheDefinition"):
            build.modelled.add(cache.name)
            source = cache.xml.find(f"{X}cacheSource/{X}worksheetSource")
            if source is not None:
                facts[Aspect.LINK, "source"] = _pivot_source(build, source)
            facts[Aspect.RAW, "cache"] = build.canonical.digest(cache.xml, cache, skip=[source] if source is not None else [])
            if not _is_listed(build, root.get("cacheId", ""), cache):
                facts[Aspect.STRUCTURE, "cache"] = "not listed in the workbook"
            build.modelled |= {records.name for records in cache.related("pivotCacheRecords")}
        facts[Aspect.RAW, "definition"] = build.canonical.digest(root, part, skip=[location] if location is not None else [])
        out.append(Node(base, "pivot", number=len(out) + 1, name=root.get("name", ""), facts=facts, align=Align.KEY, label=root.get("name", "")))
    return out


def _pivot_source(build: Build, source: etree._Element) -> str:
    """The cells that a pivot table sums up."""
    stated = attributes(source, {})
    sheet = stated.get("sheet")
    if sheet is not None and source.get(R_ID) is None:
        stated["sheet"] = build.translation.sheet(sheet)
        if "ref" in stated:
            stated["ref"] = build.translation.area(stated["ref"], sheet) or f"gone {stated['ref']}"
    return " ".join(f"{name}={value}" for name, value in stated.items())


def _is_listed(build: Build, identifier: str, cache: Part) -> bool:
    """Whether the workbook names a pivot cache under the number that the pivot table uses."""
    main = build.workbook.part
    listed = build.workbook.xml.iterfind(f"{X}pivotCaches/{X}pivotCache")
    return any(element.get("cacheId") == identifier and main.target(element.get(R_ID)) is cache for element in listed)
