"""The gate: what opens, what is refused, and under which code."""

from __future__ import annotations

import contextlib
import io
import random
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.core.limits import Limits
from docops.formats.ooxml.common import expect_main
from docops.formats.ooxml.package import MAX_ATTRIBUTES, open_package
from tests.formats.ooxml.packages import DOCUMENT, MAIN, SHARED, W, content_types, corpus, members, pack, relationships

DAMAGED = FindingCode.ARTIFACT_UNREADABLE
LIMIT = FindingCode.LIMIT_EXCEEDED
TYPE = FindingCode.ARTIFACT_WRONG_TYPE
ENCRYPTED = FindingCode.ARTIFACT_ENCRYPTED


def refused(data: bytes, limits: Limits | None = None) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        read_all(data, limits)
    return caught.value


def read_all(data: bytes, limits: Limits | None = None) -> None:
    package = open_package(data, limits) if limits else open_package(data)
    for part in package.parts.values():
        assert part.data is not None
        if part.is_xml:
            assert part.xml is not None
    assert package.main


def text_of(data: bytes) -> str:
    return "".join(map(str, open_package(data).main.xml.itertext()))


@pytest.mark.parametrize(
    ("declared", "encoded"),
    [
        ("UTF-8", "utf-8"),
        ("utf-8", "utf-8-sig"),
        ("UTF-16", "utf-16"),
        ("UTF-16", "utf-16-le"),
        ("UTF-16", "utf-16-be"),
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("us-ascii", "ascii"),
        ("UTF-16", "utf-8"),
    ],
)
def test_encodings_that_programs_write_are_read(declared: str, encoded: str) -> None:
    word = "Hello" if encoded == "ascii" else "Größe"
    document = f'<?xml version="1.0" encoding="{declared}"?>' + DOCUMENT.replace("Hello", word)
    assert text_of(pack(members(document.encode(encoded)))) == word


@pytest.mark.parametrize(("declared", "encoded"), [("UTF-32", "utf-32"), ("UTF-7", "utf-7"), ("x-unknown", "ascii"), ("IBM037", "cp037")])
def test_other_encodings_are_refused(declared: str, encoded: str) -> None:
    document = f'<?xml version="1.0" encoding="{declared}"?>' + DOCUMENT
    assert refused(pack(members(document.encode(encoded)))).code is DAMAGED


DOCTYPE = '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("before", ["", "<!-- a -->", "<?pi?>\n <!-- < -->"])
def test_document_type_declarations_are_refused_in_every_encoding(encoding: str, before: str) -> None:
    assert refused(pack(members((before + DOCTYPE + DOCUMENT).encode(encoding)))).code is LIMIT


def test_a_declaration_behind_a_long_prolog_or_in_any_part_is_refused() -> None:
    assert refused(pack(members("<!--" + "x" * 100_000 + "-->" + DOCTYPE + DOCUMENT))).code is LIMIT
    assert refused(pack(members(parts={"word/styles.xml": DOCTYPE + "<a/>"}))).code is LIMIT


def test_utf7_does_not_smuggle_a_declaration() -> None:
    assert refused(pack(members('<?xml version="1.0" encoding="UTF-7"?>+ADw-!DOCTYPE a+AD4-' + DOCUMENT))).code is DAMAGED


def test_text_that_looks_like_a_declaration_is_text() -> None:
    assert text_of(pack(members(DOCUMENT.replace("Hello", "<![CDATA[<!DOCTYPE html>]]>")))) == "<!DOCTYPE html>"


def test_pictures_and_web_pages_may_hold_declarations() -> None:
    svg = b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><svg/>'
    data = pack(members(parts={"word/media/a.svg": svg}, types={"word/media/a.svg": "image/svg+xml"}))
    assert open_package(data).parts["/word/media/a.svg"].data == svg


def test_floods_are_refused_before_a_tree_is_built() -> None:
    limits = Limits(elements=1000, total_elements=1500, ratio=10_000)
    body = DOCUMENT.replace("<w:p>", "<w:p/>" * 1001 + "<w:p>", 1)
    assert "elements" in refused(pack(members(body)), limits).message
    half = DOCUMENT.replace("<w:p>", "<w:p/>" * 900 + "<w:p>", 1)
    assert "in all parts" in refused(pack(members(half, parts={"word/a.xml": half})), limits).message
    attributes = DOCUMENT.replace("<w:body>", "<w:body " + " ".join(f"a{n}='{n}'" for n in range(1600)) + ">")
    assert "attributes" in refused(pack(members(attributes)), limits).message


def test_twenty_million_elements_are_refused_from_the_directory() -> None:
    document = f'<w:document xmlns:w="{W}">' + "<w:p/>" * 20_000_000 + "</w:document>"
    assert refused(pack(members(document))).code is LIMIT


def test_deep_nesting_is_a_limit() -> None:
    random_names = [f"n{random.Random(n).randrange(10**6)}" for n in range(1000)]  # noqa: S311
    document = f'<w:document xmlns:w="{W}">{"".join(f"<{name}>" for name in random_names)}{"".join(f"</{name}>" for name in reversed(random_names))}</w:document>'
    assert refused(pack(members(document))).code is LIMIT


def test_bombs_are_refused_as_declared_and_as_streamed() -> None:
    zeros = b"\0" * 40_000_000
    data = pack(members(parts={"word/media/a.png": zeros}))
    assert refused(data).code is LIMIT
    lying = data.replace(struct.pack("<I", len(zeros)), struct.pack("<I", 5))
    error = refused(lying)
    assert error.code is LIMIT
    assert "compressed" in error.message
    assert refused(pack(members(parts={"word/media/a.png": b"abc" * 1000})), Limits(total_bytes=2000)).code is LIMIT
    assert refused(pack(members(parts={f"word/{n}.png": b"" for n in range(50)})), Limits(entries=20)).code is LIMIT


def test_a_member_with_more_than_it_declares_is_damaged() -> None:
    data = pack(members(parts={"word/media/a.png": b"abc" * 1000})).replace(struct.pack("<I", 3000), struct.pack("<I", 5))
    assert refused(data).code is DAMAGED


@pytest.mark.parametrize("name", ["../evil.xml", "word/../../x.xml", "/etc/../../x", "C:/x.xml", "word\\..\\..\\x.xml", "word/%2e%2e/%2e%2e/x.xml"])
def test_names_that_leave_the_archive_are_refused(name: str) -> None:
    assert refused(pack({**members(), name: "<a/>"})).code is DAMAGED


@pytest.mark.parametrize("name", ["Word/Document.xml", "word/docu%6Dent.xml", "word//document.xml", "./word/document.xml", "/word/document.xml"])
def test_two_names_of_one_part_are_refused(name: str) -> None:
    assert refused(pack({**members(), name: DOCUMENT})).code is DAMAGED


def test_equal_names_are_refused() -> None:
    stream = io.BytesIO(pack(members()))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("word/document.xml", DOCUMENT)
    assert refused(stream.getvalue()).code is DAMAGED


def test_headers_that_disagree_are_refused() -> None:
    data = pack(members())
    assert "names" in refused(data.replace(b"word/document.xml", b"word/documenT.xml", 1)).message
    at = data.index(b"word/document.xml") - 30
    assert "methods" in refused(data[: at + 8] + b"\0\0" + data[at + 10 :]).message
    assert "sizes" in refused(data[: at + 22] + b"\1\1\0\0" + data[at + 26 :]).message


def test_overlapping_members_are_refused() -> None:
    data = pack(members(parts={"word/a.xml": "<aaaa/>", "word/b.xml": "<aaaa/>"}), zipfile.ZIP_STORED)
    second = data.rindex(b"PK\x01\x02")
    first = data.rindex(b"PK\x01\x02", 0, second)
    offset = data[first + 42 : first + 46]
    assert refused(data[: second + 42] + offset + data[second + 46 :]).code is DAMAGED


def test_truncated_ambiguous_and_shifted_archives_are_damaged() -> None:
    data = pack(members())
    for cut in (len(data) - 1, len(data) - 22, len(data) // 2, 40):
        assert refused(data[:cut]).code is DAMAGED
    assert refused(data + pack(members(DOCUMENT.replace("Hello", "Other")))).code is DAMAGED
    assert refused(b"PK\x03\x04garbage" + data).code is DAMAGED


def test_bytes_after_the_archive_change_nothing() -> None:
    assert text_of(pack(members()) + b"\0" * 100) == "Hello"


def test_every_flipped_byte_gives_a_document_or_one_error() -> None:
    data = pack(members())
    for position in range(0, len(data), 3):
        changed = data[:position] + bytes([data[position] ^ 0x41]) + data[position + 1 :]
        with contextlib.suppress(Unreadable):
            read_all(changed)


def test_comments_folders_and_leading_slashes_change_nothing() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.comment = b"made by hand"
        archive.writestr("word/", b"")
        for name, content in members().items():
            info = zipfile.ZipInfo("/" + name)
            info.extra = struct.pack("<HH4s", 0xA220, 4, b"abcd")
            archive.writestr(info, content)
    assert text_of(stream.getvalue()) == "Hello"


def test_zip64_and_data_descriptors_are_read() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members().items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(content.encode() if isinstance(content, str) else content)
    assert text_of(stream.getvalue()) == "Hello"

    class Pipe(io.RawIOBase):
        data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members().items():
            archive.writestr(name, content)
    assert text_of(pipe.data) == "Hello"


def test_kinds_of_files_that_are_no_package() -> None:
    assert refused(b"").code is DAMAGED
    assert refused(b"\0" * 500).code is DAMAGED
    assert refused(b"%PDF-1.7\n").code is TYPE
    assert refused(b"plain text").code is TYPE
    assert refused(pack({"a.txt": "x"})).code is TYPE
    assert refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600).code is TYPE
    assert refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")).code is ENCRYPTED
    visio = {"[Content_Types].xml": content_types({}), "_rels/.rels": relationships([("a", "http://schemas.microsoft.com/visio/2010/relationships/document", "x.xml")]), "x.xml": "<a/>"}
    assert refused(pack(visio)).code is TYPE
    assert refused(pack({**members(), "_rels/.rels": relationships([])})).code is DAMAGED


def test_encrypted_members_are_named_as_such() -> None:
    data = pack(members())
    at = data.rindex(b"PK\x01\x02")
    assert refused(data[: at + 8] + b"\1\0" + data[at + 10 :]).code is ENCRYPTED


def test_expect_main_tells_formats_apart_by_content_not_by_name() -> None:
    package = open_package(pack(members()))
    assert expect_main(package, "docx").name == "/word/document.xml"
    for other in ("xlsx", "pptx"):
        with pytest.raises(Unreadable) as caught:
            expect_main(package, other)
        assert caught.value.code is TYPE
    generic = open_package(pack(members(main_type="application/xml")))
    assert expect_main(generic, "docx").name == "/word/document.xml"
    binary = open_package(pack(members(main_type="application/vnd.ms-excel.sheet.binary.macroEnabled.main", document=b"\x83\x01")))
    with pytest.raises(Unreadable) as caught:
        expect_main(binary, "xlsx")
    assert caught.value.code is TYPE


@pytest.mark.parametrize(
    ("format_name", "kind"),
    [
        ("docx", MAIN),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"),
        ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml"),
    ],
)
@pytest.mark.parametrize("document", ["<a/>", '<document xmlns="urn:other"/>', f'<w:body xmlns:w="{W}"><w:p/></w:body>', '<m:math xmlns:m="urn:m"/>'])
def test_a_main_part_with_another_root_is_damaged_in_every_format(format_name: str, kind: str, document: str) -> None:
    with pytest.raises(Unreadable) as caught:
        expect_main(open_package(pack(members(document, main_type=kind))), format_name)
    assert caught.value.code is DAMAGED


def test_targets_are_found_whatever_their_spelling() -> None:
    for target in ("styles.xml", "/word/styles.xml", "../word/styles.xml", "Styles.XML", "sty%6Ces.xml", "./styles.xml"):
        data = pack(members(parts={"word/styles.xml": "<a/>"}, rels={"word/document.xml": [("rId1", "styles", target)]}))
        assert [part.name for part in open_package(data).main.related("styles")] == ["/word/styles.xml"]


def test_dangling_relationships_open() -> None:
    package = open_package(pack(members(rels={"word/document.xml": [("rId1", "styles", "gone.xml"), ("rId2", "hyperlink", "https://a.example/")]})))
    assert package.main.related("styles") == []
    assert package.main.target("rId1") is None
    assert package.main.relationships["rId2"].external


def test_loose_legacy_drawings_are_read() -> None:
    vml = '<xml xmlns:v="urn:schemas-microsoft-com:vml"><v:shape id="a"><v:textbox><br>text</v:textbox></v:shape></xml>'
    data = pack(members(parts={"word/vml.vml": vml}, types={"word/vml.vml": "application/vnd.openxmlformats-officedocument.vmlDrawing"}))
    assert "text" in "".join(map(str, open_package(data).parts["/word/vml.vml"].xml.itertext()))


def test_a_legacy_drawing_without_any_element_is_damaged() -> None:
    data = pack(members(parts={"word/vml.vml": ""}, types={"word/vml.vml": "application/vnd.openxmlformats-officedocument.vmlDrawing"}))
    assert refused(data).code is DAMAGED


@pytest.mark.parametrize("equals", ["=", " = "])
def test_floods_of_attributes_in_one_element_are_a_limit(equals: str) -> None:
    def tag(number: int) -> str:
        attributes = " ".join(f'a{count}{equals}"{">" if count % 2 else ""}"' for count in range(number))
        return f'<w:document xmlns:w="{W}"><w:body><w:p {attributes}/></w:body></w:document>'

    assert refused(pack(members(tag(MAX_ATTRIBUTES + 1)))).code is LIMIT
    read_all(pack(members(tag(MAX_ATTRIBUTES))))
    text = f'<w:document xmlns:w="{W}"><w:body><w:p>{"=" * 10_000}</w:p></w:body></w:document>'
    read_all(pack(members(text)))


def test_main_content_types_are_case_insensitive() -> None:
    assert expect_main(open_package(pack(members(main_type=MAIN.upper()))), "docx")


HOSTILE = {
    "duplicate-zip-entries.xlsx": DAMAGED,
    "entity-expansion-bomb.xlsx": LIMIT,
    "external-entity.docx": LIMIT,
    "fuzz-central-directory.pptx": DAMAGED,
    "password-encrypted-ole2.xlsx": ENCRYPTED,
    "truncated-zip.docx": DAMAGED,
    "huge-dimension.xlsx": None,
    "missing-part.docx": None,
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_corpus(name: str) -> None:
    path = SHARED / "corpus" / "hostile" / name
    if not path.exists():
        pytest.skip("no shared corpus")
    code = HOSTILE[name]
    if code is None:
        assert open_package(path.read_bytes()).main
    else:
        assert refused(path.read_bytes()).code is code


@pytest.mark.parametrize("path", corpus("xlsx", "docx", "pptx"), ids=lambda path: path.name)
def test_real_files_are_never_refused(path: Path) -> None:
    package = open_package(path.read_bytes())
    assert expect_main(package, {"x": "xlsx", "d": "docx", "p": "pptx"}[path.suffix[1]])
    for part in package.parts.values():
        assert part.data is not None
        if part.is_xml:
            assert part.xml is not None
        assert part.relationships is not None
