"""Benign rewrites that only work together: two of them one after the other, and what a foreign office program writes."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from docops.core.operator import CorruptionClass, Mutation, MutationInput, Operator, OperatorExample, OperatorKind, Site, operator
from docops.operators import operators_for, spread
from docops.operators.ooxml_benign import EXAMPLES, OOXML
from docops.operators.package import document_format
from docops.operators.samples import sample_pdf

BENIGN = CorruptionClass.BENIGN
TAG = "composed"
#: Places of one operator that another rewrite follows.
_PLACES = 3


def _parts(data: bytes) -> list[Operator]:
    found = operators_for(document_format(data), kinds=[OperatorKind.BENIGN])
    return [operator for operator in found if TAG not in operator.tags and not operator.requires]


def _pairs(data: bytes, given: MutationInput) -> Iterator[Site]:
    places = {operator.name: list(operator.sites(data, given)) for operator in _parts(data)}
    followers = [name for name, sites in places.items() if len(sites) == 1 and not sites[0].address]
    turn = 0
    for name, sites in places.items():
        for site in spread(sites, _PLACES):
            turn += 1
            second = followers[turn % len(followers)]
            if second != name:
                yield Site(site.address, (name, sites.index(site), second), f"{name}, then {second}")


def two_rewrites(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """Two benign rewrites, one after the other."""
    table = {operator.name: operator for operator in _parts(data)}
    first, number, second = table[str(site.locator[0])], int(site.locator[1]), table[str(site.locator[2])]
    once = first.apply(data, list(first.sites(data, given))[number], given).data
    if once is None:
        raise LookupError("the first rewrite left no file")
    # After the first rewrite there may be nothing left for the second to do: then the first stands alone.
    left = next(iter(second.sites(once, given)), None)
    return Mutation(once if left is None else second.apply(once, left, given).data, f"{first.name} + {second.name}")


ooxml_pairs = operator("ooxml.two-rewrites", corruption_class=BENIGN, sites=_pairs, formats=OOXML, tags=(TAG,), examples=EXAMPLES)(two_rewrites)
pdf_pairs = operator(
    "pdf.two-rewrites",
    corruption_class=BENIGN,
    sites=_pairs,
    formats=("pdf",),
    tags=(TAG,),
    examples=(OperatorExample("a document with one of everything", sample_pdf),),
)(two_rewrites)


def _under_content(data: bytes, given: MutationInput) -> Iterator[Site]:
    # LibreOffice keeps the content and not every native attribute, which is what this profile asks for.
    if given.profile == "content" and document_format(data):
        yield Site("", (), f"{len(data)} bytes")


@operator("ooxml.re-saved-by-libreoffice", corruption_class=BENIGN, sites=_under_content, formats=OOXML, requires=("soffice",))
def re_saved_by_libreoffice(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """The document is opened and saved by LibreOffice, unchanged (where only its content is preserved)."""
    suffix = document_format(data)
    with tempfile.TemporaryDirectory(prefix="docops-libreoffice-") as folder:
        path = Path(folder, f"document.{suffix}")
        path.write_bytes(data)
        profile = Path(folder, "profile").as_uri()
        command = ["soffice", f"-env:UserInstallation={profile}", "--headless", "--convert-to", suffix, "--outdir", str(Path(folder, "out")), str(path)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - a fixed program on a file of ours
        return Mutation(Path(folder, "out", path.name).read_bytes(), "LibreOffice")


OPERATORS: tuple[Operator, ...] = (ooxml_pairs, pdf_pairs, re_saved_by_libreoffice)
