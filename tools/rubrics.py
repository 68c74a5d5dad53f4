"""Write the registry of rubrics that the tests run, in the layout of PPT-Eval: `python -m tools.rubrics`."""

from __future__ import annotations

import datetime
import io
import json
from pathlib import Path
from textwrap import dedent
from typing import Any

from tools.bundles.common import FIXED_DATE, repack

TARGET = Path(__file__).parents[1] / "tests" / "rubrics" / "registry"
DECK = "Quarter  Review [Autosaved].pptx"


def leaf(name: str, code: str, *, critical: bool = False, **residue: Any) -> dict[str, Any]:
    """A leaf of a rubric."""
    scorer = {"type": "function", "function_code": dedent(code).strip() + "\n"}
    return {"name": name, "description": name, "is_critical": critical, "metadata": {}, "scorer": scorer, **residue}


def parent(name: str, *children: dict[str, Any], critical: bool = False, **residue: Any) -> dict[str, Any]:
    """An inner node of a rubric."""
    return {"name": name, "description": name, "is_critical": critical, "metadata": {}, "children": list(children), **residue}


TITLE = """
    def compute_score():
        from pptx import Presentation
        title = Presentation(modified_ppt_path).slides[0].shapes.title.text
        if title == "Quarter in review":
            return "the title is right", 1.0
        return f"the title is {title!r}", 0.0
"""
ONLY_FIRST = """
    def compute_score():
        others = [new.slide_number for old, new in ppt_diff.modified_slides if new.slide_number != 1]
        if ppt_diff.added_slides or ppt_diff.removed_slides or others:
            return f"other slides changed: {others}", 0.0
        return "only slide 1 changed", 1.0
"""
ASKS = """
    def compute_score():
        answer = vlm_call("Is the title readable? yes or no", [shot.image_path for shot in modified_ppt_screenshots])
        return answer, 1.0 if "yes" in answer.lower() else 0.0
"""

#: Task → its rubric; together they hold every construct that leaves of PPT-Eval use.
RUBRICS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "title": (
        "Change the title of slide 1 to “Quarter in review”.",
        "Easy",
        parent(
            "Root", leaf("Title [slide 1] is right", TITLE, critical=True, score=0.0, reason="left over"), leaf("Nothing else", ONLY_FIRST), score=1.0
        ),
    ),
    "helper": (
        "A helper of the module is not seen inside the scorer.",
        "Easy",
        parent(
            "Root",
            leaf("Helper", "def helper():\n    return 1.0\n\ndef compute_score():\n    return 'helped', helper()", critical=True),
            leaf("Nothing else", ONLY_FIRST),
        ),
    ),
    "raises": (
        "A leaf raises.",
        "Easy",
        parent("Root", leaf("Title", TITLE, critical=True), leaf("Raises", "def compute_score():\n    return 'x', 1 / 0")),
    ),
    "order": (
        "A leaf answers in the wrong order.",
        "Easy",
        parent("Root", leaf("Title", TITLE), leaf("Order", "def compute_score():\n    return 1.0, 'swapped'")),
    ),
    "none": (
        "A leaf answers with nothing, one with too much, one with no number.",
        "Easy",
        parent(
            "Root",
            leaf("Title", TITLE),
            leaf("None", "def compute_score():\n    print('nothing to say')"),
            leaf("Too much", "def compute_score():\n    return 'more than all', 1.5"),
            leaf("Not a number", "def compute_score():\n    return 'nan', float('nan')"),
        ),
    ),
    "partial": (
        "Partial credit in a tree of three levels.",
        "Medium",
        parent(
            "Root",
            parent(
                "Core", leaf("A", "def compute_score():\n    return 'a', 1"), leaf("B", "def compute_score():\n    return 'b', True"), critical=True
            ),
            parent("Position", leaf("C", "def compute_score():\n    return 'c', 0.7"), critical=True),
            parent("Kept", leaf("D", "def compute_score():\n    return 'd', 1.0"), leaf("E", "def compute_score():\n    return 'e', 0.0")),
        ),
    ),
    "screenshots": (
        "A leaf reads screenshots and has a word for none.",
        "Medium",
        parent(
            "Root",
            leaf("Title", TITLE, critical=True),
            leaf(
                "Looks",
                """
                def compute_score():
                    from ppteval.verify.ppt.verifier import ScreenshotsUnavailableError
                    if not original_ppt_screenshots or not modified_ppt_screenshots:
                        raise ScreenshotsUnavailableError("no pictures")
                    return f"{len(modified_ppt_screenshots)} pictures", 1.0
                """,
            ),
            leaf("Counts", "def compute_score():\n    return 'counted', 1.0 if len(modified_ppt_screenshots) >= 0 else 0.0"),
        ),
    ),
    "model": (
        "A critical leaf asks a model, and catches what comes of it.",
        "Medium",
        parent(
            "Root",
            leaf("Readable", ASKS, critical=True),
            leaf(
                "Swallows",
                "def compute_score():\n    try:\n        return llm_call('Is it good?'), 1.0\n    except BaseException:\n        return 'swallowed', 0.0",
                critical=True,
            ),
            leaf("Nothing else", ONLY_FIRST),
        ),
    ),
    "early": (
        "A leaf that answers before it asks.",
        "Medium",
        parent(
            "Root",
            leaf(
                "Early",
                """
                def compute_score():
                    if ppt_diff.removed_slides:
                        return "slides are gone", 0.0
                    if not ppt_diff.modified_slides:
                        return "nothing was done", 0.0
                    if len(ppt_diff.modified_slides) == 1:
                        return "one slide, as asked", 1.0
                    return vlm_call("Is it fine?", modified_ppt_screenshots), 1.0
                """,
                critical=True,
            ),
        ),
    ),
    "shims": (
        "Leaves import what the benchmark ships.",
        "Medium",
        parent(
            "Root",
            leaf(
                "Imports",
                """
                from dotenv import load_dotenv
                load_dotenv()

                def compute_score():
                    from ppteval.verify.ppt.diff import PowerPointDiff, Slide
                    from ppteval.verify.ppt.verifier import PPTVerifier, ScreenshotsUnavailableError
                    from rubric.utils.llm_tools import vlm_call as ask
                    import numpy, PIL.Image, difflib, zipfile, re, os, random
                    assert isinstance(ppt_diff, PowerPointDiff) and issubclass(ScreenshotsUnavailableError, RuntimeError)
                    assert callable(ask) and set(ppt_diff.to_dict()) >= {"added_slides", "modified_animations"}
                    return "all there", 1.0
                """,
            ),
            leaf(
                "Archive",
                """
                def compute_score():
                    import os, tempfile, zipfile
                    with zipfile.ZipFile(modified_ppt_path) as archive, tempfile.TemporaryDirectory() as folder:
                        archive.extract("ppt/presentation.xml", folder)
                        return "unpacked", 1.0 if os.path.exists(os.path.join(folder, "ppt", "presentation.xml")) else 0.0
                """,
            ),
        ),
    ),
    "records": (
        "Leaves read the records of the comparison.",
        "Hard",
        parent(
            "Root",
            leaf(
                "Records",
                """
                def compute_score():
                    for old, new in ppt_diff.modified_slides:
                        parts = [new.slide_id, new.slide_number, new.title, new.element_count, new.notes, new.layout_type, new.content_hash]
                        if not all(part is not None for part in parts[:4]) or not getattr(new, "to_dict")():
                            return "a record is not whole", 0.0
                    added = [t.transition_type for t in ppt_diff.added_transitions]
                    return f"{len(ppt_diff.modified_slides)} slides, transitions {added}", 1.0 if added == ["fade"] else 0.5
                """,
                critical=True,
            ),
            leaf(
                "No animations",
                """
                def compute_score():
                    lists = (ppt_diff.added_animations, ppt_diff.removed_animations, ppt_diff.modified_animations)
                    return "animations", 0.0 if any(lists) else 1.0
                """,
            ),
        ),
    ),
    "globals": (
        "Leaves reach for their globals, and one is fenced.",
        "Hard",
        parent(
            "Root",
            leaf("Reads", "def compute_score():\n    return 'context', 1.0 if 'modified_ppt_path' in globals() else 0.0"),
            leaf(
                "Writes",
                "def compute_score():\n    global seen\n    seen = globals().get('seen', 0) + 1\n    return str(seen), 1.0 if seen == 1 else 0.0",
            ),
            leaf(
                "Writes again",
                "def compute_score():\n    global seen\n    seen = globals().get('seen', 0) + 1\n    return str(seen), 1.0 if seen == 1 else 0.0",
            ),
            leaf("Fenced", "```python\ndef compute_score():\n    return 'fenced', 1.0\n```"),
            leaf("Main", "def compute_score():\n    return 'main', 1.0\n\nif __name__ == '__main__':\n    print(compute_score())"),
        ),
    ),
    "syntax": (
        "A leaf is no Python, one has no scorer of that name.",
        "Hard",
        parent("Root", leaf("Broken", "def compute_score(:\n    pass"), leaf("Nameless", "def score():\n    return 'x', 1.0"), leaf("Title", TITLE)),
    ),
    "hostile": (
        "Leaves that mean harm, and one that does not.",
        "Hard",
        parent(
            "Root",
            leaf("Loops", "def compute_score():\n    while True:\n        pass"),
            leaf("Sleeps", "import time\ntime.sleep(600)\ndef compute_score():\n    return 'x', 1.0"),
            leaf("Eats memory", "def compute_score():\n    hoard = []\n    while True:\n        hoard.append(bytearray(100_000_000))"),
            leaf(
                "Writes",
                """
                def compute_score():
                    from os.path import dirname, join
                    open(join(dirname(dirname(dirname(original_ppt_path))), "docops-was-here"), "w").write("x")
                    return "wrote", 1.0
                """,
            ),
            leaf("Reads", "def compute_score():\n    return open('/etc/passwd').read()[:20], 1.0"),
            leaf(
                "Calls home",
                "def compute_score():\n    import socket\n    socket.create_connection(('192.0.2.1', 80), 1)\n    return 'connected', 1.0",
            ),
            leaf("Forks", "def compute_score():\n    import os\n    while True:\n        os.fork()"),
            leaf(
                "Starts a program",
                "def compute_score():\n    import subprocess\n    return subprocess.run(['id'], capture_output=True, text=True).stdout, 1.0",
            ),
            leaf("Exits", "def compute_score():\n    import os\n    os._exit(0)"),
            leaf("Leaves", "import sys\nsys.exit(0)"),
            leaf("Harmless", "def compute_score():\n    return 'fine', 1.0"),
        ),
    ),
}


def deck(*, title: str = "Quarter", fade: bool = False, other: str = "", notes: str = "Say hello.") -> bytes:
    """A deck of three slides."""
    import pptx
    from lxml import etree

    presentation = pptx.Presentation()
    core = presentation.core_properties
    core.title, core.author = "Quarter", "Projects"
    core.created = core.modified = datetime.datetime(*FIXED_DATE)
    for number, text in enumerate((title, "Figures", other or "Outlook"), 1):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = text
        slide.placeholders[1].text = f"Point {number}"
        slide.notes_slide.notes_text_frame.text = notes if number == 2 else "Nothing to say."
        if fade and number == 1:
            space = "http://schemas.openxmlformats.org/presentationml/2006/main"
            transition = etree.Element(f"{{{space}}}transition")
            etree.SubElement(transition, f"{{{space}}}fade")
            slide._element.insert_element_before(transition, "p:timing", "p:extLst")
    out = io.BytesIO()
    presentation.save(out)
    return repack(out.getvalue())


def task_id(name: str) -> str:
    """The id of a task, with all that ids of the benchmark hold."""
    return f"Quarter  Review [Autosaved]+{name}-{1 + list(RUBRICS).index(name):03}"


def main() -> None:
    """Write registry, rubrics and deck."""
    tasks = {}
    for folder in ("task_registry", "rubrics", "decks"):
        (TARGET / folder).mkdir(parents=True, exist_ok=True)
    for name, (goal, difficulty, root) in RUBRICS.items():
        rubric = {"root": root, "metadata": {"task": goal, "compute_strategy": "default", "critical_node_weight": 0.7}}
        (TARGET / "rubrics" / f"{name}.json").write_text(json.dumps(rubric, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        tasks[task_id(name)] = {
            "goal": goal,
            "rubric_path": f"rubrics/{name}.json",
            "file_path": f"decks/{DECK}",
            "tags": ["powerpoint"],
            "misc": {"difficulty": difficulty},
        }
    (TARGET / "task_registry" / "tasks.json").write_text(json.dumps(tasks, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (TARGET / "decks" / DECK).write_bytes(deck())


if __name__ == "__main__":
    main()
