"""Nine misspellings. mypy must report each of these lines, and no other."""

from __future__ import annotations

import combray


def synchronous(engine: combray.Engine) -> None:
    engine.remember("Ana prefers tea", importence=4)  # ERROR
    engine.remember("Ana prefers tea", importance=4)
    engine.remember_many([{"content": "Ana prefers tea", "tag": ["drinks"]}])  # ERROR
    engine.remember_many(["Ana prefers tea", {"content": "Bob too", "tags": ["drinks"]}])
    engine.recall("tea", categorys=["preference"])  # ERROR
    engine.recall("tea", categories=["preference"])
    engine.think("What does Ana drink?", untill="yesterday")  # ERROR
    engine.context("tea", min_confidense=0.5)  # ERROR
    engine.search("tea", author="Ana")  # ERROR
    engine.search("tea", authors=["Ana"])
    engine.quarantine.relase("0190c2a4")  # ERROR
    engine.quarantine.release("0190c2a4")


async def asynchronous() -> None:
    async with await combray.AsyncEngine.open(":memory:", presett="mnemon") as engine:  # ERROR
        await engine.remember("Ana prefers tea", importance=4)
        await engine.documents.index("notes", rebuilt=True)  # ERROR
        await engine.documents.index("notes", rebuild=True)
