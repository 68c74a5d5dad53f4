"""The wording data set with the scores that our anchors give, one CSV a text profile: `python -m tools.wording_scores DIR`."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from docops.families.anchors import contains
from docops.families.samples import letter

DATA = Path(__file__).parents[1] / "tests" / "meta" / "data" / "wording-expert.csv"
PROFILES = ("verbatim", "typographic", "loose")


def scores(profile: str, folder: Path) -> str:
    """The scores that `anchor.contains` gives with a profile, as a table for `docops meta`."""
    from tests.support.examples import run_predicate

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("task_id", "checkpoint_id", "score", "reason"))
    for row in csv.DictReader(io.StringIO(DATA.read_text("utf-8"))):
        parameters = {"at": "letter.docx", "text": row["wanted"], "profile": profile}
        result = run_predicate(contains, parameters, letter(row["document"])(), {}, folder / profile / row["task_id"])
        writer.writerow((row["task_id"], row["checkpoint_id"], f"{result.score:g}" if result.score is not None else "N/A", result.reason_code))
    return out.getvalue()


def main() -> None:
    """Write the expert's table and one for each profile."""
    import shutil
    import tempfile

    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(DATA, target / DATA.name)
    with tempfile.TemporaryDirectory() as folder:
        for profile in PROFILES:
            (target / f"{profile}.csv").write_text(scores(profile, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
