"""Models from the outside: which there are, fetching one, and whether those that are configured work."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from combray import wiring
from combray.errors import CombrayError, MissingExtraError, ModelError
from combray.settings import Settings, load

if TYPE_CHECKING:
    from combray.runtime import Embedder, LanguageModel, Peer, Reranker
    from combray.wiring import Fetched as Fetched
    from combray.wiring import Offer as Offer
    from combray.wiring import Progress

NEAR, FAR = ("cat", "kitten"), "invoice"
"""Two words that any embedder holds for closer than either is to the third."""
_QUERY = "Where does the cat sleep?"
_ANSWERS, _OTHER = "The cat sleeps on the sofa.", "The invoice is due on Friday."
_ANSWER_WITH = "OK"
_SHOWN = 60
_NO_KEY = re.compile(r": no key; set (?P<variable>\w+)$")
_OTHER_FORMAT = re.compile(r": the answer (is not JSON|is not of|holds|has )")
_STATUS_REMEDIES = {
    401: "Give the key of this service, and none that was taken back.",
    403: "Look in your account whether the key may use this model.",
    404: "Check the model's name, and the path of the address.",
    429: "Too many requests, or no credit left: wait, or look in your account.",
}


Found = tuple[bool, str, str]
"""Whether it works, what it said, and how to mend it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One model that was tried. `ok` is None where none is configured; `remedy` says how to mend a failure."""

    kind: str
    name: str
    ok: bool | None
    detail: str
    remedy: str = ""
    milliseconds: float | None = None


def offers() -> list[Offer]:
    """All that the settings `embedder`, `reranker`, `language_model` and `peers` may name."""
    return wiring.offers()


def fetch(spec: str, progress: Progress | None = None) -> Fetched:
    """Download what `onnx:ORG/NAME@REVISION/FILE.onnx` needs from the hub into its local cache.

    `progress` is told bytes done and bytes of all. Raises InvalidInputError, ModelError, MissingExtraError.
    """
    return wiring.fetch_model(spec, progress)


def in_use(overrides: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Kind -> the spec in force. Raises InvalidInputError."""
    settings = load(overrides)
    return {
        "embedder": settings.embedder,
        "reranker": settings.reranker,
        "language_model": settings.language_model,
        "peers": settings.peers or "none",
    }


def trials(overrides: Mapping[str, Any] | None = None) -> Iterator[Trial]:
    """Try every configured model and peer with one tiny request each. Raises InvalidInputError for a setting.

    A language model is asked for one word, a reranker to order two sentences, a peer for one result.
    """
    settings = load(overrides)
    tests: dict[str, Callable[[Any], Found]] = {
        "embedder": _embedding,
        "reranker": _reranking,
        "language_model": _completing,
    }
    for kind, test in tests.items():
        spec = str(getattr(settings, kind))
        if spec == "none":
            yield Trial(kind, spec, None, "none is configured")
        else:
            yield _tried(kind, spec, partial(_opened, kind, settings, test))
    peers = wiring.peers_of(settings)
    for peer in peers:
        yield _tried("peer", peer.name, partial(_searching, peer, settings))
    if not peers:
        yield Trial("peer", "none", None, "none is configured")


def _opened(kind: str, settings: Settings, test: Callable[[Any], Found]) -> Found:
    return test(wiring.open_model(kind, settings))


def _tried(kind: str, name: str, work: Callable[[], Found]) -> Trial:
    started = time.perf_counter()
    try:
        ok, detail, remedy = work()
    except CombrayError as error:
        return Trial(kind, name, False, str(error), _remedy(error))
    return Trial(kind, name, ok, detail, remedy, round((time.perf_counter() - started) * 1000, 1))


def _remedy(error: CombrayError) -> str:
    if isinstance(error, MissingExtraError) or not isinstance(error, ModelError):
        return ""
    status = getattr(error, "status", 0)
    if status >= 500:
        return "The service is in trouble; try again later."
    if status:
        return _STATUS_REMEDIES.get(status, "Check the model's name and what the service supports.")
    if missing := _NO_KEY.search(str(error)):
        return f"export {missing['variable']}=…"
    if "cannot be reached" in str(error) or "no answer within" in str(error):
        return "Start the server, or name its address: provider:MODEL@http://HOST:PORT."
    if _OTHER_FORMAT.search(str(error)):
        return "Something answers there, and not as this provider does: check the address and its path (/v1)."
    return ""


def _embedding(model: Embedder) -> Found:
    near, other, far = model.embed([*NEAR, FAR])
    like, unlike = float(near @ other), float(near @ far)
    shown = f"{model.dimensions} dimensions; {NEAR[0]}/{NEAR[1]} {like:.2f}, {NEAR[0]}/{FAR} {unlike:.2f}"
    if like > unlike:
        return True, shown, ""
    return False, f"{shown}: the far pair is the nearer one", "Is it an embedding model, with its own tokenizer?"


def _reranking(model: Reranker) -> Found:
    first, second = model.rerank(_QUERY, [_ANSWERS, _OTHER])
    if first is None or second is None:
        return False, "no relevance for one of two sentences", "Is it a reranking model?"
    shown = f"relevance {first:.2f} of the answer, {second:.2f} of another sentence"
    if first > second:
        return True, shown, ""
    return False, f"{shown}: the wrong one is first", "Is it a reranking model, with its own tokenizer?"


def _completing(model: LanguageModel) -> Found:
    said = " ".join(model.complete("This is a test of the connection.", f"Answer with {_ANSWER_WITH}.").split())
    return True, f"answers {said[:_SHOWN]!r}", ""


def _searching(peer: Peer, settings: Settings) -> Found:
    found = peer.search("test", 1, settings.namespace)
    return True, f"answers, with {len(found)} {'result' if len(found) == 1 else 'results'}", ""
