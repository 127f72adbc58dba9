"""Noise filter: patterns, and similarity to sentences known as noise."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.recalling import Recalling
from combray.language.trivial import noise_class, prototypes
from combray.pipeline import stage
from combray.runtime import Embedder, Filter, Runtime, Vectors
from combray.scoring.ranking import DECIMALS

TAG = "noise"
"""A memory that is forgotten and carries this tag teaches the bank."""

_built_in: dict[tuple[str, int], Vectors] = {}
"""Vectors of the built-in sentences by embedder (name and dimensions): embedded once a process."""


@stage
class FilterNoise:
    """Drops denials, questions about the memory, greetings, diagnostics and similar texts (Mnemo, stage 9).

    Patterns work at any service level. The bank holds the vectors of built-in sentences (English, Vietnamese,
    Chinese) and of the newest `learned` memories that were forgotten with the tag "noise", except those with a
    cosine of `repeats` or more to a vector in the bank. A candidate of `shortest` to `longest` characters with a
    cosine of at least `threshold` to any of them is noise. The bank is off if the embedder has the first two
    built-in sentences nearer than `degenerate`: it cannot distinguish sentences.

    Constants: Mnemo, see docs/reference/presets.md.
    """

    needs = ("score",)
    leaves_process = True
    threshold: float = 0.82
    shortest: int = 9
    longest: int = 300
    learned: int = 200
    repeats: float = 0.95
    degenerate: float = 0.98
    label: str = "FilterNoise"

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        texts = state.reader.contents(state.keys)
        classes = [noise_class(text) for text in texts]
        if state.embedded.vector is not None and runtime.embedder is not None:
            near = self._near(state, runtime.embedder)
            for place, text in enumerate(texts):
                if near[place] and self.shortest <= len(text) <= self.longest:
                    classes[place] = classes[place] or "bank"
        dropped = Counter(each for each in classes if each is not None)
        if dropped:
            before = Counter(state.details.get("noise", {}))
            state.details["noise"] = dict(sorted((before + dropped).items()))
            state.take(np.array([each is None for each in classes], dtype=np.bool_))
            if not len(state.keys):
                state.reason = "all that was found is noise: greetings, denials or questions about the memory"
        return state

    def _near(self, state: Recalling, embedder: Embedder) -> NDArray[np.bool_]:
        """Which candidates resemble a sentence of the bank."""
        nobody: NDArray[np.bool_] = np.zeros(len(state.keys), dtype=np.bool_)
        try:
            if (embedder.name, embedder.dimensions) not in _built_in:
                _built_in[embedder.name, embedder.dimensions] = embedder.embed(prototypes())
        except ModelError as error:
            state.degraded.append(f"noise by patterns only: {error}")
            return nobody
        bank = built = _built_in[embedder.name, embedder.dimensions]
        if round(float(built[0] @ built[1]), DECIMALS) > self.degenerate:
            state.details["noise_bank"] = f"off: {embedder.name} tells no sentences apart"
            return nobody
        forgotten = Filter(statuses=("forgotten",), tags=(TAG,))
        keys = state.reader.scan(forgotten, newest_first=True, limit=self.learned)
        if len(keys):
            vectors, has = state.reader.vectors(state.embedded.model, keys)
            for vector in vectors[has]:
                if round(float((bank @ vector).max()), DECIMALS) < self.repeats:
                    bank = np.vstack((bank, vector))
        vectors, has = state.reader.vectors(state.embedded.model, state.keys)
        if not has.any():
            return nobody
        near: NDArray[np.bool_] = has & (np.round(vectors @ bank.T, DECIMALS).max(axis=1) >= self.threshold)
        return near
