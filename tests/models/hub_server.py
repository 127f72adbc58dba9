"""A hub on loopback, as the hub's own library calls one: a repository, and faults that a test asks for."""

from __future__ import annotations

import hashlib
import json
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Fault:
    """What is wrong with the answers of one kind ("list", "head", "get") for a name that ends with `file`.

    A refusal has no body of its own. `cut`: only so many bytes of the body come. `whole`: it begins at the
    beginning, whatever part was asked for. `times`: how often, or for ever with -1.
    """

    kind: str
    file: str = ""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: int | None = None
    whole: bool = False
    wait: threading.Event | None = None
    times: int = -1


@dataclass
class Hub:
    """`files`: name -> content. `asked`: (kind, path) of every request."""

    url: str
    files: dict[str, bytes]
    commit: str = COMMIT
    faults: list[Fault] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)
    """Where each download began in its file."""
    tokens: list[str] = field(default_factory=list)
    listing: Callable[[dict[str, Any]], Any] = lambda listed: listed
    large: int = 1000
    """Bytes from which a file is listed with its SHA-256, as those are that are not stored in git itself."""

    def fault(self, kind: str, file: str) -> Fault:
        for each in self.faults:
            if each.kind == kind and file.endswith(each.file) and each.times:
                each.times -= 1
                return each
        return Fault("")

    def etag(self, content: bytes) -> str:
        if len(content) >= self.large:
            return hashlib.sha256(content).hexdigest()
        return hashlib.sha1(b"blob %d\0%b" % (len(content), content)).hexdigest()

    def listed(self) -> Any:
        siblings = []
        for name, content in self.files.items():
            each: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": self.etag(content)}
            if len(content) >= self.large:
                each |= {"blobId": "f" * 40, "lfs": {"sha256": self.etag(content), "size": len(content)}}
                each["lfs"]["pointerSize"] = 130
            siblings.append(each)
        return self.listing(
            {"id": "ada/colours", "modelId": "ada/colours", "sha": self.commit, "siblings": siblings}
        )


class _Answering(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.answer("head")

    def do_GET(self) -> None:
        self.answer("get")

    def answer(self, method: str) -> None:
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if path.startswith("/api/models/"):
            self.list(path)
        elif "/resolve/" in path:
            self.file(method, path)
        else:
            self.hub.asked.append(("else", path))
            self.send(404, b"", {})

    def list(self, path: str) -> None:
        self.hub.asked.append(("list", path))
        self.hub.tokens.append(self.headers.get("Authorization", ""))
        fault = self.hub.fault("list", path)
        repository, _, revision = path.removeprefix("/api/models/").partition("/revision/")
        missing = {"X-Error-Code": "RepoNotFound" if repository != "ada/colours" else "RevisionNotFound"}
        if repository != "ada/colours" or revision not in ("main", "v1", self.hub.commit):
            self.send(404, b"{}", missing)
        else:
            self.send(200, json.dumps(self.hub.listed()).encode(), {"Content-Type": "application/json"}, fault)

    def file(self, method: str, path: str) -> None:
        self.hub.asked.append((method, path))
        revision, _, name = path.partition("/resolve/")[2].partition("/")
        fault = self.hub.fault(method, name)
        if name not in self.hub.files or revision not in ("main", "v1", self.hub.commit):
            self.send(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        content = self.hub.files[name]
        start = 0
        if (ranged := self.headers.get("Range")) and not fault.whole:
            start = int(ranged.removeprefix("bytes=").partition("-")[0])
        if method == "get":
            self.hub.begun.append(start)
        told = {"ETag": f'"{self.hub.etag(content)}"', "X-Repo-Commit": self.hub.commit, "Accept-Ranges": "bytes"}
        if start:
            told["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self.send(206 if start else 200, content[start:], told, fault)

    def send(self, status: int, body: bytes, headers: Mapping[str, str], fault: Fault | None = None) -> None:
        fault = fault or Fault("")
        if fault.wait is not None:
            fault.wait.wait(90)
        body = (b"" if fault.status else body) if fault.body is None else fault.body
        told = {"Content-Length": str(len(body)), **headers, **fault.headers}
        try:
            self.send_response(fault.status or status)
            for name, value in told.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body[: fault.cut])
        except OSError:
            self.close_connection = True
        if fault.cut is not None:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def hub_of(files: dict[str, bytes], *faults: Fault) -> Iterator[Hub]:
    """A hub with the repository ada/colours, branch main and tag v1, at 127.0.0.1 on a free port."""
    hub = Hub("", files, faults=list(faults))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Answering", (_Answering,), {"hub": hub}))
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
