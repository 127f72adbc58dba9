"""The command: `python -m bench.consolidation.week`: a made-up week of talk, and what was believed each night."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import combray
from combray.runtime import Filter

MONDAY = datetime(2024, 3, 4, 18, tzinfo=UTC)
WEEK = (
    (
        ("Ines", "I live in Porto. I have two cats."),
        ("Tom", "Lovely! Do you like it there?"),
        ("Ines", "I love fado and sailing."),
    ),
    (("Tom", "I work for Bosch."), ("Ines", "Maybe I should look for another job.")),
    (("Ines", "By the way, I have two cats, so no dogs please."), ("Tom", "I'm allergic to dogs anyway, haha.")),
    (("Tom", "Yesterday I adopted a grey kitten named Otto!"), ("Ines", "You adopted a kitten?")),
    (("Ines", "Big news: I moved to Lisbon yesterday."), ("Tom", "Wow, congratulations!")),
    (("Tom", "If I worked for Siemens I would move too."), ("Ines", "I don't like fado. Sailing is better.")),
    (("Ines", "I love fado and sailing. I was joking."), ("Tom", "I work for Siemens now.")),
)


QUESTION = "Where does Ines live, and did she move?"


class _Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now.timestamp()


def main() -> int:
    """Seven evenings of talk, a consolidation at three each night, and each fact as it stands then."""
    clock = _Clock(MONDAY)
    with combray.open(":memory:", embedder="wordllama", clock=clock) as engine:
        for day, evening in enumerate(WEEK):
            clock.now = MONDAY + timedelta(days=day)
            talk = engine.conversation(f"day {day + 1}")
            talk.add_many({"content": text, "author": author} for author, text in evening)
            clock.now = (MONDAY + timedelta(days=day + 1)).replace(hour=3)
            done = engine.consolidation.run()
            print(f"{clock.now:%a %d %b, %H:%M}")
            for line in done.plan:
                if line.operation != "fade":
                    print(f"  {line.operation:10} {line.content}  ({line.detail})")
            for memory in engine.reader.memories(engine.reader.scan(Filter(kinds=("fact",))).tolist()):
                print(f"    {memory.confidence:.3f}  {memory.content}  [{len(memory.evidence)}]")
            for pair in engine.consolidation.waiting():
                print(f"    waits: {pair.first.content} / {pair.second.content} ({pair.reason})")
        for question, as_of in ((QUESTION, "2024-03-06"), (QUESTION, None)):
            found = engine.recall(question, kinds=["fact"], limit=1, as_of=as_of)
            print(f"{question} as of {as_of or 'now'}: {found[0].memory.content if found else found.reason}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
