"""The command: `python -m bench.auto_memory [--part tuning|held] [--wrong]`."""

from __future__ import annotations

import argparse

from bench.auto_memory.measuring import Judged, judge, messages, score


def main(arguments: list[str] | None = None) -> int:
    """Print precision and recall by language and by kind, of each part."""
    made = argparse.ArgumentParser(prog="python -m bench.auto_memory", description=__doc__)
    made.add_argument("--part", choices=("tuning", "held"), action="append")
    made.add_argument("--wrong", action="store_true", help="list what was kept wrongly or missed")
    options = made.parse_args(arguments)
    judged = judge(messages())
    for part in options.part or ("tuning", "held"):
        mine = [each for each in judged if each.message.part == part]
        groups: dict[str, list[Judged]] = {"all": mine}
        for each in mine:
            for name in (each.message.lang, each.message.kind):
                groups.setdefault(name, []).append(each)
        print(f"{part:24}{'messages':>10}{'kept':>8}{'wrongly':>9}{'missed':>8}{'precision':>11}{'recall':>8}")
        for name, group in groups.items():
            counts = score(group)
            row = f"{name:24}{len(group):10}{counts.kept + counts.wrong:8}{counts.wrong:9}{counts.missed:8}"
            print(f"{row}{counts.precision:11.1%}{counts.recall:8.1%}")
        for each in mine if options.wrong else []:
            if each.message.save != bool(each.savings):
                kept = "; ".join(saving.text for saving in each.savings) or "nothing"
                print(f"  [{each.message.lang}, {each.message.kind}] {each.message.text} -> {kept}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
