"""Screenshots: none without a renderer; with one, a picture a slide with the benchmark's fields, and answers to them that replay."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation

import docops
from docops.adapters.ppteval import import_tasks
from docops.core.canonical import sha256
from docops.core.codes import FindingCode
from docops.core.errors import NotApplicable
from docops.core.options import Answer, Options
from docops.core.pictures import Rendered
from docops.judges.judge import Judge, Record
from docops.rubrics.sandbox import LeafInput, run_leaf
from docops.rubrics.screenshots import screenshots
from tools.rubrics import DECK, TARGET, deck, task_id

PNG = b"\x89PNG\r\n\x1a\n"


class Drawing:
    """A renderer whose pictures are the numbers of slides."""

    def __init__(self, pages: int, mark: bytes = b"") -> None:
        self.pages = pages
        self.mark = mark
        self.asked = 0

    def render(self, data: bytes, name: str) -> Rendered:
        self.asked += 1
        if not self.pages:
            raise NotApplicable("no renderer", FindingCode.PICTURES_UNAVAILABLE)
        return Rendered(tuple(PNG + self.mark + sha256(data)[:8].encode() + b"%d" % number for number in range(1, self.pages + 1)), "Drawing 1")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("bundles")
    made, _ = import_tasks(TARGET / "task_registry", out)
    return {identity: out / folder for folder, identity in made}


@pytest.fixture
def right(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / DECK).write_bytes(deck(title="Quarter in review"))
    return tmp_path / "out"


def slides() -> int:
    return len(Presentation(io.BytesIO(deck(title="Quarter in review"))).slides)


def test_leaves_get_a_picture_of_every_slide(bundles: dict[str, Path], right: Path) -> None:
    verdict = docops.verify(bundles[task_id("screenshots")], right, options=Options(allow_code=True, renderer=Drawing(slides())))
    assert verdict.passed
    assert f"{slides()} pictures" in {criterion.message for criterion in verdict.criteria}
    assert verdict.engines == ("Drawing 1",)


@pytest.mark.parametrize("pages", [0, 99])
def test_there_are_none_where_they_cannot_be_made_or_told_apart(bundles: dict[str, Path], right: Path, pages: int) -> None:
    verdict = docops.verify(bundles[task_id("screenshots")], right, options=Options(allow_code=True, renderer=Drawing(pages)))
    assert (verdict.score_interval, verdict.engines) == ((0.85, 1.0), ())


def test_nothing_is_drawn_for_rubrics_that_read_no_screenshots(bundles: dict[str, Path], right: Path) -> None:
    drawing = Drawing(slides())
    docops.verify(bundles[task_id("title")], right, options=Options(allow_code=True, renderer=drawing))
    docops.verify(bundles[task_id("screenshots")], right, options=Options(renderer=drawing))
    assert drawing.asked == 0


def test_records_have_the_fields_of_the_benchmark(tmp_path: Path) -> None:
    path = tmp_path / DECK
    path.write_bytes(deck(title="One"))
    made = screenshots(path, Drawing(slides()))
    assert [entry["slide_number"] for entry in made.entries] == list(range(1, slides() + 1))
    code = (
        "def compute_score():\n"
        "    shot = modified_ppt_screenshots[1]\n"
        "    same = shot.slide_number == 2 and shot.slide_id == ppt_ids[1] and open(shot.image_path, 'rb').read().endswith(b'2')\n"
        "    return type(shot).__name__, float(same and shot.to_dict()['image_path'] == shot.image_path)\n"
    )
    identities = [entry["slide_id"] for entry in made.entries]
    given = LeafInput(path, path, {}, made.entries, made.entries)
    result = run_leaf(f"ppt_ids = {identities!r}\n" + code.replace("ppt_ids[1]", repr(identities[1])), given)
    assert (result.score, result.message) == (1.0, "SlideScreenshot")


def test_answers_to_pictures_replay_wherever_they_were_drawn(bundles: dict[str, Path], right: Path, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    sent: list[Any] = []

    def send(prompt: str, images: Any, *_: Any) -> str:
        sent.append(images)
        return "yes"

    bundle = bundles[task_id("model")]
    options = Options(allow_code=True, judge=Judge("m", Record(record), send), renderer=Drawing(slides()))
    first = docops.verify(bundle, right, options=options)
    assert first.passed
    assert max(map(len, sent)) == slides()
    # Another machine draws other pixels of the same slides.
    options = Options(allow_code=True, judge=Judge("m", Record(record)), renderer=Drawing(slides(), b"other pixels"))
    assert docops.verify(bundle, right, options=options).to_json() == first.to_json()


def test_a_leaf_sends_no_file_of_the_user(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_bytes(b"password")
    path = tmp_path / DECK
    path.write_bytes(deck(title="One"))
    seen: list[bytes] = []

    code = (
        "def compute_score():\n"
        "    import os\n"
        "    try:\n"
        f"        os.symlink({str(secret)!r}, 'link.png')\n"
        "    except OSError:\n"
        "        pass\n"
        "    open('own.png', 'wb').write(b'own')\n"
        f"    return vlm_call('?', [{str(secret)!r}, '../' * 20 + {str(secret)[1:]!r}, 'link.png', 'own.png', '.', 'none.png']), 1.0\n"
    )

    def answer(_: Any, images: Sequence[bytes]) -> Answer:
        seen.extend(images)
        return Answer("yes")

    result = run_leaf(code, LeafInput(path, path, {}), answer=answer)
    assert (result.score, seen) == (1.0, [b"own"])
