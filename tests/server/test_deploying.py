"""The commands of docs/howto/deploy-a-server.md, run as far as a machine without root and containers can."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from deploying import DEPLOY, HOME, Machine, there
from pages_read import steps
from serving import SECONDS
from tiers import nightly

from combray.testing import postgres
from combray.testing.postgres import Server

PAGE = DEPLOY.parent / "docs" / "howto" / "deploy-a-server.md"
ELSEWHERE = re.compile(
    r"sudo (?!-u combray )|cd deploy|openssl rand|chmod 444|(COMBRAY_SERVER_HOSTS=\S+ )?docker |echo .* \| sudo"
)
"""Commands that change the machine, or start containers."""
SERVICE = re.compile(r"sudo systemctl (enable --now|start|stop|restart) combray")


@pytest.mark.skipif(not (there("curl") and there("openssl")), reason="needs curl and openssl")
@pytest.mark.parametrize("proxy", ["nginx", *nightly(["caddy"], "the commands are those behind nginx")])
def test_the_commands_of_the_page_work(proxy: str, tmp_path: Path) -> None:
    if not there(proxy):
        pytest.skip(f"{proxy} is not installed")
    machine, token, ran = Machine(tmp_path), "", 0
    try:
        with machine.behind(proxy):
            for command, expected in steps(PAGE):
                if done := SERVICE.fullmatch(command):
                    if done[1] in ("stop", "restart"):
                        machine.stop()
                    if done[1] != "stop":
                        machine.start()
                    continue
                if ELSEWHERE.match(command):
                    continue
                printed = machine.run(command, COMBRAY_TOKEN=token)
                ran += 1
                if "keys create" in command:
                    token = json.loads(printed)["key"] if printed.startswith("{") else printed.strip()
                if expected:
                    pattern = ".*".join(map(re.escape, expected.split("…")))
                    assert re.fullmatch(pattern, printed.strip(), re.DOTALL), f"{command}\n{printed}"
                if "memories -H 'Content" in command:
                    stream = "curl -sN --max-time 3 https://memory.example.com/v1/events -H 'Last-Event-ID: 0'"
                    events = f'{stream} -H "Authorization: Bearer $COMBRAY_TOKEN" || [ $? = 28 ]'
                    assert "event: remember" in machine.run(events, COMBRAY_TOKEN=token)
    finally:
        machine.stop()
    assert ran >= 12
    assert (tmp_path / "backup.db").stat().st_mode & 0o077 == 0


def test_the_health_check_of_the_image_knows_whether_the_server_is_ready(tmp_path: Path) -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    (command,) = re.findall(r"^HEALTHCHECK .*\\\n +CMD (\[.*\])$", text, re.MULTILINE)
    machine = Machine(tmp_path)
    check = [part.replace(":8765", f":{machine.port}") for part in json.loads(command)]
    assert subprocess.run(check, capture_output=True, timeout=SECONDS).returncode != 0
    machine.start()
    try:
        assert subprocess.run(check, capture_output=True, timeout=SECONDS).returncode == 0
    finally:
        machine.stop()


def test_the_image_has_two_stages_and_runs_as_nobody_special() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    known = [
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "ENV",
        "USER",
        "VOLUME",
        "EXPOSE",
        "HEALTHCHECK",
        "ENTRYPOINT",
        "CMD",
    ]
    assert {word for word, _ in lines} <= set(known)
    stages = [place for place, (word, _) in enumerate(lines) if word == "FROM"]
    assert len(stages) == 2
    last = dict(lines[stages[1] :])
    assert int(last["USER"]) > 0
    assert json.loads(last["ENTRYPOINT"]) == ["combray"]
    copied = [rest.split() for word, rest in lines if word == "COPY" and "--from" not in rest]
    assert all((DEPLOY.parent / each).exists() for parts in copied for each in parts[:-1])
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{each}" for parts in copied for each in parts[:-1]} <= set(ignored)


def test_the_compose_file_has_what_it_refers_to() -> None:
    yaml = pytest.importorskip("yaml")
    made = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    (included,) = made["include"]
    base = yaml.safe_load((DEPLOY / included["path"]).read_text(encoding="utf-8"))
    service = made["services"]["combray"]
    assert set(service["depends_on"]) <= set(base["services"])
    assert set(service["secrets"]) <= set(base["secrets"])
    assert {each.partition(":")[0] for each in service["volumes"]} == set(made["volumes"])
    assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).exists()
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert all(each.startswith("127.0.0.1:") for each in service["ports"])


def test_the_entrypoint_passes_the_password_and_the_arguments(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    made = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    (tmp_path / "db").write_text("a b'c\n", encoding="utf-8")
    (tmp_path / "combray").write_text('#!/bin/sh\nprintf "%s|" "$PGPASSWORD" "$@"\n', encoding="utf-8")
    (tmp_path / "combray").chmod(0o755)
    entry = [
        each.replace("$$", "$").replace("/run/secrets", str(tmp_path))
        for each in made["services"]["combray"]["entrypoint"]
    ]
    done = subprocess.run(
        [*entry, "keys", "list it"], env={"PATH": f"{tmp_path}:/bin:/usr/bin"}, capture_output=True, text=True
    )
    assert done.stdout == "a b'c|keys|list it|"


@pytest.mark.skipif(not there("systemd-analyze"), reason="systemd is not installed")
def test_the_unit_is_valid_and_closed(tmp_path: Path) -> None:
    text = (DEPLOY / "combray.service").read_text(encoding="utf-8")
    unit = tmp_path / "combray.service"
    unit.write_text(text.replace("/opt/combray/bin/combray", "/bin/true"), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    rated = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(unit)]
    assert subprocess.run(rated, capture_output=True).returncode == 0
    assert f"COMBRAY_DB={HOME}/memory.db" in text


def test_a_dump_made_while_the_server_writes_is_restored(postgres_server: Server, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    url = machine.variables["COMBRAY_DB"] = postgres_server.url()
    given = [command for command, _ in steps(PAGE) if "exec -T postgres" in command]

    def run(command: str) -> None:
        named = command.replace("-U combray ", "").replace("-d combray", f"-d '{url}'")
        named = named.replace("-n combray combray", f"-n combray '{url}'")
        machine.run(named.replace("docker compose exec -T postgres ", f"{postgres.binaries()}/"))

    shell = "/opt/combray/bin/combray"
    machine.run(f"{shell} remember 'The spare badge is in the second drawer.'")
    dump, *restore = given
    run(dump)
    machine.run(f"{shell} remember 'The stores close at nine.'")
    for command in restore:
        run(command)
    found = machine.run(f"{shell} list --json")
    assert "second drawer" in found
    assert "close at nine" not in found
    machine.run(f"{shell} remember 'Ana has the other badge.'")
