"""How long anchors take over a text of 500 pages: `python benchmarks/anchors.py`.

Prints seconds for 125, 250 and 500 pages of 400 words, for one criterion of each kind.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).parents[1]))

from docops.core.predicate import Context
from docops.families.quantities import find_quantities
from docops.families.text_profiles import normalise
from docops.registry import predicate_named
from tests.families.test_cases import OneText

SENTENCE = "In year {0} the insurer paid EUR {1:,} for {2} claims, that is {3}.5 % of the premium, within {4} days; nothing is guaranteed for the future. "
WORDS_ON_A_PAGE = 400

CRITERIA: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("anchor.contains", {"text": "no such wording"}),
    ("anchor.matches", {"pattern": "zz[0-9]+(a|b)*c"}),
    ("anchor.all_of", {"texts": ["guaranteed", "premium", "no such wording"]}),
    ("anchor.quantity", {"value": "7 weeks"}),
    ("anchor.label_value", {"label": "premium", "value": "7 weeks"}),
    ("report.forbids", {"phrases": ["guarantee", "without any exception"]}),
    ("report.readability", {"min_words": 1}),
    ("report.language", {"language": "en"}),
    ("anchor.clean_text", {}),
)


def paragraphs(pages: int) -> list[str]:
    """Paragraphs of three sentences, no two alike."""
    count = pages * WORDS_ON_A_PAGE // (len(SENTENCE.split()) * 3)
    return ["".join(SENTENCE.format(1900 + n % 120, 1000 + 37 * n + k, n, n % 90, n % 60 + k) for k in range(3)) for n in range(count)]


def main() -> None:
    """Print the table."""
    print(f"{'criterion':24} {'125 pages':>10} {'250 pages':>10} {'500 pages':>10}")
    for name, given in CRITERIA:
        times = []
        for pages in (125, 250, 500):
            context = cast(Context, OneText(*paragraphs(pages)))
            find_quantities.cache_clear()
            normalise.cache_clear()
            start = time.process_time()
            list(predicate_named(name).check(context, at="a.docx", **given))
            times.append(time.process_time() - start)
        print(f"{name:24} {times[0]:10.2f} {times[1]:10.2f} {times[2]:10.2f}")


if __name__ == "__main__":
    main()
