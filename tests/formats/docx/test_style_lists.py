"""What a style says of lists is which list, not its id."""

from __future__ import annotations

from docops.core.codes import Aspect
from docops.core.node import FactKey
from docops.core.operator import MutationInput
from docops.engine import open_document
from docops.operators.archive import Archive
from docops.operators.samples import sample_document
from docops.registry import operators

NOTHING = MutationInput(siblings={})


def _with_list_style(num_id: int) -> bytes:
    archive = Archive(sample_document())
    style = (
        '<w:style w:type="numbering" w:styleId="Steps"><w:name w:val="Steps"/><w:pPr><w:numPr>'
        f'<w:numId w:val="{num_id}"/></w:numPr></w:pPr></w:style></w:styles>'
    )
    archive.write("word/styles.xml", archive.read("word/styles.xml").replace(b"</w:styles>", style.encode()))
    return archive.to_bytes()


def test_other_ids_of_the_same_list_are_the_same_fact() -> None:
    operator = next(known for known in operators() if known.name == "docx.numbering-ids-renumbered")
    data = _with_list_style(1)
    site = next(iter(operator.sites(data, NOTHING)))
    renumbered = operator.apply(data, site, NOTHING).data
    assert renumbered is not None
    assert open_document(data, "a.docx").facts() == open_document(renumbered, "a.docx").facts()


def test_another_list_is_another_fact() -> None:
    key = FactKey("style[Steps]", Aspect.FORMAT, "list")
    found = {str(open_document(_with_list_style(number), "a.docx").facts()[key]) for number in (1, 2, 6)}
    assert len(found) > 1
