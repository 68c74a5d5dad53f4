"""Threads of comments: whether one is resolved and which it answers, in the namespaces of all Words that have threads."""

from __future__ import annotations

import pytest

from docops.core.codes import Aspect
from docops.formats.docx.document import open_docx
from docops.formats.docx.samples import docx
from tests.formats.docx.rewriting import changes, members, package, places

PUBLISHED = "http://schemas.microsoft.com/office/word/2012/wordml"
FIRST = "http://schemas.microsoft.com/office/word/2010/11/wordml"
W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.commentsExtended+xml"


def threaded(namespace: str, *entries: str) -> bytes:
    """A document with two comments and these entries about their threads."""
    parts = members(docx("The [!penalty!Enough?] is [!high!No.]."))
    comments = parts["word/comments.xml"].decode()
    for number, identifier in ((0, "0000000A"), (1, "0000000B")):
        head, *rest = comments.split("<w:p>", 2) if number == 0 else comments.split("<w:p>", 1)
        comments = f'{head}<w:p xmlns:w14="{W14}" w14:paraId="{identifier}">' + "<w:p>".join(rest)
    parts["word/comments.xml"] = comments.encode()
    rows = "".join(f"<t:commentEx {entry}/>" for entry in entries)
    parts["word/commentsExtended.xml"] = f'<t:commentsEx xmlns:t="{namespace}">{rows}</t:commentsEx>'.encode()
    relation = '<Relationship Id="rIdX" Type="http://schemas.microsoft.com/office/2011/relationships/commentsExtended" Target="commentsExtended.xml"/>'
    rels = "word/_rels/document.xml.rels"
    parts[rels] = parts[rels].replace(b"</Relationships>", relation.encode() + b"</Relationships>")
    override = f'<Override PartName="/word/commentsExtended.xml" ContentType="{TYPE}"/></Types>'
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(b"</Types>", override.encode())
    return package(parts)


@pytest.mark.parametrize("namespace", [PUBLISHED, FIRST])
def test_threads_are_read(namespace: str) -> None:
    data = threaded(namespace, 't:paraId="0000000A" t:done="1"', 't:paraId="0000000B" t:paraIdParent="0000000A" t:done="0"')
    first, second = (node.facts for node in open_docx(data).root.children if node.kind == "comment")
    assert first[Aspect.COMMENT, "resolved"] is True
    assert (Aspect.COMMENT, "resolved") not in second
    assert second[Aspect.COMMENT, "answers"] == "Enough?"


@pytest.mark.parametrize("namespace", [PUBLISHED, FIRST])
def test_a_thread_that_was_resolved_or_torn_is_seen_at_its_comment(namespace: str) -> None:
    answered = ('t:paraId="0000000A" t:done="0"', 't:paraId="0000000B" t:paraIdParent="0000000A" t:done="0"')
    before = threaded(namespace, *answered)
    resolved = threaded(namespace, answered[0].replace('done="0"', 'done="1"'), answered[1])
    torn = threaded(namespace, answered[0], 't:paraId="0000000B" t:done="0"')
    for after, place in ((resolved, "comment[1]"), (torn, "comment[2]")):
        # It shows at the paragraph that is commented as well, and belongs to an edit of the comment.
        assert places(changes(before, after)) == {place, "body/paragraph[1]"}
        assert changes(before, after, [place]) == []
    assert changes(before, threaded(PUBLISHED if namespace == FIRST else FIRST, *answered)) == []
