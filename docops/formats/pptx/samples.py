"""Small presentations from a plain notation, for the examples of predicates and operators and for tests.

    deck([Slide("Goals", ["Faster", "Cheaper"], notes="Mention May"), Slide("Figures", shapes=[table([["Year"], ["2024"]])])])

Shapes are XML texts, made by `text_box`, `table`, `chart`, `picture`, … The bytes are the same at every call.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from docops.formats.ooxml.writing import escape, quoteattr

_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_NS = f'xmlns:a="{_A}" xmlns:p="{_P}" xmlns:r="{_R}"'
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPE = "application/vnd.openxmlformats-officedocument."
_TREE = "<p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"

#: Size of a slide.
WIDTH, HEIGHT = 9144000, 6858000


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide.

    title: text of its title placeholder, None for none.   body: paragraphs of its content placeholder, None for none.
    shapes: XML of further shapes; `rId…` of `relationships` may be used.   parts: further parts by name, with their type.
    after: XML after the shape tree (transition, timing).   background: XML of a `p:bg`.
    """

    title: str | None = None
    body: Sequence[str] | None = None
    shapes: Sequence[str] = ()
    notes: str | None = None
    hidden: bool = False
    layout: str = "Title and Content"
    after: str = ""
    background: str = ""
    relationships: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)


def paragraphs(texts: Sequence[str], run: str = "") -> str:
    """Paragraphs of plain text; `run`: XML attributes and children of each run's properties (`b="1"` or `<a:…/>`)."""
    attributes, inner = ("", run) if run.startswith("<") else (run, "")
    properties = f"<a:rPr {attributes}>{inner}</a:rPr>" if run else ""
    return "".join(f"<a:p><a:r>{properties}<a:t>{escape(text)}</a:t></a:r></a:p>" if text else "<a:p/>" for text in texts)


def placeholder(name: str, kind: str, texts: Sequence[str], identifier: int = 2) -> str:
    """A placeholder; kind: XML attributes of `p:ph` (`type="title"`, `idx="1"`)."""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{identifier}" name={quoteattr(name)}/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr>'
        f"<p:nvPr><p:ph {kind}/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>{paragraphs(texts) or '<a:p/>'}</p:txBody></p:sp>"
    )


def text_box(
    text: str, name: str = "TextBox 9", frame: tuple[int, int, int, int] = (914400, 914400, 3657600, 457200), *, run: str = "", fill: str = "<a:noFill/>",
    hidden: bool = False, identifier: int = 9,
) -> str:  # fmt: skip
    """A text box; frame: x, y, width, height in EMU; fill: XML."""
    x, y, width, height = frame
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{identifier}" name={quoteattr(name)}{" hidden=" + quoteattr("1") if hidden else ""}/><p:cNvSpPr txBox="1"/><p:nvPr/>'
        f'</p:nvSpPr><p:spPr><a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
        f'{fill}</p:spPr><p:txBody><a:bodyPr wrap="square"/><a:lstStyle/>{paragraphs(text.split(chr(10)), run)}</p:txBody></p:sp>'
    )


def table(rows: Sequence[Sequence[str]], name: str = "Table 5", identifier: int = 5) -> str:
    """A native table whose first row is its header."""
    columns = len(rows[0])
    cells = "".join(
        '<a:tr h="370840">'
        + "".join(f"<a:tc><a:txBody><a:bodyPr/><a:lstStyle/>{paragraphs([text])}</a:txBody><a:tcPr/></a:tc>" for text in row)
        + "</a:tr>"
        for row in rows
    )
    return _frame(
        name, identifier, "http://schemas.openxmlformats.org/drawingml/2006/table",
        '<a:tbl><a:tblPr firstRow="1" bandRow="1"><a:tableStyleId>{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}</a:tableStyleId></a:tblPr><a:tblGrid>'
        + '<a:gridCol w="2000000"/>' * columns
        + f"</a:tblGrid>{cells}</a:tbl>",
    )  # fmt: skip


def _frame(name: str, identifier: int, uri: str, inner: str) -> str:
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{identifier}" name={quoteattr(name)}/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        '<p:xfrm><a:off x="914400" y="1828800"/><a:ext cx="6096000" cy="2286000"/></p:xfrm>'
        f'<a:graphic><a:graphicData uri="{uri}">{inner}</a:graphicData></a:graphic></p:graphicFrame>'
    )


def chart_frame(name: str = "Chart 4", relationship: str = "rId9", identifier: int = 4) -> str:
    """The graphic frame of a chart."""
    return _frame(name, identifier, _C, f'<c:chart xmlns:c="{_C}" r:id="{relationship}"/>')


def chart_slide(
    title: str, series: Mapping[str, Sequence[float]], categories: Sequence[str], kind: str = "barChart", direction: str = "col"
) -> Slide:
    """A slide with a chart (no embedded workbook). kind: `barChart`, `lineChart`, `pieChart`."""
    axes = '<c:axId val="1"/><c:axId val="2"/>' if kind != "pieChart" else ""
    axis = '<c:{0}><c:axId val="{1}"/><c:scaling/><c:delete val="0"/><c:axPos val="{2}"/><c:crossAx val="{3}"/></c:{0}>'
    plots = "".join(
        f'<c:ser><c:idx val="{number}"/><c:order val="{number}"/><c:tx><c:v>{escape(name)}</c:v></c:tx>'
        f'<c:cat><c:strLit><c:ptCount val="{len(categories)}"/>{"".join(f"<c:pt idx={quoteattr(str(at))}><c:v>{escape(text)}</c:v></c:pt>" for at, text in enumerate(categories))}</c:strLit></c:cat>'
        f'<c:val><c:numLit><c:ptCount val="{len(values)}"/>{"".join(f"<c:pt idx={quoteattr(str(at))}><c:v>{value}</c:v></c:pt>" for at, value in enumerate(values))}</c:numLit></c:val></c:ser>'
        for number, (name, values) in enumerate(series.items())
    )
    how = f'<c:barDir val="{direction}"/><c:grouping val="clustered"/>' if kind == "barChart" else '<c:grouping val="standard"/>' if kind == "lineChart" else ""
    xml = (
        f'{_HEAD}<c:chartSpace xmlns:c="{_C}" xmlns:a="{_A}" xmlns:r="{_R}"><c:chart><c:autoTitleDeleted val="1"/><c:plotArea><c:layout/>'
        f"<c:{kind}>{how}{plots}{axes}</c:{kind}>{axis.format('catAx', 1, 'b', 2) + axis.format('valAx', 2, 'l', 1) if axes else ''}"
        "</c:plotArea><c:plotVisOnly val=\"1\"/></c:chart></c:chartSpace>"
    )
    return Slide(
        title, layout="Title Only", shapes=[chart_frame()],
        relationships={"rId9": ("chart", "/ppt/charts/chart1.xml")},
        parts={"/ppt/charts/chart1.xml": (f"{_TYPE}drawingml.chart+xml", xml.encode())},
    )  # fmt: skip


def png(colour: tuple[int, int, int] = (200, 30, 30)) -> bytes:
    """A picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = (1).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" + bytes(colour), 9)) + chunk(b"IEND", b"")


def picture(name: str = "Picture 6", alt: str = "", relationship: str = "rId8", frame: tuple[int, int, int, int] = (914400, 1828800, 1828800, 1828800)) -> str:
    """A picture shape."""
    x, y, width, height = frame
    return (
        f'<p:pic><p:nvPicPr><p:cNvPr id="6" name={quoteattr(name)} descr={quoteattr(alt)}/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill>'
        f'<a:blip r:embed="{relationship}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="{x}" y="{y}"/>'
        f'<a:ext cx="{width}" cy="{height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>'
    )


def picture_slide(title: str, alt: str = "", colour: tuple[int, int, int] = (200, 30, 30)) -> Slide:
    """A slide with a picture."""
    return Slide(
        title, layout="Title Only", shapes=[picture(alt=alt)], relationships={"rId8": ("image", "/ppt/media/image1.png")},
        parts={"/ppt/media/image1.png": ("image/png", png(colour))},
    )  # fmt: skip


FADE = '<p:transition spd="slow"><p:fade/></p:transition>'


def appear(identifier: int) -> str:
    """An animation that lets a shape appear on a click."""
    return (
        '<p:timing><p:tnLst><p:par><p:cTn id="1" dur="indefinite" restart="never" nodeType="tmRoot"><p:childTnLst><p:par><p:cTn id="5" presetID="1" '
        'presetClass="entr" nodeType="clickEffect"><p:childTnLst><p:set><p:cBhvr><p:cTn id="6" dur="1"/><p:tgtEl>'
        f'<p:spTgt spid="{identifier}"/></p:tgtEl><p:attrNameLst><p:attrName>style.visibility</p:attrName></p:attrNameLst></p:cBhvr><p:to>'
        '<p:strVal val="visible"/></p:to></p:set></p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>'
    )


_LAYOUTS = {
    "Title and Content": placeholder("Title 1", 'type="title"', ["Click to edit the title"])
    + placeholder("Content Placeholder 2", 'idx="1"', ["Click to edit the text"], 3),
    "Title Only": placeholder("Title 1", 'type="title"', ["Click to edit the title"]),
}


def _master() -> str:
    def shape(name: str, kind: str, identifier: int, y: int, height: int) -> str:
        text = placeholder(name, kind, ["Click to edit"], identifier)
        where = f'<p:spPr><a:xfrm><a:off x="457200" y="{y}"/><a:ext cx="8229600" cy="{height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>'
        return text.replace("<p:spPr/>", where)

    def style(tag: str, size: int) -> str:
        run = f'<a:defRPr sz="{size}"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr>'
        return f"<p:{tag}><a:lvl1pPr>{run}</a:lvl1pPr><a:lvl2pPr>{run}</a:lvl2pPr></p:{tag}>"

    layouts = "".join(f'<p:sldLayoutId id="{2147483650 + number}" r:id="rId{number}"/>' for number in range(1, len(_LAYOUTS) + 1))
    return (
        f'{_HEAD}<p:sldMaster {_NS}><p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg><p:spTree>{_TREE}'
        f"{shape('Title Placeholder 1', 'type=' + quoteattr('title'), 2, 274638, 1143000)}"
        f"{shape('Text Placeholder 2', 'type=' + quoteattr('body') + ' idx=' + quoteattr('1'), 3, 1600200, 4525963)}</p:spTree></p:cSld>"
        '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" '
        f'accent6="accent6" hlink="hlink" folHlink="folHlink"/><p:sldLayoutIdLst>{layouts}</p:sldLayoutIdLst>'
        f"<p:txStyles>{style('titleStyle', 4400)}{style('bodyStyle', 2800)}{style('otherStyle', 1800)}</p:txStyles></p:sldMaster>"
    )


def _theme() -> str:
    colours = {
        "dk1": "000000", "lt1": "FFFFFF", "dk2": "1F497D", "lt2": "EEECE1", "accent1": "4F81BD", "accent2": "C0504D", "accent3": "9BBB59",
        "accent4": "8064A2", "accent5": "4BACC6", "accent6": "F79646", "hlink": "0000FF", "folHlink": "800080",
    }  # fmt: skip
    scheme = "".join(f'<a:{slot}><a:srgbClr val="{value}"/></a:{slot}>' for slot, value in colours.items())
    fonts = "".join(f'<a:{which}Font><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:{which}Font>' for which in ("major", "minor"))
    fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    line = f'<a:ln w="9525">{fill}</a:ln>'
    effect = "<a:effectStyle><a:effectLst/></a:effectStyle>"
    formats = (
        f"<a:fillStyleLst>{fill * 3}</a:fillStyleLst><a:lnStyleLst>{line * 3}</a:lnStyleLst><a:effectStyleLst>{effect * 3}</a:effectStyleLst>"
        f"<a:bgFillStyleLst>{fill * 3}</a:bgFillStyleLst>"
    )
    return (
        f'{_HEAD}<a:theme xmlns:a="{_A}" name="Plain"><a:themeElements><a:clrScheme name="Plain">{scheme}</a:clrScheme><a:fontScheme name="Plain">'
        f'{fonts}</a:fontScheme><a:fmtScheme name="Plain">{formats}</a:fmtScheme></a:themeElements></a:theme>'
    )


def _relationships(targets: Mapping[str, tuple[str, str]]) -> str:
    rows = []
    for identifier, (kind, target) in targets.items():
        external = ' TargetMode="External"' if "://" in target or target.startswith("mailto:") else ""
        rows.append(f'<Relationship Id="{identifier}" Type="{_R}/{kind}" Target={quoteattr(target)}{external}/>')
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{"".join(rows)}</Relationships>'


def deck(slides: Sequence[Slide], *, presentation: str = "", parts: Mapping[str, tuple[str, bytes]] | None = None) -> bytes:
    """The bytes of a presentation. presentation: XML at the end of `p:presentation`;  parts: further parts of the package."""
    builder = _Builder()
    layouts = {name: f"/ppt/slideLayouts/slideLayout{number}.xml" for number, name in enumerate(_LAYOUTS, 1)}
    top: dict[str, tuple[str, str]] = {"rId1": ("slideMaster", "/ppt/slideMasters/slideMaster1.xml"), "rId2": ("theme", "/ppt/theme/theme1.xml")}
    identifiers = []
    for number in range(1, len(slides) + 1):
        top[f"rId{number + 10}"] = ("slide", f"/ppt/slides/slide{number}.xml")
        identifiers.append(f'<p:sldId id="{255 + number}" r:id="rId{number + 10}"/>')
    xml = (
        f'{_HEAD}<p:presentation {_NS}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst>'
        f'<p:sldIdLst>{"".join(identifiers)}</p:sldIdLst><p:sldSz cx="{WIDTH}" cy="{HEIGHT}"/><p:notesSz cx="{HEIGHT}" cy="{WIDTH}"/>{presentation}</p:presentation>'
    )
    builder.add("/ppt/presentation.xml", f"{_TYPE}presentationml.presentation.main+xml", xml, top)
    masters = {f"rId{number}": ("slideLayout", target) for number, target in enumerate(layouts.values(), 1)}
    masters["rId99"] = ("theme", "/ppt/theme/theme1.xml")
    builder.add("/ppt/slideMasters/slideMaster1.xml", f"{_TYPE}presentationml.slideMaster+xml", _master(), masters)
    for name, shapes in _LAYOUTS.items():
        layout = (
            f"{_HEAD}<p:sldLayout {_NS}><p:cSld name={quoteattr(name)}><p:spTree>{_TREE}{shapes}</p:spTree></p:cSld>"
            "<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>"
        )
        builder.add(layouts[name], f"{_TYPE}presentationml.slideLayout+xml", layout, {"rId1": ("slideMaster", "/ppt/slideMasters/slideMaster1.xml")})
    builder.add("/ppt/theme/theme1.xml", f"{_TYPE}theme+xml", _theme())
    for number, slide in enumerate(slides, 1):
        _add_slide(builder, number, slide, layouts[slide.layout])
    for name, (kind, data) in (parts or {}).items():
        builder.add(name, kind, data)
    return builder.build()


def _add_slide(builder: _Builder, number: int, slide: Slide, layout: str) -> None:
    shapes = [placeholder("Title 1", 'type="title"', [slide.title])] if slide.title is not None else []
    shapes += [placeholder("Content Placeholder 2", 'idx="1"', slide.body, 3)] if slide.body is not None else []
    name = f"/ppt/slides/slide{number}.xml"
    relationships = {"rId1": ("slideLayout", layout), **slide.relationships}
    if slide.notes is not None:
        notes = f"/ppt/notesSlides/notesSlide{number}.xml"
        relationships["rId2"] = ("notesSlide", notes)
        body = placeholder("Notes Placeholder 2", 'type="body" idx="1"', slide.notes.split("\n"), 3)
        page = f"{_HEAD}<p:notes {_NS}><p:cSld><p:spTree>{_TREE}{body}</p:spTree></p:cSld></p:notes>"
        builder.add(notes, f"{_TYPE}presentationml.notesSlide+xml", page, {"rId1": ("slide", name)})
    xml = (
        f"{_HEAD}<p:sld {_NS}{' show=' + quoteattr('0') if slide.hidden else ''}><p:cSld>{slide.background}<p:spTree>{_TREE}{''.join([*shapes, *slide.shapes])}"
        f"</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>{slide.after}</p:sld>"
    )
    builder.add(name, f"{_TYPE}presentationml.slide+xml", xml, relationships)
    for part, (kind, data) in slide.parts.items():
        builder.add(part, kind, data)


class _Builder:
    """Collects parts and writes them as a package."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[str, bytes]] = {}
        self._relationships: dict[str, str] = {}

    def add(self, name: str, kind: str, content: str | bytes, relationships: Mapping[str, tuple[str, str]] | None = None) -> None:
        """Add a part of a content type with its relationships."""
        self._parts[name] = (kind, content.encode("utf-8") if isinstance(content, str) else content)
        if relationships:
            folder, _, leaf = name.rpartition("/")
            self._relationships[f"{folder}/_rels/{leaf}.rels"] = _relationships(relationships)

    def build(self) -> bytes:
        """The bytes of the package."""
        types = "".join(f'<Override PartName={quoteattr(name)} ContentType="{kind}"/>' for name, (kind, _) in self._parts.items())
        default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        members = {
            "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">{default}{types}</Types>'.encode(),
            "_rels/.rels": _relationships({"rId1": ("officeDocument", "/ppt/presentation.xml")}).encode(),
            **{name.lstrip("/"): text.encode() for name, text in self._relationships.items()},
            **{name.lstrip("/"): data for name, (_, data) in self._parts.items()},
        }
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, data)
        return out.getvalue()
