"""LangChain: the standard tests, which are made to be inherited."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="langchain-standard",
        framework="LangChain",
        ours="combray.integrations.langchain.CombrayRetriever",
        package="langchain-tests",
        version="1.1.9",
        extra="langchain",
        plugin="langchain_standard",
        requires=("pytest-asyncio>=0.25",),
        options=("-o", "asyncio_mode=auto"),
        quick=True,
    ),
)
