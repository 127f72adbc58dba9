"""The graph as agents see it, through the SDK's own client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent import Agent, connected, text


@pytest.fixture(params=["wordllama", "none"])
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    with connected(tmp_path / "graph.db", namespace="work", embedder=request.param) as found:
        yield found


def test_related_shows_every_edge_of_a_neighbour(agent: Agent) -> None:
    chosen = agent.remember("We chose Kafka for the order queue")
    billing = agent.remember("Billing reads its events from Kafka")
    agent.done("link", source=chosen, target=billing, type="causal", weight=0.7)
    result = agent.call("related", id=chosen)
    assert result.structured_content is not None
    (found,) = result.structured_content["results"]
    edges = {each["type"]: each["weight"] for each in found["edges"]}
    # Written one after the other by one source, both name Kafka, and the link above.
    assert edges.items() >= {"temporal": 1.0, "entity": 1.0, "causal": 0.7}.items()
    line = text(result).splitlines()[1]
    assert line.startswith("1 step, ")
    for shown in ("temporal 1.00", "entity 1.00", "causal 0.70"):
        assert shown in line


def test_related_never_leaves_the_scope_of_the_memory(agent: Agent) -> None:
    ann = agent.remember("Kafka holds the orders of the shop", tags=["scope:user:ann"])
    bob = agent.remember("Kafka is down every second Tuesday", tags=["scope:user:bob"])
    far = agent.remember("The shop bills what Kafka delivers", tags=["scope:user:ann"])
    nobody = agent.remember("Kafka needs a larger disk")
    agent.remember("Zookeeper left when Kafka was renewed", tags=["scope:global"])
    assert agent.done("link", source=ann, target=far, type="causal", weight=0.9)
    for source, target in ((ann, bob), (bob, far), (bob, nobody)):
        assert "another scope" in agent.refused("link", source=source, target=target, type="causal", weight=0.9)

    def shown(memory: str) -> set[str]:
        said = text(agent.call("related", id=memory, depth=5))
        return {word for word in ("orders", "Tuesday", "bills", "disk", "Zookeeper") if word in said}

    assert shown(ann) == {"bills"}
    assert shown(bob) == set()
    # No scope and scope:global are the same.
    assert shown(nobody) == {"Zookeeper"}


def test_the_sub_type_of_a_causal_link_is_shown_and_checked(agent: Agent) -> None:
    lost = agent.remember("RabbitMQ lost messages under load")
    chosen = agent.remember("We chose Kafka for the order queue")
    made = agent.call("link", source=lost, target=chosen, type="causal", weight=0.8, sub_type="causes")
    assert "(causal: causes, weight 0.8)" in text(made)
    result = agent.call("related", id=lost, type="causal")
    assert "1 step, causal 0.80 (causes): " in text(result)
    assert result.structured_content is not None
    assert result.structured_content["results"][0]["edges"] == [
        {"type": "causal", "weight": 0.8, "sub_type": "causes"}
    ]
    refused = agent.refused("link", source=lost, target=chosen, type="causal", sub_type="foo")
    assert "sub_type: must be one of causes, enables, prevents, got 'foo'." in refused


def test_edges_that_read_alike_are_named_once(agent: Agent) -> None:
    """Two steps away along the same kind of edge from several memories."""
    ids = [agent.remember(f"Note {number} about the garden wall") for number in range(5)]
    for line in text(agent.call("related", id=ids[0], depth=3)).splitlines()[1:]:
        edges = line.split(": ")[0].split(", ")[1:]
        assert len(edges) == len(set(edges)), line
