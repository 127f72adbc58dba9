"""The reference of the filter language, from the fields that conditions can name."""

from __future__ import annotations

from combray.where.condition import CHOICES, FIELDS, OPERATORS, RANGES

SORTS = {
    "text": "text",
    "number": "number",
    "time": "time",
    "flag": "true or false",
    "label": "list of texts; case-insensitive; `eq` and `in` mean contains",
}
MEANINGS = {
    "eq": 'equal; `{"category": "decision"}` is short for `{"category": {"eq": "decision"}}`',
    "ne": "not equal; also true if the field is missing",
    "in": "equal to one of a list",
    "gt": "greater than, or later than",
    "gte": "greater than or equal",
    "lt": "less than, or earlier than",
    "lte": "less than or equal",
    "exists": "`true`: the field has a value; `false`: it has none",
}


def page() -> str:
    """The whole page."""
    fields = [
        f"| `{name}` | {SORTS[sort]} | {', '.join(f'`{each}`' for each in CHOICES.get(name, ()))} |"
        for name, sort in FIELDS.items()
    ]
    operators = [f"| `{name}` | {MEANINGS[name]} |" for name in OPERATORS]
    return "\n".join(
        [
            "# The filter language",
            "",
            "A filter is a mapping of fields to values or to operators. Several keys are combined with and.",
            '`{"and": [...]}`, `{"or": [...]}` and `{"not": {...}}` combine conditions.',
            "[Filter memories](../howto/filter-memories.md) shows it in use.",
            "",
            "## Operators",
            "",
            "| operator | true if the field is |",
            "|---|---|",
            *operators,
            "",
            f"{', '.join(f'`{each}`' for each in RANGES)} apply to numbers and times, also in metadata.",
            "",
            "## Fields",
            "",
            "| field | values | choices |",
            "|---|---|---|",
            *fields,
            "| `metadata.a.b` | text, number, true or false | a path into metadata; quote a name with a dot |",
            "",
            "- Times are a `datetime`, ISO 8601 text, Unix seconds, or words such as `3 days ago`.",
            "- `moment` is `occurred_from`, or `recorded_at` if that is missing.",
            "- A missing field or metadata path matches only `exists: false`, `ne` and `not`.",
            "- `list` shows live memories, unless the filter names `status`.",
            "- An unknown field, operator or type is an `InvalidInputError` that names the allowed ones.",
            "",
        ]
    )
