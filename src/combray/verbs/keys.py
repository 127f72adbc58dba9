"""The verbs of keys: who may call a server, and what each caller may do."""

from __future__ import annotations

from combray.verbs.declaration import ADMIN, READ, WRITE, Parameter, Verb, flag

_NAME = Parameter("name", "", "NAME", required=True, own=True)

VERBS = (
    Verb(
        "keys create",
        "",
        ADMIN,
        """Create a key and print it, once.

        NAME says who holds it; the audit log names it. The key may use the namespaces of --namespace, and no
        other. A running server knows the key at once. From the first key on, every request needs one.
        """,
        (
            _NAME,
            Parameter(
                "role",
                "What it may do; each role may do what the ones before it may. admin erases and consolidates.",
                "--role",
                choices=(READ, WRITE, ADMIN),
                default=READ,
                own=True,
            ),
            Parameter(
                "namespaces", "A namespace it may use; may be given again.", "--namespace -n", many=True, own=True
            ),
            flag(
                "all_namespaces",
                "It may use every namespace, and with --role admin the whole store.",
                "--all-namespaces",
                own=True,
            ),
            Parameter(
                "expires",
                "How long it is valid: 12h, 90d; default: until it is revoked.",
                "--expires TIME",
                form="duration",
                own=True,
            ),
        ),
        examples=(
            "combray keys create ann --role write --namespace team --namespace ann --expires 90d",
            "combray keys create ops --role admin --all-namespaces",
        ),
    ),
    Verb(
        "keys list",
        "",
        ADMIN,
        "List the keys: what each may do, when it was used last, and when it expires.",
        (),
        examples=("combray keys list",),
    ),
    Verb(
        "keys rotate",
        "",
        ADMIN,
        """Replace a key by a new one, which is printed once.

        Role, namespaces and lifetime stay. The old key ends at once, or after --grace.
        """,
        (
            _NAME,
            Parameter(
                "grace",
                "How long the old key stays valid: 15m, 24h.",
                "--grace TIME",
                form="duration",
                own=True,
            ),
        ),
        examples=("combray keys rotate ann --grace 24h",),
    ),
    Verb(
        "keys revoke",
        "",
        ADMIN,
        "Revoke a key. Running servers refuse it from the next request on.",
        (_NAME,),
        examples=("combray keys revoke ann",),
    ),
)
