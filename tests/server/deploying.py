"""The files of `deploy/` on this machine: the unit's server, and reverse proxies with a certificate."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
from ports import free_port
from serving import SECONDS, environment

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "memory.example.com"
HOME = "/var/lib/combray"


class Machine:
    """A folder in place of the machine's, and the programs that the page starts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port, self.tls = free_port(), free_port()
        self.variables = environment(folder) | {"COMBRAY_EMBEDDER": "none", "COMBRAY_SERVER_HOSTS": NAME}
        self._server: subprocess.Popen[bytes] | None = None
        request = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
        files = ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
        subprocess.run(["openssl", "req", *request, *files], cwd=folder, check=True, capture_output=True)

    def start(self) -> None:
        """Start what the unit starts, with its variables."""
        unit = (DEPLOY / "combray.service").read_text(encoding="utf-8").replace(HOME, str(self.folder))
        given = [shlex.split(each) for each in re.findall(r"^Environment=(.*)$", unit, re.MULTILINE)]
        variables = self.variables | dict(each.split("=", 1) for line in given for each in line)
        (command,) = re.findall(r"^ExecStart=/opt/combray/bin/combray (.*)$", unit, re.MULTILINE)
        program = [sys.executable, "-m", "combray", *shlex.split(command), "--port", str(self.port)]
        self._server = subprocess.Popen(program, env=variables)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until and self._server.poll() is None:
            with suppress(httpx2.HTTPError):
                if httpx2.get(f"http://127.0.0.1:{self.port}/ready").status_code == 200:
                    return
            time.sleep(0.05)
        raise AssertionError("the server does not start")

    def stop(self) -> None:
        """Stop it as systemd does."""
        if self._server is not None:
            self._server.terminate()
            assert self._server.wait(SECONDS) == 0
        self._server = None

    def here(self, command: str) -> str:
        """Return a command of the page with this machine's places in it."""
        curl = f"curl --cacert {self.folder}/fullchain.pem --resolve {NAME}:{self.tls}:127.0.0.1 "
        command = command.replace("curl ", curl).replace(f"https://{NAME}", f"https://{NAME}:{self.tls}")
        program = f"{shlex.quote(sys.executable)} -m combray"
        command = command.removeprefix("sudo -u combray ").replace("/opt/combray/bin/combray", program)
        return command.replace(HOME, str(self.folder)).replace(":8765", f":{self.port}")

    def run(self, command: str, **variables: str) -> str:
        """Run a command of the page: what it prints."""
        done = subprocess.run(
            ["bash", "-c", self.here(command)],
            cwd=self.folder,
            env=self.variables | variables,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def nginx(self) -> list[str]:
        """The command of nginx with the site of the page."""
        site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
        site = site.replace("listen 443", f"listen 127.0.0.1:{self.tls}").replace(":8765", f":{self.port}")
        site = site.replace(f"/etc/letsencrypt/live/{NAME}", str(self.folder))
        (self.folder / "site.conf").write_text(site, encoding="utf-8")
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = " ".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in kinds)
        user = "user root; " if os.getuid() == 0 else ""
        whole = f"{user}daemon off; pid {self.folder}/nginx.pid; error_log stderr; events {{}}\n"
        whole += f"http {{ access_log off; {temporary} include {self.folder}/site.conf; }}\n"
        (self.folder / "nginx.conf").write_text(whole, encoding="utf-8")
        return ["nginx", "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-e", "stderr"]

    def caddy(self) -> list[str]:
        """The command of Caddy with the site of the page."""
        site = (DEPLOY / "Caddyfile").read_text(encoding="utf-8").replace(":8765", f":{self.port}")
        own = f"https://{NAME}:{self.tls} {{\n\ttls {self.folder}/fullchain.pem {self.folder}/privkey.pem\n"
        site = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + site.replace(f"{NAME} {{\n", own)
        (self.folder / "Caddyfile").write_text(site, encoding="utf-8")
        return ["caddy", "run", "--config", str(self.folder / "Caddyfile"), "--adapter", "caddyfile"]

    @contextmanager
    def behind(self, proxy: str) -> Iterator[None]:
        """Run a reverse proxy."""
        command = self.nginx() if proxy == "nginx" else self.caddy()
        with (self.folder / "proxy.log").open("wb") as log:
            running = subprocess.Popen(command, env=self.variables, stderr=log, stdout=log)
        try:
            until = time.monotonic() + SECONDS
            wait = f"curl -s https://{NAME}/health"
            while running.poll() is None and time.monotonic() < until:
                if subprocess.run(["bash", "-c", self.here(wait)], capture_output=True).returncode == 0:
                    break
                time.sleep(0.1)
            assert running.poll() is None, (self.folder / "proxy.log").read_text(encoding="utf-8")
            yield
        finally:
            running.terminate()
            running.wait(SECONDS)


def there(program: str) -> bool:
    """Whether a program is installed."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin") is not None
