"""Comments on slides, of both kinds: the older list (PresentationML) and the threads of 2018."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Value
from docops.formats.ooxml.drawing import A
from docops.formats.ooxml.package import Part
from docops.formats.pptx.deck import P15, Deck, P, Sheet

P188 = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"


@dataclass(slots=True)
class Comment:
    """A comment or a reply.

    position: where its mark stands, in the file's units.   status: `active`, `resolved`, `closed`.
    answers: who wrote the comment it replies to, and when; None where it starts a thread.   more: the rest in canonical form.
    """

    text: str
    author: str
    initials: str
    date: str
    position: str = ""
    status: str = ""
    more: str = ""
    answers: str | None = None

    @property
    def signature(self) -> str:
        """Who wrote it, and when: what names it whatever it says."""
        return f"{self.author} {self.date}".strip()

    def facts(self) -> dict[tuple[Aspect, str], Value]:
        """Its facts."""
        out: dict[tuple[Aspect, str], Value] = {(Aspect.COMMENT, "text"): self.text, (Aspect.COMMENT, "author"): self.author}
        for name, value in (("initials", self.initials), ("date", self.date), ("status", self.status)):
            if value:
                out[Aspect.COMMENT, name] = value
        if self.answers is not None:
            # Programs that know no threads keep the reply and forget what it answers.
            out[Aspect.LAYOUT, "answers"] = self.answers
        if self.position:
            out[Aspect.GEOMETRY, "position"] = self.position
        if self.more:
            out[Aspect.RAW, "more"] = self.more
        return out


def comment_parts(sheet: Sheet) -> list[Part]:
    """The parts that hold a slide's comments."""
    return [*sheet.part.related("comments"), *(part for part in sheet.part.related("comment") if part.is_xml)]


def author_parts(deck: Deck) -> list[Part]:
    """The parts that list who comments."""
    return [*deck.part.related("commentAuthors"), *deck.part.related("authors")]


def authors(deck: Deck) -> dict[str, tuple[str, str]]:
    """Author id → name and initials."""
    out: dict[str, tuple[str, str]] = {}
    for part in author_parts(deck):
        for element in part.xml:
            if isinstance(element.tag, str) and element.tag.rpartition("}")[2] in {"cmAuthor", "author"}:
                out[element.get("id") or ""] = (element.get("name") or "", element.get("initials") or "")
    return out


def read_comments(sheet: Sheet) -> list[Comment]:
    """A slide's comments, replies after what they answer."""
    names = authors(sheet.deck)
    out: list[Comment] = []
    for part in comment_parts(sheet):
        if part.xml.tag == f"{P}cmLst":
            out += _legacy(sheet, part, names)
        else:
            for element in part.xml.iterfind(f"{P188}cm"):
                comment = _modern(sheet, part, element, names)
                out.append(comment)
                for reply in element.iterfind(f"{P188}replyLst/{P188}reply"):
                    out.append(_modern(sheet, part, reply, names, comment.signature))
    return out


def _legacy(sheet: Sheet, part: Part, names: dict[str, tuple[str, str]]) -> list[Comment]:
    found: dict[tuple[str, str], Comment] = {}
    threads: dict[int, list[Comment]] = {}
    first: list[Comment] = []
    for element in part.xml.iterfind(f"{P}cm"):
        author = element.get("authorId") or ""
        name, initials = names.get(author, ("", ""))
        position = element.find(f"{P}pos")
        parent = next(element.iter(f"{P15}parentCm"), None)
        skip = [item for item in (position, element.find(f"{P}text"), parent) if item is not None]
        skip += list(element.iter(f"{P15}threadingInfo")) if parent is not None else []
        comment = Comment(
            element.findtext(f"{P}text") or "", name, initials, _date(element.get("dt") or ""),
            f"{position.get('x')},{position.get('y')}" if position is not None else "",
            more=sheet.markup.rest(element, part, skip=skip, skip_attributes=("authorId", "dt", "idx")),
        )  # fmt: skip
        found[author, element.get("idx") or ""] = comment
        above = found.get((parent.get("authorId") or "", parent.get("idx") or "")) if parent is not None else None
        if above is not None and above is not comment:
            comment.answers = above.signature
            threads.setdefault(id(above), []).append(comment)
        else:
            first.append(comment)
    return [comment for start in first for comment in _thread(start, threads)]


def _thread(start: Comment, threads: dict[int, list[Comment]]) -> list[Comment]:
    out, work = [], [start]
    while work:
        comment = work.pop()
        out.append(comment)
        work.extend(reversed(threads.get(id(comment), [])))
    return out


def _date(text: str) -> str:
    """A time without trailing zeros of its fraction."""
    head, point, fraction = text.partition(".")
    return f"{head}.{fraction.rstrip('0')}".rstrip(".") if point and fraction.isdigit() else text


def _modern(sheet: Sheet, part: Part, element: etree._Element, names: dict[str, tuple[str, str]], answers: str | None = None) -> Comment:
    name, initials = names.get(element.get("authorId") or "", ("", ""))
    body = element.find(f"{P188}txBody")
    paragraphs = body.iter(A + "p") if body is not None else ()
    text = "\n".join("".join(str(found.text or "") for found in paragraph.iter(A + "t")) for paragraph in paragraphs)
    replies = element.find(f"{P188}replyLst")
    skip = [item for item in (body, replies) if item is not None]
    return Comment(
        text, name, initials, _date(element.get("created") or ""), status=element.get("status") or "",
        more=sheet.markup.rest(element, part, skip=skip, skip_attributes=("authorId", "created", "id", "status")),
        answers=answers,
    )  # fmt: skip
