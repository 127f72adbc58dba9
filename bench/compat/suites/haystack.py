"""Haystack: the tests for document stores, which are made to be inherited."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="haystack-documents",
        framework="Haystack",
        ours="combray.integrations.haystack.CombrayDocumentStore",
        package="haystack-ai",
        version="3.4.1",
        extra="haystack",
        plugin="haystack_documents",
        # haystack.testing imports pandas.
        requires=("pytest-asyncio>=0.25", "pandas>=2.2"),
        options=("-o", "asyncio_mode=auto"),
        quick=True,
    ),
)
