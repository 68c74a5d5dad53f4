"""Controls that are bound to custom XML: what they show must be what is stored."""

from __future__ import annotations

import pytest

from docops.formats.docx import FORMAT
from docops.formats.docx.document import open_docx
from docops.formats.docx.samples import docx
from tests.formats.docx.rewriting import changes, members, package, places, replaced

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_STORE = "{11111111-2222-3333-4444-555555555555}"


def _control(kind: str, path: str, shown: str) -> str:
    binding = f'<w:dataBinding w:prefixMappings="xmlns:n=\'urn:n\'" w:xpath="{path}" w:storeItemID="{_STORE}"/>'
    return f"<w:p><w:sdt><w:sdtPr>{binding}{kind}</w:sdtPr><w:sdtContent><w:r><w:t>{shown}</w:t></w:r></w:sdtContent></w:sdt></w:p>"


def report(client: str, state: str = "Open") -> bytes:
    listed = '<w:dropDownList><w:listItem w:displayText="Open" w:value="o"/><w:listItem w:displayText="Closed" w:value="c"/></w:dropDownList>'
    data = docx(
        _control("<w:text/>", "/n:data[1]/n:client[1]", client),
        _control(listed, "/n:data/n:state", state),
        _control("<w:text/>", "/n:data/n:client/@id", "7"),
        _control("<w:text/>", "//n:client | //n:state", "anything"),
    )
    parts = members(data)
    parts["customXml/item1.xml"] = b'<n:data xmlns:n="urn:n"><n:client id="7">Acme</n:client><n:state>o</n:state></n:data>'
    parts["customXml/itemProps1.xml"] = f'<ds:datastoreItem xmlns:ds="{_OFFICE}/customXml" ds:itemID="{_STORE}"/>'.encode()
    parts["customXml/_rels/item1.xml.rels"] = (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/relationships/customXmlProps" Target="itemProps1.xml"/></Relationships>'
    ).encode()
    parts["word/_rels/document.xml.rels"] = parts["word/_rels/document.xml.rels"].replace(
        b"</Relationships>", f'<Relationship Id="c" Type="{_OFFICE}/relationships/customXml" Target="../customXml/item1.xml"/></Relationships>'.encode()
    )
    return package(parts)


def stale(data: bytes) -> list[tuple[str, object, object]]:
    assert FORMAT.stale is not None
    return [(one.address, one.cached, one.derived) for one in FORMAT.stale(open_docx(data), open_docx(report("Acme")))]


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (report("Acme"), []),
        (report("Bolt"), [("body/paragraph[1]", "Bolt", "Acme")]),
        (report("Acme", "Closed"), [("body/paragraph[2]", "c", "o")]),
        (replaced(report("Bolt"), ">Acme<", ">Bolt<", "customXml/item1.xml"), []),
    ],
)
def test_a_control_that_shows_another_value_than_it_is_bound_to_is_stale(output: bytes, found: list[tuple[str, object, object]]) -> None:
    assert stale(output) == found


def test_the_bound_value_itself_is_state() -> None:
    changed = replaced(report("Acme"), ">Acme<", ">Bolt<", "customXml/item1.xml")
    assert places(changes(report("Acme"), changed)) == {'part["/customXml/item1.xml"]'}
    assert stale(changed) == [("body/paragraph[1]", "Acme", "Bolt")]
