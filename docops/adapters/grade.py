"""`python -m docops.adapters.grade BUNDLE OUTPUTS LOGS`: what runs in the verifier container of an exported task.

Written are `reward.json` (one key, `reward`), `reward-details.json` (the verdict) and `ctrf.json`. Where no verdict could be
reached there is no `reward.json`: its absence is what a harness takes for an error, and a 0 would blame the output.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

REWARD, DETAILS, CTRF = "reward.json", "reward-details.json", "ctrf.json"


def main(arguments: Sequence[str]) -> int:
    """Grade and write; 0 where there is a reward.

    arguments: the bundle's folder, the output folder and the folder for the files.
    """
    import docops
    from docops.report.ctrf import verdict_ctrf
    from docops.report.reward import NoReward, verdict_reward
    from docops.report.text import verdict_text

    bundle, outputs, logs = map(Path, arguments)
    logs.mkdir(parents=True, exist_ok=True)
    for name in (REWARD, DETAILS, CTRF):
        (logs / name).unlink(missing_ok=True)
    verdict = docops.verify(bundle, outputs)
    (logs / DETAILS).write_text(verdict.to_json() + "\n", encoding="utf-8")
    (logs / CTRF).write_text(verdict_ctrf(verdict), encoding="utf-8")
    sys.stdout.buffer.write(verdict_text(verdict).encode("utf-8", "backslashreplace"))
    try:
        reward = verdict_reward(verdict)
    except NoReward as error:
        sys.stdout.buffer.write(f"{error}\n".encode("utf-8", "backslashreplace"))
        return 4
    (logs / REWARD).write_text(reward, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
