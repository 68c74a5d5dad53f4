from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from docops.core.address import parse_address
from docops.core.codes import ALL_ASPECTS, CONTENT_ASPECTS, Aspect
from docops.core.compare import ALLOW_ALL, Allow, Change, ChangeKind, Comparison, Scope, compare_trees, resolve_counterparts
from docops.core.node import Align, Node, collect_facts, resolve, root_node


def document(paragraphs: Sequence[str], *, styles: dict[str, str] | None = None, style_of: dict[int, str] | None = None) -> Node:
    def children() -> list[Node]:
        body = Node(None, "body", align=Align.KEY)
        nodes = []
        used: dict[str, set[str]] = {}
        for number, text in enumerate(paragraphs, 1):
            style = (style_of or {}).get(number, "Normal")
            used.setdefault(style, set()).add(f"body/paragraph[{number}]")
            facts: dict[tuple[Aspect, str], str] = {(Aspect.TEXT, "text"): text, (Aspect.FORMAT, "colour"): (styles or {}).get(style, "black")}
            nodes.append(Node(body, "paragraph", number=number, facts=facts, depends=(f"style[{style}]",)))
        body = Node(None, "body", align=Align.KEY, children=nodes)
        style_nodes = [
            Node(None, "style", name=name, align=Align.KEY, facts={(Aspect.FORMAT, "colour"): colour}, users=partial(_users, used, name))
            for name, colour in (styles or {}).items()
        ]
        return [body, *style_nodes]

    return root_node(children)


def _users(used: dict[str, set[str]], name: str) -> frozenset[str]:
    return frozenset(used.get(name, ()))


def changes(
    before: Node, after: Node, before_scope: Scope | None = None, after_scope: Scope | None = None, aspects: frozenset[Aspect] = ALL_ASPECTS
) -> list[Change]:
    return list(compare_trees(before, after, Comparison(aspects, before_scope or {}, after_scope or {})))


def summary(found: Sequence[Change]) -> list[tuple[str, str]]:
    return [(str(change.kind), change.address) for change in found]


def test_equal_documents_have_no_change() -> None:
    assert changes(document(["a", "b"]), document(["a", "b"])) == []


def test_an_added_paragraph_is_one_change_at_its_place_in_the_output() -> None:
    assert summary(changes(document(["one", "two", "three"]), document(["one", "new", "two", "three"]))) == [("added", "body/paragraph[2]")]


def test_a_changed_text_is_a_change_of_that_fact() -> None:
    (found,) = changes(document(["one", "two words here"]), document(["one", "two words there"]))
    assert (found.kind, found.address, found.name, found.before, found.after) == (
        ChangeKind.CHANGED,
        "body/paragraph[2]",
        "text",
        "two words here",
        "two words there",
    )


def test_swapped_neighbours_are_one_move_and_either_may_be_named() -> None:
    before, after = document(["a", "b", "c", "d"]), document(["a", "c", "b", "d"])
    assert [kind for kind, _ in summary(changes(before, after))] == ["moved"]
    for named in ("body/paragraph[2]", "body/paragraph[3]"):
        assert changes(before, after, {named: frozenset({Allow.MOVE})}) == []
    assert changes(before, after, {"body/paragraph[1]": ALLOW_ALL}) != []


def test_scope_allows_what_it_names_and_nothing_beside() -> None:
    before, after = document(["one", "two", "three"]), document(["one", "TWO!", "three?"])
    assert summary(changes(before, after, {"body/paragraph[2]": ALLOW_ALL})) == [("changed", "body/paragraph[3]")]


def test_addition_is_decided_by_the_place_in_the_output() -> None:
    before, after = document(["one", "two"]), document(["one", "new", "two"])
    assert changes(before, after, {}, {"body/paragraph[2]": frozenset({Allow.ADD})}) == []
    assert changes(before, after, {"body/paragraph[2]": frozenset({Allow.ADD})}, {}) != []
    assert changes(before, after, {"body": frozenset({Allow.CHANGE})}, {"body": frozenset({Allow.CHANGE})}) != []


def test_a_rewritten_paragraph_is_a_change_not_a_removal() -> None:
    before, after = document(["alpha", "beta", "gamma"]), document(["alpha", "12345", "gamma"])
    assert changes(before, after, {"body/paragraph[2]": frozenset({Allow.CHANGE})}) == []


def test_content_profile_does_not_look_at_format() -> None:
    before = document(["a"], styles={"Normal": "black"})
    after = document(["a"], styles={"Normal": "red"})
    assert changes(before, after, aspects=CONTENT_ASPECTS) == []
    assert changes(before, after) != []


def test_a_style_change_is_reported_once_at_the_style() -> None:
    before = document(["a", "b", "c"], styles={"Normal": "black"})
    after = document(["a", "b", "c"], styles={"Normal": "red"})
    assert summary(changes(before, after)) == [("changed", "style[Normal]")]
    assert changes(before, after, {"style[Normal]": ALLOW_ALL}) == []


def test_a_style_that_only_the_scope_uses_belongs_to_the_edit() -> None:
    before = document(["a", "b"], styles={"Normal": "black"})
    after = document(["a", "b!"], styles={"Normal": "black", "New": "red"}, style_of={2: "New"})
    scope: Scope = {"body/paragraph[2]": ALLOW_ALL}
    assert changes(before, after, scope, scope) == []
    elsewhere = document(["a", "b!"], styles={"Normal": "black", "New": "black"}, style_of={1: "New", 2: "New"})
    assert summary(changes(before, elsewhere, scope, scope)) == [("added", "style[New]")]


def test_resolve_finds_numbers_ranges_any_and_depth() -> None:
    root = document(["a", "b", "c"])
    found = {
        text: [node.address for node in resolve(root, parse_address(text).segments)] for text in ("body/paragraph[2:3]", "**/paragraph[1]", "body")
    }
    assert found == {"body/paragraph[2:3]": ["body/paragraph[2]", "body/paragraph[3]"], "**/paragraph[1]": ["body/paragraph[1]"], "body": ["body"]}


@given(st.lists(st.sampled_from(["a", "b", "c", "dd", "ee"]), max_size=8), st.lists(st.sampled_from(["a", "b", "c", "dd", "ff"]), max_size=8))
def test_no_change_exactly_where_facts_are_equal(left: list[str], right: list[str]) -> None:
    before, after = document(left), document(right)
    assert (changes(before, after) == []) == (collect_facts(before) == collect_facts(after))


def nested(shapes: Sequence[str]) -> Node:
    def children() -> list[Node]:
        slide = Node(None, "slide", number=1)
        inner = [Node(slide, "shape", name=text, facts={(Aspect.TEXT, "text"): text}) for text in shapes]
        return [Node(None, "slide", number=1, children=inner, facts={(Aspect.TEXT, "title"): "one"})]

    return root_node(children)


def test_leave_to_move_a_place_is_no_leave_to_reorder_what_is_in_it() -> None:
    before, after = nested(["a", "b", "c"]), nested(["b", "c", "a"])
    assert summary(changes(before, after, {"slide[1]": frozenset({Allow.MOVE})})) == [("moved", 'slide[1]/shape["a"]')]
    assert changes(before, after, {"slide[1]": frozenset({Allow.MOVE, Allow.CHANGE})}) == []


def sheets(*names: Sequence[str]) -> Node:
    def children() -> list[Node]:
        out = []
        for number, inside in enumerate(names, 1):
            sheet = Node(None, "sheet", name=f"s{number}", align=Align.KEY)
            inner = [Node(sheet, "name", name=text, align=Align.KEY, facts={(Aspect.TEXT, "text"): text}) for text in inside]
            out.append(Node(None, "sheet", name=f"s{number}", align=Align.KEY, children=inner))
        return out

    return root_node(children)


def test_leave_to_move_a_place_holds_for_another_container_too() -> None:
    before, after = sheets(["a", "b"], ["c"]), sheets(["a"], ["c", "b"])
    assert summary(changes(before, after)) == [("moved", "sheet[s1]/name[b]")]
    assert changes(before, after, {"sheet[s1]/name[b]": frozenset({Allow.MOVE})}) == []
    gone = sheets(["a"], ["c"])
    assert summary(changes(before, gone, {"sheet[s1]/name[b]": frozenset({Allow.MOVE})})) == [("removed", "sheet[s1]/name[b]")]


def test_a_flood_of_equal_neighbours_costs_what_it_weighs() -> None:
    before, after = document(["a", "b"]), document(["a", *["same"] * 20_000, "b"])
    found = changes(before, after, {"body/paragraph[1]": ALLOW_ALL}, {"body/paragraph[1]": ALLOW_ALL})
    assert len(found) == 20_000


def test_what_moved_and_changed_is_one_place() -> None:
    before = document(["alpha is here today", "beta stands there", "gamma closes all"])
    after = document(["gamma closes it all", "alpha is here today", "beta stands there"])
    assert sorted(summary(changes(before, after))) == [("changed", "body/paragraph[3]"), ("moved", "body/paragraph[3]")]


def themed(theme: dict[str, str], colours: Sequence[str], sizes: Sequence[int]) -> Node:
    def children() -> list[Node]:
        body = Node(None, "body", align=Align.KEY)
        nodes = [
            Node(
                body,
                "paragraph",
                number=n,
                depends=("theme",),
                facts={(Aspect.TEXT, "text"): f"line {n}", (Aspect.FORMAT, "colour"): c, (Aspect.FORMAT, "size"): s},
            )
            for n, (c, s) in enumerate(zip(colours, sizes, strict=True), 1)
        ]
        return [
            Node(None, "body", align=Align.KEY, children=nodes),
            Node(None, "theme", align=Align.KEY, facts={(Aspect.THEME, name): value for name, value in theme.items()}),
        ]

    return root_node(children)


def test_a_theme_change_explains_colours_and_nothing_else() -> None:
    before = themed({"accent1": "4F81BD"}, ["4F81BD", "95B3D7"], [11, 11])
    after = themed({"accent1": "C0504D"}, ["C0504D", "D99694"], [11, 24])
    assert summary(changes(before, after)) == [("changed", "body/paragraph[2]"), ("changed", "theme")]
    assert summary(changes(before, after, {"theme": ALLOW_ALL})) == [("changed", "body/paragraph[2]")]


def test_direct_formatting_that_ends_where_a_style_change_does_is_not_explained_by_it() -> None:
    def one(style: str, direct: str) -> Node:
        def children() -> list[Node]:
            body = Node(None, "body", align=Align.KEY)
            facts: dict[tuple[Aspect, str], str] = {(Aspect.TEXT, "text"): "x", (Aspect.FORMAT, "colour"): direct}
            node = Node(body, "paragraph", number=1, facts=facts, depends=("style[H]",))
            users = frozenset({"body/paragraph[1]"})
            return [
                Node(None, "body", align=Align.KEY, children=[node]),
                Node(None, "style", name="H", align=Align.KEY, facts={(Aspect.FORMAT, "colour"): style}, users=lambda: users),
            ]

        return root_node(children)

    assert summary(changes(one("black", "blue"), one("red", "red"), {"style[H]": ALLOW_ALL})) == [("changed", "body/paragraph[1]")]
    assert changes(one("black", "black"), one("red", "red"), {"style[H]": ALLOW_ALL}) == []


def test_repeated_keys_are_all_looked_at() -> None:
    def names(*targets: str) -> Node:
        return root_node(lambda: [Node(None, "name", name="X", align=Align.KEY, facts={(Aspect.NAME, "refers to"): target}) for target in targets])

    assert summary(changes(names("A1", "B1"), names("C1", "B1"))) == [("changed", "name[X]")]
    assert summary(changes(names("A1", "B1"), names("A1"))) == [("removed", "name[X]")]
    assert changes(names("A1", "B1"), names("A1", "B1")) == []


def test_a_style_used_by_a_place_that_only_shares_a_number_with_the_scope_is_outside() -> None:
    before = document(["one", "two"], styles={"Normal": "black"})
    after = document(["new", "one", "two!"], styles={"Normal": "black", "New": "black"}, style_of={2: "New", 3: "Normal"})
    found = changes(before, after, {"body/paragraph[2]": ALLOW_ALL}, {"body/paragraph[1]": ALLOW_ALL})
    assert ("added", "style[New]") in summary(found)


def test_a_place_under_another_name_is_found_by_its_content() -> None:
    def slide(*shapes: tuple[str, str]) -> Node:
        def children() -> list[Node]:
            top = Node(None, "slide", number=1)
            inner = [Node(top, "shape", number=n, name=name, facts={(Aspect.TEXT, "text"): text}) for n, (name, text) in enumerate(shapes, 1)]
            return [Node(None, "slide", number=1, children=inner)]

        return root_node(children)

    before = slide(("Title 1", "Goals of the year"), ("Body 2", "New quay by 2026"))
    after = slide(("PlaceHolder 1", "Goals of the year"), ("PlaceHolder 2", "New quay by 2027"))
    segments = parse_address('slide[1]/shape["Body 2"]').segments
    assert resolve(after, segments) == []
    assert [node.name for node in resolve_counterparts(before, after, segments)] == ["PlaceHolder 2"]
    assert resolve_counterparts(before, after, parse_address('slide[1]/shape["Body 3"]').segments) == []


def test_of_equal_neighbours_the_one_in_scope_was_added() -> None:
    before, after = document(["one word", "two", "three"]), document(["one words", "two", "two", "three"])
    assert [change.address for change in changes(before, after, {"body/paragraph[1]": ALLOW_ALL})] == ["body/paragraph[3]"]
    for place in ("body/paragraph[2]", "body/paragraph[3]"):
        assert changes(before, after, {"body/paragraph[1]": ALLOW_ALL}, {place: ALLOW_ALL}) == []
    for place in ("body/paragraph[2]", "body/paragraph[3]"):
        assert changes(after, before, {"body/paragraph[1]": ALLOW_ALL, place: frozenset({Allow.REMOVE})}) == []


def test_a_new_name_is_no_move() -> None:
    def book(*sheets: str) -> Node:
        def children() -> list[Node]:
            facts = [{(Aspect.TEXT, f"text {n}"): f"{name[0]}{n}" for n in range(4)} for name in sheets]
            return [Node(None, "sheet", name=name, number=n, facts=facts[n - 1], align=Align.ORDERED_KEY) for n, name in enumerate(sheets, 1)]

        return root_node(children)

    found = changes(book("Aims", "Budget", "Costs"), book("Another name", "Budget", "Costs"))
    assert [(change.aspect, change.address) for change in found] == [(Aspect.NAME, "sheet[Aims]")]
    found = changes(book("Aims", "Budget", "Costs"), book("Budget", "Costs", "Another name"))
    assert [(change.aspect, change.address) for change in found] == [(Aspect.NAME, "sheet[Aims]"), (Aspect.ORDER, "sheet[Aims]")]
