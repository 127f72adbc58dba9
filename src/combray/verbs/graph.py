"""Verbs on links between memories, on which of two holds, and on names of things."""

from __future__ import annotations

from combray.types import EDGE_TYPES, VERDICTS
from combray.verbs.declaration import READ, WRITE, Argument, Parameter, Verb, flag, of_engine
from combray.verbs.parameters import FULL, ONE_ID

VERBS = (
    Verb(
        "link",
        "link",
        WRITE,
        """Link two memories.

        SOURCE and TARGET are ids. A causal edge goes from the cause to the effect.
        """,
        (
            Parameter(
                "source",
                "",
                "SOURCE",
                mcp="Id of a memory from another tool's result, in full or a unique prefix.",
                required=True,
            ),
            Parameter(
                "target",
                "",
                "TARGET",
                mcp="Id of a memory from another tool's result, in full or a unique prefix.",
                required=True,
            ),
            Parameter(
                "type",
                "Kind of link; a causal link goes from the cause to the effect.",
                "--type",
                mcp="",
                choices=EDGE_TYPES,
                default="semantic",
            ),
            Parameter(
                "weight", "Strength, 0 to 1.", "--weight", mcp="", low=0, high=1, type="number", default=0.5
            ),
            Parameter(
                "subtype",
                "Subtype, such as causes, enables or prevents.",
                "--subtype",
                mcp=Argument(
                    name="sub_type",
                    text="Of a causal link.",
                    choices=("causes", "enables", "prevents"),
                    default=None,
                ),
                default="",
            ),
            Parameter("reason", "Why they are related.", "--reason", mcp="", default=""),
        ),
        examples=('combray link CAUSE_ID EFFECT_ID --type causal --reason "led to it"',),
        tool="link",
        http=("POST /links",),
    ),
    Verb(
        "related",
        "related",
        READ,
        "Show linked memories, nearest first.",
        (
            ONE_ID,
            Parameter("type", "Follow only links of this type.", "--type --edge", mcp="", choices=EDGE_TYPES),
            Parameter(
                "depth", "Maximum number of steps.", "--depth", mcp="", low=1, high=10, type="integer", default=2
            ),
            FULL,
            Parameter(
                "limit",
                "Maximum number of memories.",
                type="integer",
                low=1,
                high=50,
                default=10,
                own=True,
                mcp="",
            ),
        ),
        examples=("combray related ID --type causal --depth 3",),
        tool="related",
        http=("GET /memories/{memory_id}/related",),
    ),
    Verb(
        "entities",
        "entities.list",
        READ,
        """List entities and their other names.

        Those with other names come first, then those of most memories.
        """,
        (Parameter("limit", "Entities to show.", "--limit", low=1, high=10000, type="integer", default=100),),
        examples=("combray entities", "combray entities --limit 500 --json"),
        http=("GET /entities",),
    ),
    Verb(
        "alias",
        "entities.alias",
        WRITE,
        """Declare other names of an entity.

        A question with one name then finds memories with another. The declaration is a memory: forget its
        id to take it back.
        """,
        (
            Parameter("name", "", "NAME", required=True),
            Parameter("others", "", "OTHERS...", many=True, required=True),
            flag("merge", "Take over the other names of OTHERS too.", "--merge", own=True),
            flag("remove", "OTHERS are no names of NAME.", "--remove", own=True),
        ),
        examples=(
            "combray alias Kubernetes k8s kube",
            'combray alias "Acme Corporation" Acme --merge',
            "combray alias Kubernetes kube --remove",
        ),
        http=("POST /entities/alias",),
    ),
    of_engine(
        "entities.merge", WRITE, "Make a name, and its other names, names of an entity.", "POST /entities/merge"
    ),
    of_engine("entities.separate", WRITE, "Take another name away from an entity.", "POST /entities/separate"),
    Verb(
        "settle",
        "settle",
        WRITE,
        """Settle which of two memories holds.

        NEW and OLD are ids. supersedes: NEW replaces OLD. corrects: the same, and OLD was never true.
        same: OLD is merged into NEW. both: both hold, and nobody is asked again. open: take the verdict
        back.
        """,
        (
            Parameter("new", "", "NEW", mcp="Id of the later memory.", required=True),
            Parameter("old", "", "OLD", mcp="Id of the earlier memory.", required=True),
            Parameter(
                "verdict",
                "",
                "VERDICT",
                mcp=Argument(
                    "supersedes: old was true and changed. corrects: old was never true. same: both say the "
                    "same. both: both are true. open: take the verdict back. Omit it to ask the user.",
                    required=False,
                ),
                choices=VERDICTS,
                required=True,
            ),
            Parameter(
                "reason", "Why, in a few words; kept with the verdict.", "--reason TEXT", mcp="", default=""
            ),
            flag(
                "all_earlier",
                "The same answer for every earlier value of what NEW states, by its author.",
                "--all-earlier",
                "",
            ),
        ),
        examples=(
            "combray settle NEW OLD supersedes",
            "combray settle NEW OLD supersedes --all-earlier",
            'combray settle NEW OLD both --reason "two flats"',
            "combray settle NEW OLD open",
        ),
        tool="settle_memories",
        http=("POST /settle",),
    ),
    of_engine(
        "unsettled", READ, "List pairs of memories of which the later may change the earlier.", "GET /unsettled"
    ),
    of_engine(
        "chain",
        READ,
        "Show what a memory replaced and what replaced it, earliest first.",
        "GET /memories/{memory_id}/chain",
    ),
)
