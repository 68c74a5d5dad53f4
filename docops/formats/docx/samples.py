"""Small documents from one-line notation, for examples and tests.

    docx("# Report", "Revenue **rose** to [-5-][+7+].", "- first", "1. step", "| Item | Qty |", "| Pump | 4 |", header="Draft")

Lines: `# ` to `###### ` heading, `- ` bullet, `1. ` numbered item, `| a | b |` table row (consecutive rows are one table),
`<w:…>` markup as it is, everything else a paragraph; `Style name:: text` a paragraph of a style.
Inside: `**bold**`, `==highlighted==`, `~~hidden~~`, `[+inserted+]`, `[-deleted-]`, `[label](target)`, `{PAGE|2}` field and
result, `[^footnote^]`, `[!text!comment]`, `[#name:text]` bookmark, `[=tag:text]` content control, `![alt text]` picture.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping

from docops.formats.docx.names import NS_A, NS_M, NS_MC, NS_O, NS_R, NS_V, NS_W, NS_W14, NS_WP
from docops.formats.ooxml.writing import escape, quoteattr

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": NS_W, "r": NS_R, "m": NS_M, "mc": NS_MC, "wp": NS_WP, "a": NS_A, "v": NS_V, "o": NS_O, "w14": NS_W14,
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape", "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    }.items()
)  # fmt: skip
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_DATE = "2024-01-05T10:00:00Z"
_AUTHOR = "Ana"
#: One transparent pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)

_TOKENS = re.compile(
    r"\*\*(?P<bold>.+?)\*\*|==(?P<mark>.+?)==|~~(?P<hidden>.+?)~~|\[\+(?P<ins>.+?)\+\]|\[-(?P<del>.+?)-\]|!\[(?P<picture>.*?)\]"
    r"|\[\^(?P<note>.+?)\^\]|\[!(?P<over>.+?)!(?P<comment>.+?)\]|\[#(?P<name>\w+):(?P<named>.*?)\]|\[=(?P<tag>[\w.]+):(?P<value>.*?)\]"
    r"|\{(?P<code>[^|{}]+)\|(?P<result>.*?)\}|\[(?P<label>[^\]]+)\]\((?P<target>[^)]+)\)"
)
_STYLES = {
    "Title": "Title", "Subtitle": "Subtitle", "Quote": "Quote", "Caption": "caption", "Header": "header", "Footer": "footer",
    **{f"Heading{n}": f"heading {n}" for n in range(1, 7)}, "ListParagraph": "List Paragraph",
}  # fmt: skip


class _Builder:
    def __init__(self) -> None:
        self.ids = 0
        self.relations: list[tuple[str, str, str, bool]] = []
        self.footnotes: list[str] = []
        self.comments: list[str] = []
        self.pictures = 0

    def next_id(self) -> int:
        self.ids += 1
        return self.ids

    def relation(self, kind: str, target: str, external: bool = False) -> str:
        self.relations.append((f"rId{len(self.relations) + 1}", f"{_OFFICE}/{kind}", target, external))
        return self.relations[-1][0]

    def inline(self, text: str) -> str:
        out: list[str] = []
        at = 0
        for match in _TOKENS.finditer(text):
            out.append(_run(text[at : match.start()]))
            out.append(self.token(match))
            at = match.end()
        out.append(_run(text[at:]))
        return "".join(out)

    def token(self, match: re.Match[str]) -> str:
        found = {name: value for name, value in match.groupdict().items() if value is not None}
        who = f'w:id="{self.next_id()}" w:author="{_AUTHOR}" w:date="{_DATE}"'
        if "bold" in found:
            return _run(found["bold"], "<w:b/>")
        if "mark" in found:
            return _run(found["mark"], '<w:highlight w:val="yellow"/>')
        if "hidden" in found:
            return _run(found["hidden"], "<w:vanish/>")
        if "ins" in found:
            return f"<w:ins {who}>{_run(found['ins'])}</w:ins>"
        if "del" in found:
            return f"<w:del {who}>{_run(found['del'], tag='delText')}</w:del>"
        if "picture" in found:
            return self.picture(found["picture"])
        if "note" in found:
            self.footnotes.append(found["note"])
            return f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="{len(self.footnotes) + 1}"/></w:r>'
        if "comment" in found:
            self.comments.append(found["comment"])
            key = len(self.comments)
            mark = f'<w:r><w:commentReference w:id="{key}"/></w:r>'
            return f'<w:commentRangeStart w:id="{key}"/>{_run(found["over"])}<w:commentRangeEnd w:id="{key}"/>{mark}'
        if "name" in found:
            key = self.next_id()
            return f'<w:bookmarkStart w:id="{key}" w:name={quoteattr(found["name"])}/>{_run(found["named"])}<w:bookmarkEnd w:id="{key}"/>'
        if "tag" in found:
            return f'<w:sdt><w:sdtPr><w:tag w:val={quoteattr(found["tag"])}/></w:sdtPr><w:sdtContent>{_run(found["value"])}</w:sdtContent></w:sdt>'
        if "code" in found:
            begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
            code = f'<w:r><w:instrText xml:space="preserve"> {escape(found["code"])} </w:instrText></w:r>'
            return f"{begin}{code}{separate}{_run(found['result'])}{end}"
        if found["target"].startswith("#"):
            return f'<w:hyperlink w:anchor={quoteattr(found["target"][1:])}>{_run(found["label"])}</w:hyperlink>'
        return f'<w:hyperlink r:id="{self.relation("hyperlink", found["target"], True)}">{_run(found["label"])}</w:hyperlink>'

    def picture(self, alt: str) -> str:
        self.pictures += 1
        key = self.relation("image", "media/image1.png")
        return (
            '<w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="609600"/>'
            f'<wp:docPr id="{self.pictures}" name="Picture {self.pictures}" descr={quoteattr(alt)}/>'
            '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>'
            f'<pic:nvPicPr><pic:cNvPr id="0" name="image.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="{key}"/>'
            '<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="609600"/></a:xfrm>'
            '<a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
        )

    def block(self, line: str) -> str:
        if line.startswith("<w:"):
            return line
        heading = re.match(r"(#{1,6}) (.*)", line, re.DOTALL)
        if heading:
            return _paragraph(self.inline(heading.group(2)), f'<w:pStyle w:val="Heading{len(heading.group(1))}"/>')
        item = re.match(r"(-|\d+\.) (.*)", line, re.DOTALL)
        if item:
            num = 1 if item.group(1) == "-" else 2
            return _paragraph(self.inline(item.group(2)), f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{num}"/></w:numPr>')
        styled = re.match(r"([A-Z]\w*):: (.*)", line, re.DOTALL)
        if styled:
            return _paragraph(self.inline(styled.group(2)), f'<w:pStyle w:val="{styled.group(1)}"/>')
        return _paragraph(self.inline(line))

    def body(self, lines: tuple[str, ...]) -> Iterator[str]:
        rows: list[list[str]] = []
        for line in (*lines, None):
            if line is not None and line.startswith("|"):
                rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
                continue
            if rows:
                yield self.table(rows)
                rows = []
            if line is not None:
                yield self.block(line)

    def table(self, rows: list[list[str]]) -> str:
        grid = "".join('<w:gridCol w:w="2400"/>' for _ in max(rows, key=len))
        body = "".join(f"<w:tr>{''.join(f'<w:tc>{_paragraph(self.inline(cell))}</w:tc>' for cell in row)}</w:tr>" for row in rows)
        return f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{body}</w:tbl>'


def _run(text: str, properties: str = "", tag: str = "t") -> str:
    if not text:
        return ""
    r_pr = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{r_pr}<w:{tag} xml:space="preserve">{escape(text)}</w:{tag}></w:r>'


def _paragraph(content: str, properties: str = "") -> str:
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{content}</w:p>"


def _styles(extra: str) -> str:
    out = ['<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>']
    out.append('<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>')
    for key, name in _STYLES.items():
        level = int(key[-1]) if key.startswith("Heading") else None
        p_pr = f'<w:pPr><w:keepNext/><w:outlineLvl w:val="{level - 1}"/></w:pPr>' if level else ""
        r_pr = "<w:rPr><w:b/></w:rPr>" if level else ""
        out.append(f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/><w:basedOn w:val="Normal"/>{p_pr}{r_pr}</w:style>')
    return f"<w:styles {_NAMESPACES}>{''.join(out)}{extra}</w:styles>"


_NUMBERING = "".join(
    f'<w:abstractNum w:abstractNumId="{n}"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="{fmt}"/><w:lvlText w:val="{text}"/></w:lvl></w:abstractNum>'
    for n, (fmt, text) in enumerate((("bullet", "•"), ("decimal", "%1.")), 1)
) + "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in (1, 2))


def docx(
    *lines: str, header: str = "", footer: str = "", landscape: bool = False, settings: str = "", styles: str = "", parts: Mapping[str, str] | None = None
) -> bytes:
    """The bytes of a document of the lines (see the module's description).

    header, footer: a line each, in the same notation.   settings, styles: markup to add to those parts.
    parts: further members by name.   The same arguments give the same bytes.
    """
    builder = _Builder()
    body = "".join(builder.body(lines))
    references = ""
    members: dict[str, str | bytes] = {}
    for kind, tag, text in (("header", "hdr", header), ("footer", "ftr", footer)):
        if text:
            members[f"word/{kind}1.xml"] = f"<w:{tag} {_NAMESPACES}>{_Builder().block(text)}</w:{tag}>"
            references += f'<w:{kind}Reference w:type="default" r:id="{builder.relation(kind, f"{kind}1.xml")}"/>'
    size = 'w:w="15840" w:h="12240" w:orient="landscape"' if landscape else 'w:w="12240" w:h="15840"'
    margins = '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/>'
    members["word/document.xml"] = (
        f"<w:document {_NAMESPACES}><w:body>{body}<w:sectPr>{references}<w:pgSz {size}/>{margins}</w:sectPr></w:body></w:document>"
    )
    members["word/styles.xml"] = _styles(styles)
    members["word/numbering.xml"] = f"<w:numbering {_NAMESPACES}>{_NUMBERING}</w:numbering>"
    members["word/settings.xml"] = f"<w:settings {_NAMESPACES}>{settings}</w:settings>"
    for kind in ("styles", "numbering", "settings"):
        builder.relation(kind, f"{kind}.xml")
    if builder.footnotes:
        notes = "".join(f'<w:footnote w:id="{n}">{_paragraph(_run(text))}</w:footnote>' for n, text in enumerate(builder.footnotes, 2))
        members["word/footnotes.xml"] = f"<w:footnotes {_NAMESPACES}>{notes}</w:footnotes>"
        builder.relation("footnotes", "footnotes.xml")
    if builder.comments:
        notes = "".join(
            f'<w:comment w:id="{n}" w:author="{_AUTHOR}" w:date="{_DATE}">{_paragraph(_run(text))}</w:comment>' for n, text in enumerate(builder.comments, 1)
        )
        members["word/comments.xml"] = f"<w:comments {_NAMESPACES}>{notes}</w:comments>"
        builder.relation("comments", "comments.xml")
    if builder.pictures:
        members["word/media/image1.png"] = PIXEL
    members.update(parts or {})
    return _package(members, builder.relations)



def _package(members: Mapping[str, str | bytes], relations: list[tuple[str, str, str, bool]]) -> bytes:
    types = {"word/document.xml": "document.main", **{name: name.removeprefix("word/").removesuffix(".xml").rstrip("0123456789") for name in members}}
    types["word/document.xml"] = "document.main"
    overrides = "".join(f'<Override PartName="/{name}" ContentType="{_TYPE}{kind}+xml"/>' for name, kind in types.items() if name.endswith(".xml"))
    content_types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )
    package = [("rId1", f"{_OFFICE}/officeDocument", "word/document.xml", False)]
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": content_types,
        "_rels/.rels": _relationships(package),
        **members,
        "word/_rels/document.xml.rels": _relationships(relations),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data if isinstance(data, bytes) else f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{data}'.encode())
    return buffer.getvalue()


def _relationships(relations: list[tuple[str, str, str, bool]]) -> str:
    rows = "".join(
        f'<Relationship Id="{key}" Type="{kind}" Target={quoteattr(target)}{" TargetMode=" + quoteattr("External") if external else ""}/>'
        for key, kind, target, external in relations
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'
