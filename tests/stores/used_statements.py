"""Which statements the code of a store names."""

import ast
from pathlib import Path

import combray

STORES = Path(combray.__file__).parent / "stores"


def used_statements(dialect: str, subjects: set[str]) -> set[str]:
    """`subject.name` wherever `sql.subject.name` stands in the code of a dialect, or in what all share."""
    found = set()
    for path in (*STORES.glob("*.py"), *(STORES / dialect).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                base = node.value.value
                is_sql = getattr(base, "attr", getattr(base, "id", "")) == "sql"
                if is_sql and node.value.attr in subjects:
                    found.add(f"{node.value.attr}.{node.attr}")
    return found
