"""Canonical XML: equal for every way of writing the same, unequal for everything else."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docops.formats.ooxml.canonical import Canonicaliser, CanonicalRules, short_name
from docops.formats.ooxml.defaults import attribute_default, clark, default_rules
from docops.formats.ooxml.package import open_package
from tests.formats.ooxml.packages import DOCUMENT, corpus, members, pack

RULES = default_rules({clark("w:proofErr")}, {clark("w:rsidR")})

#: Names that the rules treat alike wherever they stand, with attributes that have no default.
TAGS = ["w:tbl", "w:tr", "a:gradFill", "x:row", "p:timing", "c:ser", "{urn:example}thing"]
ATTRIBUTES = ["w:val", "id", "r:embed", "{urn:example}note"]
TEXTS = ["w:t", "a:t", "x:v"]
#: Explicit defaults that may be written or not.
WRITTEN = {"x:row": [("hidden", ("0", "false")), ("collapsed", ("0",))], "w:t": [], "a:gradFill": [], "x:v": []}
TARGETS = ["https://a.example/", "https://b.example/", "https://c.example/"]


@dataclass
class Tree:
    """What is meant, without how it is written. attributes: `r:embed` holds the number of a target."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Tree] = field(default_factory=list)


values = st.text(alphabet="ab<&\"' \u00e4\U0001f600", max_size=6)
attributes = st.dictionaries(st.sampled_from(ATTRIBUTES), values, max_size=3)


@st.composite
def trees(draw: st.DrawFn, depth: int = 0) -> Tree:
    if depth > 0 and draw(st.integers(0, 3)) == 0:
        return Tree(draw(st.sampled_from(TEXTS)), {}, draw(values))
    found = draw(attributes)
    if "r:embed" in found:
        found["r:embed"] = draw(st.sampled_from(TARGETS))
    count = draw(st.integers(1 if depth == 0 else 0, 3 if depth < 3 else 0))
    return Tree(draw(st.sampled_from(TAGS)), found, "", [draw(trees(depth=depth + 1)) for _ in range(count)])


def write(tree: Tree, seed: int, *, spell: bool = True) -> bytes:
    """A package whose main part holds the tree, with everything that means nothing drawn from the seed."""
    draw = random.Random(seed)  # noqa: S311
    ids = draw.sample(range(1, 99), len(TARGETS))
    prefixes: dict[str, str] = {}

    def name(short: str) -> str:
        qualified = clark(short) if not short.startswith("{") else short
        if not qualified.startswith("{"):
            return qualified
        uri, _, local = qualified[1:].partition("}")
        prefix = prefixes.setdefault(uri, f"n{draw.randrange(1000)}x{len(prefixes)}")
        return f"{prefix}:{local}"

    def space() -> str:
        return draw.choice(["", "\n  ", "\t", " "]) if spell else ""

    def one(node: Tree) -> str:
        rows = []
        for key, value in node.attributes.items():
            shown = f"rId{ids[TARGETS.index(value)]}" if key == "r:embed" else escape(value)
            rows.append(f'{name(key)}="{shown}"')
        if spell:
            rows += [f'{key}="{draw.choice(spellings)}"' for key, spellings in WRITTEN.get(node.tag, []) if draw.random() < 0.5]
            rows += [f'{name("w:rsidR")}="00{draw.randrange(10)}"'] if draw.random() < 0.3 else []
        draw.shuffle(rows)
        start = " ".join([name(node.tag), *rows])
        if not node.children:
            return f"<{start}/>" if not node.text and draw.random() < 0.5 else f"<{start}>{escape(node.text)}</{name(node.tag)}>"
        inner = [one(child) for child in node.children]
        if spell and draw.random() < 0.3:
            inner.insert(draw.randrange(len(inner) + 1), f"<{name('w:proofErr')}/>")
        if spell and draw.random() < 0.3:
            inner.insert(draw.randrange(len(inner) + 1), "<!-- a -->")
        return f"<{start}>{space()}{''.join(text + space() for text in inner)}</{name(node.tag)}>"

    body = one(tree)
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for uri, prefix in prefixes.items())
    head, _, tail = body.partition(next(letter for letter in body if letter in " />" and body.index(letter) > 0))
    document = f"{head} {declared}{body[len(head)]}{tail}"
    relations = [(f"rId{number}", "hyperlink", target) for number, target in zip(ids, TARGETS)]
    draw.shuffle(relations)
    return pack(members(document, rels={"word/document.xml": relations}))


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def canonical(data: bytes, rules: CanonicalRules = RULES) -> str:
    package = open_package(data)
    return Canonicaliser(package, rules).element(package.main.xml, package.main)


@settings(max_examples=150, deadline=None)
@given(trees(), st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_way_of_writing_the_same_is_equal(tree: Tree, one: int, other: int) -> None:
    assert canonical(write(tree, one)) == canonical(write(tree, other)) == canonical(write(tree, 0, spell=False))


def every(tree: Tree) -> list[Tree]:
    return [tree, *(inner for child in tree.children for inner in every(child))]


@settings(max_examples=200, deadline=None)
@given(trees(), st.data())
def test_every_change_is_seen(tree: Tree, data: st.DataObject) -> None:
    changed = copy.deepcopy(tree)
    node = data.draw(st.sampled_from(every(changed)))
    kinds = ["tag"] if node.tag not in TEXTS else ["text"]
    if node.tag not in TEXTS:
        kinds += ["attribute added"] if len(node.attributes) < len(ATTRIBUTES) else []
    kinds += ["attribute changed", "attribute lost"] if node.attributes else []
    kinds += ["child lost", "child twice"] if node.children else []
    if len(node.children) > 1 and node.children[0] != node.children[1]:
        kinds.append("children swapped")
    match data.draw(st.sampled_from(kinds)):
        case "tag":
            node.tag = TAGS[TAGS.index(node.tag) - 1]
        case "text":
            node.text += "z"
        case "attribute added":
            key = next(key for key in ATTRIBUTES if key not in node.attributes)
            node.attributes[key] = TARGETS[0] if key == "r:embed" else "z"
        case "attribute changed":
            key = sorted(node.attributes)[0]
            node.attributes[key] = TARGETS[TARGETS.index(node.attributes[key]) - 1] if key == "r:embed" else node.attributes[key] + "z"
        case "attribute lost":
            del node.attributes[sorted(node.attributes)[0]]
        case "child lost":
            node.children.pop()
        case "child twice":
            node.children.append(copy.deepcopy(node.children[-1]))
        case _:
            node.children[:2] = reversed(node.children[:2])
    assert canonical(write(changed, 1)) != canonical(write(tree, 1))


def test_readable_text() -> None:
    assert canonical(pack(members())) == "<w:document><w:body><w:p><w:r><w:t>Hello</></></></></>"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('<w:b w:val="1"/>', "<w:b/>"),
        ('<w:b w:val="true"/>', '<w:b w:val="on"/>'),
        ('<w:b w:val="0"/>', '<w:b w:val="off"/>'),
        ("<w:pPr/>", ""),
        ('<a:outerShdw blurRad="0" rotWithShape="true"/>', "<a:outerShdw/>"),
        ("<a:p><a:r><a:rPr/><a:t>x</a:t></a:r><a:endParaRPr/></a:p>", "<a:p><a:r><a:t>x</a:t></a:r></a:p>"),
        ('<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>', '<a:prstGeom prst="rect"/>'),
        ('<p:cNvPr id="2" name="n" descr="" hidden="0"/>', '<p:cNvPr id="2" name="n"/>'),
        ('<c:overlay val="0"/>', ""),
        ("<c:extLst><c:ext uri='{A}'/></c:extLst>", ""),
        ('<x:sheetView showGridLines="1" view="normal"/>', "<x:sheetView/>"),
        ('<x:fonts count="2"><x:font/></x:fonts>', "<x:fonts><x:font/></x:fonts>"),
        ('<w:t xml:space="preserve">x</w:t>', "<w:t>x</w:t>"),
    ],
)
def test_defaults_and_empties_mean_nothing(one: str, other: str) -> None:
    assert canonical(document(one)) == canonical(document(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('<w:b w:val="0"/>', ""),
        ('<w:b w:val="0"/>', "<w:b/>"),
        ('<w:spacing w:before="0"/>', ""),
        ('<a:bodyPr upright="0"/>', ""),
        ("<a:effectLst/>", ""),
        ("<c:smooth/>", ""),
        ('<c:overlay val="1"/>', ""),
        ('<w:t xml:space="preserve"> x</w:t>', "<w:t> x</w:t>"),
        ("<w:t> </w:t>", "<w:t></w:t>"),
        ('<x:c t="str"/>', "<x:c/>"),
        ('<w:tcW w:w="0"/>', "<w:tcW/>"),
    ],
)
def test_what_overrides_an_inherited_value_is_kept(one: str, other: str) -> None:
    assert canonical(document(one)) != canonical(document(other))


def document(body: str) -> bytes:
    spaces = " ".join(f'xmlns:{prefix}="{clark(prefix + ":x")[1:-2]}"' for prefix in ("w", "a", "p", "c", "x", "r"))
    return pack(members(f"<w:document {spaces}><w:body>{body}</w:body></w:document>"))


def test_defaults_are_known_by_element() -> None:
    assert attribute_default(clark("x:c"), "t") == "n"
    assert attribute_default(clark("w:b"), clark("w:val")) == "1"
    assert attribute_default(clark("w:spacing"), clark("w:before")) is None


PICTURE = '<w:document xmlns:w="{w}" xmlns:r="{r}"><w:body><w:drawing r:embed="{id}"/></w:body></w:document>'
NAMES = {"w": clark("w:x")[1:-2], "r": clark("r:x")[1:-2]}


def picture(identifier: str, name: str, content: bytes, kind: str = "image/png") -> bytes:
    entries = members(
        PICTURE.format(**NAMES, id=identifier),
        parts={name: content},
        rels={"word/document.xml": [("zz", "image", "media/gone.png"), (identifier, "image", "/" + name)]},
        types={name: kind},
    )
    return pack(entries)


def test_a_relationship_stands_for_what_it_leads_to() -> None:
    one = canonical(picture("rId1", "word/media/image1.png", b"one"))
    assert one == canonical(picture("R7", "word/pictures/other.png", b"one"))
    assert one != canonical(picture("rId1", "word/media/image1.png", b"two"))
    assert one != canonical(picture("rId1", "word/media/image1.png", b"one", "image/gif"))
    assert canonical(picture("a", "word/a.jpg", b"", "image/jpg")) == canonical(picture("a", "word/a.jpg", b"", "image/jpeg"))


def test_packages_in_packages_are_compared_by_what_they_hold() -> None:
    inner = members(DOCUMENT, parts={"word/a.bin": b"x"})
    repacked = dict(reversed(list(inner.items())))
    changed = members(DOCUMENT.replace("Hello", "Other"), parts={"word/a.bin": b"x"})
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    one, other, third = (canonical(picture("a", "word/embeddings/a.docx", pack(entries, method), kind)) for entries, method in ((inner, 8), (repacked, 0), (changed, 8)))
    assert one == other != third


def circle(contents: tuple[str, ...], first: str = "p0", *, closed: bool = True) -> bytes:
    """Parts that point at each other in a circle (or chain), reached from the document."""
    parts: dict[str, str | bytes] = {f"word/p{n}.xml": f"<a>{text}</a>" for n, text in enumerate(contents)}
    size = len(contents)
    rels = {f"word/p{n}.xml": [("rId1", "customXml", f"p{(n + 1) % size}.xml")] for n in range(size if closed else size - 1)}
    return pack(members(PICTURE.format(**NAMES, id="rId9"), parts=parts, rels={"word/document.xml": [("rId9", "customXml", f"{first}.xml")], **rels}))


def test_parts_in_circles_and_long_chains_have_identities() -> None:
    one = canonical(circle(("a", "b", "c")))
    assert one == canonical(circle(("c", "a", "b"), "p1"))
    for changed in (("z", "b", "c"), ("a", "z", "c"), ("a", "b", "z")):
        assert canonical(circle(changed)) != one
    long = tuple(str(n) for n in range(2000))
    assert canonical(circle(long)) != canonical(circle((*long[:-1], "z")))
    assert canonical(circle(long, closed=False)) != canonical(circle((*long[:-1], "z"), closed=False))


def test_the_identity_of_a_part_does_not_depend_on_what_was_asked_before() -> None:
    package = open_package(circle(("a", "b", "c")))
    forward, backward = Canonicaliser(package, RULES), Canonicaliser(package, RULES)
    names = [f"/word/p{n}.xml" for n in range(3)]
    assert [forward.part(name) for name in names] == [backward.part(name) for name in reversed(names)][::-1]


def test_known_parts_stand_for_their_identity() -> None:
    package = open_package(picture("rId1", "word/media/image1.png", b"one"))
    known = Canonicaliser(package, RULES, {"/word/media/image1.png": "the picture"})
    assert 'r:embed="image the picture"' in known.element(package.main.xml, package.main)


def test_short_names() -> None:
    assert short_name(clark("w:p")) == "w:p"
    assert short_name("{urn:example}p") == "{urn:example}p"
    assert short_name("p") == "p"


@pytest.mark.parametrize("path", corpus("docx", "pptx", "xlsx"), ids=lambda path: path.name)
def test_generic_corruptions_of_real_parts_are_seen(path: Path) -> None:
    package = open_package(path.read_bytes())
    canonicaliser = Canonicaliser(package, default_rules())
    draw = random.Random(path.name)  # noqa: S311
    for part in package.parts.values():
        if not part.is_xml or len(part.data) > 200_000:
            continue
        before = canonicaliser.element(part.xml, part)
        for _ in range(4):
            root = copy.deepcopy(part.xml)
            elements = list(root.iter("{*}*"))
            element = draw.choice(elements)
            if element.text and element.text.strip():
                element.text = element.text + "x"
            elif element.attrib:
                name = draw.choice(sorted(map(str, element.attrib)))
                if name.endswith(("count", "Count", "Ignorable")) or name.startswith("{" + NAMES["r"]):
                    continue
                element.set(name, str(element.get(name)) + "7")
            else:
                continue
            assert canonicaliser.element(root, part) != before, (part.name, element.tag)
