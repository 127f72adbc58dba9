from pathlib import Path

import pytest
from shell import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def test_other_names_are_declared_listed_and_removed(shell: Shell) -> None:
    told = shell.remember("The cluster runs Kubernetes 1.31", "--entities", "Kubernetes=k8s|kube, Frankfurt")
    done = shell.json("alias", "Kubernetes", "kubes", "kluster")
    assert done["aliases"] == ["kubes", "kluster"]
    first = shell.json("entities")[0]
    assert (first["name"], first["aliases"]) == ("Kubernetes", ["k8s", "kluster", "kube", "kubes"])
    assert first["stated_by"] == [told, *done["ids"]]
    assert shell.json("recall", "what runs k8s?")["results"][0]["insight"]["id"] == told
    shell.json("alias", "Kubernetes", "kluster", "--remove")
    assert shell.json("entities")[0]["aliases"] == ["k8s", "kube", "kubes"]
    text = shell.in_terminal("entities")
    assert "Kubernetes" in text
    assert "k8s, kube, kubes" in text


def test_two_entities_are_merged(shell: Shell) -> None:
    shell.remember("Invoices are late", "--entities", "ACC=the coyote client")
    shell.json("alias", "Acme Corporation", "ACC", "--merge")
    names = next(each for each in shell.json("entities") if each["name"] == "Acme Corporation")
    assert names["aliases"] == ["ACC", "the coyote client"]


def test_mistakes_are_told(shell: Shell) -> None:
    same = shell.run("alias", "Redis", "redis")
    assert same.exit_code != 0
    assert "no other name of 'Redis'" in same.output
    both = shell.run("alias", "Redis", "cache", "--merge", "--remove")
    assert both.exit_code == 2
    assert "not both" in both.output
    unknown = shell.run("alias", "Redis", "cache", "--remove")
    assert unknown.exit_code == 1
    assert "List them" in unknown.output
    assert "No memory names an entity." in shell.in_terminal("entities")
