"""Parameters that several tools share, as a model reads about them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from combray.types import Tier, Verdict

Category = Literal["preference", "decision", "fact", "insight", "context", "general"]
Intent = Literal["WHY", "WHEN", "ENTITY", "GENERAL"]
Who = Literal["user", "agent", "external"]

Query = Annotated[str, Field(description="A question or keywords.")]
Id = Annotated[str, Field(description="Id of a memory from another tool's result, in full or a unique prefix.")]
Limit = Annotated[int, Field(ge=1, le=50, description="Maximum number of memories.")]
Keep = Annotated[
    float | None,
    Field(
        ge=0,
        le=1,
        description="Drop hits below this share of the best score; 0 drops none. Default: a setting, 0.5.",
    ),
]
Ages = Annotated[
    Tier,
    Field(description="core: kept for good. working: usual. peripheral: soon of no use. Use moves it later."),
]
Full = Annotated[
    bool, Field(description="Return full texts with every field and score instead of one short line each.")
]
Where = Annotated[
    dict[str, Any] | None,
    Field(description='Fields: {"category": "decision"}, {"metadata.user": "ann"}, {"importance": {"gte": 4}}.'),
]
About = Annotated[
    str | None,
    Field(description='What to forget: an identifier, "everything about NAME", or a description.'),
]
Included = Annotated[list[str], Field(description="With about: ids of possible matches to take too.")]
When = Annotated[str | None, Field(description='A date in ISO 8601 or in words, such as "last week".')]
AsOf = Annotated[str | None, Field(description="Answer as of this date: from what was known and held then.")]
Decision = Annotated[
    Verdict | None,
    Field(
        description="supersedes: old was true and changed. corrects: old was never true. same: both say the "
        "same. both: both are true. open: take the verdict back. Omit it to ask the user."
    ),
]
