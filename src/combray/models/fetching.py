"""Models fetched from the Hugging Face hub into its local cache: the one place that downloads, when told to.

Every file is compared with what the hub's list says of it, then opened as the model or tokenizer that it is
to be. Only when all are there and right does the revision's name point to them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from combray.errors import InvalidInputError, ModelError
from combray.models import hub
from combray.models.hub import HubId
from combray.models.onnx_files import WEIGHTS, open_session, open_tokenizer

Progress = Callable[[int, int], None]
"""Is told the bytes done and of all."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_TAG = re.compile(r"[\w.+=-]{1,128}", re.ASCII)
"""An ETag becomes the name of a file in the cache."""
_PATIENCE = 10.0
"""Seconds for one answer without a file in it, as the library's own."""
_MOST_AGAIN = 3
"""Times its size that a file may be downloaded: a server that breaks every answer off is left."""
_LISTED = 5


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """`name`: within the repository. `size` in bytes, `sha256` as 64 hexadecimal digits."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """`spec` names exactly this commit. `note` tells that the hub could not be asked, if it could not."""

    repository: str
    commit: str
    spec: str
    folder: str
    files: tuple[FetchedFile, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Listed:
    """A file as the hub lists it. `hashed`: its SHA-256, or, of a small file, the SHA-1 of git."""

    name: str
    size: int
    hashed: str


def fetch(spec: str, progress: Progress | None = None) -> Fetched:
    """Download what `onnx:ORG/NAME@REVISION/FILE.onnx` needs, or find it in the cache. Needs the extra `onnx`.

    Where the hub cannot be reached, what is in the cache already is told, with a note.
    Raises InvalidInputError, ModelError, MissingExtraError.
    """
    named = _read(spec)
    library = hub.library()
    try:
        commit, listed = _asked(library, named)
        wanted = _wanted(named, listed)
        model = wanted[0].name
    except ModelError as error:
        root, model = _kept(named, error)
        commit, note = root.name, f"{error}; this is what the cache has"
        wanted = [_Listed(each, (root / each).stat().st_size, "") for each in _in_cache(root, model)]
    else:
        root, note = _download(library, named, commit, wanted, progress or _silent), ""
    files = tuple(_checked(root, each) for each in wanted)
    open_session(root / model)
    open_tokenizer(root / next(each.name for each in wanted if each.name.endswith(hub.TOKENIZER)), 1)
    if not note:
        _point(library, named, commit, wanted)
    pinned = f"onnx:{named.repository}@{commit}{f'/{named.file}' if named.file else ''}"
    return Fetched(named.repository, commit, pinned, str(root), files, note)


def _silent(done: int, of: int) -> None:
    del done, of


def _read(spec: str) -> HubId:
    provider, _, text = spec.partition(":")
    named = hub.read(text) if provider == "onnx" else None
    if named is None:
        raise InvalidInputError(
            "spec",
            f"{spec!r} names no model of the hub.",
            "Write onnx:ORG/NAME, or onnx:ORG/NAME@REVISION/FILE.onnx.",
        )
    return named


# -- what there is -------------------------------------------------------------------------------------


def _asked(library: Any, named: HubId) -> tuple[str, dict[str, _Listed]]:
    """The commit of the revision, and its files by name."""
    try:
        told = library.HfApi().model_info(
            named.repository, revision=named.revision, files_metadata=True, timeout=_PATIENCE
        )
        commit, listed = str(told.sha), {each.rfilename: _listing(each) for each in told.siblings}
    except Exception as error:  # the library's errors, those of its HTTP client, and what a wrong answer causes
        raise _explained(library, named, error) from error
    if not _COMMIT.fullmatch(commit):
        raise ModelError(f"onnx:{named}: {_endpoint(library)} gives no commit: it does not answer as a hub does")
    return commit, listed


def _listing(sibling: Any) -> _Listed:
    hashed = sibling.lfs.sha256 if sibling.lfs else sibling.blob_id
    return _Listed(str(sibling.rfilename), int(sibling.size), str(hashed))


def _wanted(named: HubId, listed: Mapping[str, _Listed]) -> list[_Listed]:
    """The model first, then its weights, tokenizer and pooling; nothing else, whatever the repository holds."""
    model = next((each for each in named.models if each in listed), "")
    if not model:
        there = sorted(each for each in listed if each.endswith(".onnx") and each.isprintable())
        more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
        others = f"it has {', '.join(there[:_LISTED])}{more}: name one, onnx:{named.repository}/FILE.onnx"
        wants = named.file or " or ".join(hub.MODELS)
        raise _AnswerError(
            f"onnx:{named}: the repository has no {wants}; {others if there else 'it has no ONNX file at all'}"
        )
    tokenizer = next((each for each in hub.tokenizers_of(model) if each in listed), "")
    if not tokenizer:
        raise _AnswerError(
            f"onnx:{named}: the repository has no {hub.TOKENIZER}, which a model cannot do without"
        )
    weights = sorted(each for each in listed if each.startswith(model) and WEIGHTS.fullmatch(each[len(model) :]))
    pooling = [hub.POOLING] if hub.POOLING in listed else []
    return [listed[each] for each in (model, *weights, tokenizer, *pooling)]


class _AnswerError(ModelError):
    """The hub did answer: what the cache has does not stand in."""


def _kept(named: HubId, error: ModelError) -> tuple[Path, str]:
    """What the cache has, where the hub could not be asked. Raises the error where it has nothing."""
    if isinstance(error, _AnswerError):
        raise error
    try:
        return hub.cached(named)
    except ModelError:
        raise error from error.__cause__


def _in_cache(root: Path, model: str) -> list[str]:
    """The files of a snapshot in the cache that are used, as `_wanted` orders them."""
    here = {each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file()}
    unmeasured = {name: _Listed(name, 0, "") for name in here}
    return [each.name for each in _wanted(HubId("", file=model), unmeasured)]


# -- getting it ----------------------------------------------------------------------------------------


def _download(library: Any, named: HubId, commit: str, wanted: list[_Listed], progress: Progress) -> Path:
    """The folder of the commit in the cache, with every wanted file in it."""
    total = sum(each.size for each in wanted)
    done = 0
    root = Path()
    for each in wanted:
        try:
            _ask_about(library, named, commit, each)
            path = library.hf_hub_download(
                named.repository,
                each.name,
                revision=commit,
                tqdm_class=_bar(each, partial(_further, progress, done, total)),
            )
        except ModelError:
            raise
        except Exception as error:  # as in `_asked`
            raise _explained(library, named, error) from error
        root = Path(path).parents[each.name.count("/")]
        if root.name != commit:
            raise ModelError(f"onnx:{named}: the hub gave {each.name} of another commit than was asked for")
        done += each.size
        progress(done, total)
    return root


def _further(progress: Progress, before: int, total: int, arrived: int) -> None:
    progress(before + arrived, total)


def _ask_about(library: Any, named: HubId, commit: str, file: _Listed) -> None:
    """What the library will make paths of is looked at first. Raises ModelError."""
    told = library.get_hf_file_metadata(
        library.hf_hub_url(named.repository, file.name, revision=commit), timeout=_PATIENCE
    )
    if told.commit_hash != commit or not _TAG.fullmatch(told.etag or "") or ".." in told.etag:
        raise ModelError(f"onnx:{named}: the hub's answer for {file.name} cannot be trusted (its commit or ETag)")
    if told.size is not None and told.size != file.size:
        raise ModelError(
            f"onnx:{named}: the hub gives {file.name} two sizes, {file.size:,} bytes and {told.size:,} bytes"
        )


def _bar(file: _Listed, arrived: Callable[[int], None]) -> Any:
    """What the library reports to, in place of tqdm's bar; it ends what does not end."""
    state = {"done": 0, "taken": 0}

    class Bar:
        def __init__(self, **settings: Any) -> None:
            del settings

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *error: object) -> None:
            """Nothing is open."""

        def update(self, count: float | None = 1) -> None:
            """More bytes, or fewer where the library begins anew."""
            state["done"] += int(count or 0)
            state["taken"] += max(0, int(count or 0))
            if state["done"] > file.size or state["taken"] > _MOST_AGAIN * file.size:
                raise ModelError(f"{file.name}: more bytes came than its {file.size:,}; the download was left")
            arrived(state["done"])

    return Bar


def _checked(root: Path, file: _Listed) -> FetchedFile:
    """The file's own size and hash; one that is not what the list says is taken out of the cache again."""
    path = root / file.name
    size = path.stat().st_size
    sha256 = hashlib.sha256()
    git = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as opened:
        while part := opened.read(1 << 20):
            sha256.update(part)
            git.update(part)
    if (file.hashed and file.hashed not in (sha256.hexdigest(), git.hexdigest())) or size != file.size:
        path.resolve().unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        raise ModelError(f"{file.name} is not the file that the hub lists (its hash is another); it was removed")
    return FetchedFile(file.name, size, sha256.hexdigest())


def _point(library: Any, named: HubId, commit: str, wanted: list[_Listed]) -> None:
    """Have the revision's name mean this commit in the cache, now that all of it is there."""
    if _COMMIT.fullmatch(named.revision):
        return
    smallest = min(wanted, key=lambda each: each.size).name
    try:
        library.hf_hub_download(named.repository, smallest, revision=named.revision)
    except Exception as error:  # as in `_asked`
        raise _explained(library, named, error) from error
    if hub.cached(named)[0].name != commit:
        raise ModelError(f"onnx:{named}: the repository has changed meanwhile; fetch it again")


# -- what went wrong -----------------------------------------------------------------------------------


def _endpoint(library: Any) -> str:
    return str(library.constants.ENDPOINT)


def _explained(library: Any, named: HubId, error: BaseException) -> ModelError:
    """The library's error in one sentence that says what to do."""
    errors = library.errors
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    where = f"onnx:{named}: "
    status = getattr(getattr(error, "response", None), "status_code", 0)
    if isinstance(error, errors.OfflineModeIsEnabled):
        return ModelError(f"{where}HF_HUB_OFFLINE forbids asking the hub; unset it to fetch a model")
    if isinstance(error, errors.GatedRepoError):
        return _AnswerError(
            f"{where}access to it is granted by its owners: ask for it on the model's page, "
            "then set HF_TOKEN to a token of your account"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return _AnswerError(f"{where}the repository has no branch, tag or commit {named.revision}")
    if isinstance(error, errors.RepositoryNotFoundError) or status == 404:
        return _AnswerError(
            f"{where}{_endpoint(library)} has no such model, or a private one; check the name, "
            "or set HF_TOKEN to a token that may read it"
        )
    if status in (401, 403):
        return _AnswerError(f"{where}status {status}: check HF_TOKEN and what it may read")
    if status == 429:
        return ModelError(
            f"{where}the hub has had too many requests from here (status 429); wait, or set HF_TOKEN"
        )
    if status:
        return ModelError(f"{where}{_endpoint(library)} answers with status {status}")
    told = " ".join(str(error).split())[:200]
    if type(error).__module__.partition(".")[0] in ("httpx2", "httpcore2", "httpcore"):
        return ModelError(f"{where}{_endpoint(library)} cannot be reached: {told or type(error).__name__}")
    if isinstance(error, OSError):
        return ModelError(f"{where}{told}")
    return ModelError(
        f"{where}{_endpoint(library)} does not answer as a hub does ({type(error).__name__}: {told})"
    )
