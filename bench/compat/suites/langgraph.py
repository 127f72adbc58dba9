"""LangGraph: the store tests of its SQLite store, and those of its in-memory store."""

from bench.compat.declaration import Suite

OURS = "combray.integrations.langgraph.CombrayStore"
SCORE = (
    "The score is the sum of recall's signals, and all indexed fields of an item are one text. "
    "The test expects the cosine of the vector of one field."
)
NAMES = (
    "The test expects an error, because the owners' store builds SQL from names of fields. "
    "Here any JSON name is a name, and this one matches nothing."
)
REFRESH = (
    "`TTLConfig` documents that reads refresh unless `refresh_on_read` is false. The read after 2 seconds "
    "postpones the end of an item of 5 seconds. `SqliteStore` refreshes only if the option is given."
)
TABLES = "Looks into the SQLite tables and SQL texts of the owners' store."
OWNERS = "Tests a function of `langgraph.store.base` without any store."
NEEDS = ("pytest-asyncio>=0.25", "pytest-retry>=1.6")
ASYNC = ("-o", "asyncio_mode=auto")
PACKAGE, VERSION = "langgraph-checkpoint-sqlite", "3.1.2"

SUITES = (
    Suite(
        name="langgraph-sqlite",
        framework="LangGraph",
        ours=OURS,
        package=PACKAGE,
        version=VERSION,
        extra="langgraph",
        plugin="langgraph_sqlite",
        tests=("tests/test_store.py", "tests/test_async_store.py"),
        requires=NEEDS,
        options=ASYNC,
        left_out={
            "test_store::test_vector_store_initialization": TABLES,
            "test_store::test_nonnull_migrations": TABLES,
            "test_store::test_escape_glob_literal": TABLES,
            "test_store::test_namespace_match_pattern": TABLES,
            "test_store::test_list_namespaces_prefix_uses_indexable_condition": TABLES,
        },
        right_to_fail={
            "test_store::test_scores": SCORE,
            "test_store::test_embed_with_path": SCORE,
            "test_store::test_embed_with_path_operation_config": SCORE,
            "test_async_store::test_embed_with_path": SCORE,
            "test_store::test_sql_injection_vulnerability": NAMES,
        },
        quick=True,
    ),
    Suite(
        name="langgraph-sqlite-ttl",
        framework="LangGraph",
        ours=OURS,
        package=PACKAGE,
        version=VERSION,
        extra="langgraph",
        plugin="langgraph_sqlite",
        tests=("tests/test_ttl.py",),
        requires=NEEDS,
        options=ASYNC,
        right_to_fail={"test_ttl::test_ttl_override_default": REFRESH},
    ),
    Suite(
        name="langgraph-memory",
        framework="LangGraph",
        ours=OURS,
        package="langgraph-checkpoint",
        version="4.3.2",
        extra="langgraph",
        plugin="langgraph_memory",
        tests=("tests/test_store.py",),
        requires=("langgraph-checkpoint-sqlite==3.1.2", "pytest-asyncio>=0.25", "pytest-mock>=3.14"),
        options=ASYNC,
        left_out={
            "test_store::test_get_text_at_path*": OWNERS,
            "test_store::test_dedupe_ops*": OWNERS,
            "test_store::test_validate_op_namespace*": OWNERS,
            "test_store::test_async_batch_store": OWNERS,
            "test_store::test_async_batch_store_handles_cancellation": OWNERS,
        },
        right_to_fail={"test_store::test_embed_with_path": SCORE},
    ),
)
