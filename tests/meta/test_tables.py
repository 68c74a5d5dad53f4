"""Tables of scores in the forms in which people and spreadsheets write them, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from docops.core.errors import UsageError
from docops.meta.rows import load_scores

HEAD = "task_id,checkpoint_id,score,weight\n"
PLAIN = HEAD + "t,c,0.5,1.5\nü,d,,\n"
COMMA = "task_id;checkpoint_id;score;weight\nt;c;0,5;1,5\nü;d;;\n"


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        PLAIN.encode("utf-8-sig"),
        PLAIN.encode("utf-16"),
        PLAIN.encode("cp1252"),
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("\n", "\r").encode(),
        PLAIN.replace(",", "\t").encode(),
        COMMA.encode("utf-8-sig"),
        COMMA.encode("cp1252"),
        ("sep=;\r\n" + COMMA).encode(),
        PLAIN.replace("task_id", '" Task_ID "').replace("0.5", '"0,5"').encode(),
        (PLAIN.replace("\n", ",\n") + "\n,,,,\n").encode(),
        b"other," + b"\nx,".join(PLAIN.strip().encode().split(b"\n")) + b"\n",
    ],
)
def test_forms_of_one_table(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(data)
    rows = load_scores(path).rows
    assert [(row.task_id, row.checkpoint_id, row.score, row.weight) for row in rows] == [("t", "c", 0.5, 1.5), ("ü", "d", None, None)]


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("", "no column task_id, checkpoint_id, score"),
        (HEAD, "holds no scores"),
        ("task_id,checkpoint_id,score\nt,c,0,5\n", "line 2: there are more cells than columns"),
        (HEAD + "t,c,x,\n", "line 2: score: 'x' is no number"),
        (HEAD + "t,c,1_0,\n", "'1_0' is no number"),
        (HEAD + "t,c,2,\n", "between 0 and 1"),
        (HEAD + "t,c,nan,\n", "no finite number"),
        (HEAD + 't,c,1,"1,000"\n', "'1,000' is no number"),
        (HEAD + "t,c,1,-1\n", "a weight is not negative"),
        (HEAD + ",c,1,\n", "line 2: task_id is empty"),
        ("task_id,checkpoint_id,score,score\nt,c,1,0\n", "the column score twice"),
        (HEAD + 't,"c,1\nt,d,1\n', "unexpected end"),
        (HEAD + "t" * 200_000 + ",c,1,\n", "field larger"),
    ],
)
def test_what_is_wrong_is_told(text: str, tells: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as told:
        load_scores(path)
    assert tells in str(told.value)


@pytest.mark.parametrize("text", ["[" * 50_000, '"x"', "{", '[{"task_id": "t", "checkpoint_id": "c", "score": NaN}]', '[{"score": 1}]'])
def test_what_is_no_json_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"scores\.json"):
        load_scores(path)
