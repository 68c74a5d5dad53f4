"""Small documents for the examples of predicates that look at any format."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relation'
    'ships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Target="word/document.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>',
}


def letter(*paragraphs: str, hidden: str = "") -> Callable[[], Mapping[str, bytes]]:
    """`letter.docx` with these paragraphs, and one more that no reader sees; for `Example.files` and `Example.source`."""

    def files() -> Mapping[str, bytes]:
        body = "".join(f"<w:p><w:r><w:t>{_escape(text)}</w:t></w:r></w:p>" for text in paragraphs)
        if hidden:
            body += f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{_escape(hidden)}</w:t></w:r></w:p>"
        parts = {**_PARTS, "word/document.xml": f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'}
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in parts.items():
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
        return {"letter.docx": out.getvalue()}

    return files


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
