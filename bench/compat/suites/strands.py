"""Strands: the tests of its two local stores. Those of `MemoryManager` use mocks only, and no store."""

from bench.compat.declaration import Suite

OURS = "combray.integrations.strands.CombrayMemoryStore"
PACKAGE, VERSION, EXTRA = "strands-agents", "1.62.0", "strands"
# The conftest of all their tests needs the clients of a cloud.
OPTIONS = ("-o", "asyncio_mode=auto", "--noconftest")
NEEDS = ("pytest-asyncio>=0.25",)
TEST = "test_store::Test"
JSON = "Looks into the JSON file of the owners' store, or into the function that names it."
EXPORTS = "Tests the names that the owners' package exports."
MARKDOWN = "Looks into the Markdown files of the owners' store, or into their names."
STORAGE = "Replaces the storage below the owners' store."
EXTRACTOR = "Tests the owners' extractor, which reads the headings of their files."
MESSAGE = "Raises `InvalidInputError`, which is a ValueError. The test expects the owners' wording."
OVERLAP = (
    "The test expects the count of shared words as the score, and every text with one of them. "
    "Recall drops a text that shares one word of three with the query."
)
TIE = (
    "To the owners' store two texts with as many shared words are a tie, which the newer one wins. "
    "Recall also compares meanings, so that these two are no tie."
)

SUITES = (
    Suite(
        name="strands-test-store",
        framework="Strands",
        ours=OURS,
        package=PACKAGE,
        version=VERSION,
        extra=EXTRA,
        plugin="strands_stores",
        tests=("tests/strands/vended_memory_stores/test_memory_store/test_store.py",),
        requires=NEEDS,
        options=OPTIONS,
        left_out={
            f"*{TEST}PackageExport*": EXPORTS,
            f"*{TEST}Constructor::test_raises_when_explicit_path_is_empty": JSON,
            f"*{TEST}Constructor::test_does_no_filesystem_io_on_construction": JSON,
            f"*{TEST}Constructor::test_defaults_to_a_sanitized_path_under_the_home_memory_dir": JSON,
            f"*{TEST}Add::test_uses_the_monkeypatchable_id_generator": JSON,
            f"*{TEST}Add::test_persists_human_readable_json": JSON,
            f"*{TEST}Persistence::test_raises_clear_error_*": JSON,
            f"*{TEST}Persistence::test_accepts_null_metadata_as_absent": JSON,
            f"*{TEST}Persistence::test_keeps_all_entries_under_concurrent_writes": JSON,
            f"*{TEST}Persistence::test_reused_across_separate_event_loops": JSON,
            f"*{TEST}CrossSdkInterop*": JSON,
            f"*{TEST}MemoryManagerIntegration::test_manager_add_writes_to_store": JSON,
            f"*{TEST}MemoryManagerIntegration::test_ingests_extracted_facts_through_add": JSON,
        },
        right_to_fail={
            f"*{TEST}Constructor::test_raises_when_max_search_results_below_one": MESSAGE,
            f"*{TEST}Constructor::test_raises_when_name_is_empty": MESSAGE,
            f"*{TEST}Add::test_raises_when_not_writable": MESSAGE,
            f"*{TEST}Add::test_raises_on_empty_content": MESSAGE,
            f"*{TEST}Search::test_raises_when_max_search_results_below_one": MESSAGE,
            f"*{TEST}Search::test_ranks_higher_overlap_first_with_relevance_score": OVERLAP,
            f"*{TEST}Search::test_breaks_ties_by_recency": TIE,
        },
        quick=True,
    ),
    Suite(
        name="strands-file-store",
        framework="Strands",
        ours=OURS,
        package=PACKAGE,
        version=VERSION,
        extra=EXTRA,
        plugin="strands_stores",
        tests=("tests/strands/vended_memory_stores/file_memory_store/test_store.py",),
        requires=NEEDS,
        options=OPTIONS,
        left_out={
            f"*{TEST}Constructor::test_auto_scopes_keys_under_memory_name": MARKDOWN,
            f"*{TEST}Constructor::test_scopes_distinct_stores_on_shared_backend": MARKDOWN,
            f"*{TEST}Constructor::test_does_not_re_scope_already_namespaced_storage": MARKDOWN,
            f"*{TEST}Add*": MARKDOWN,
            f"*{TEST}Search::test_includes_path_in_metadata": MARKDOWN,
            f"*{TEST}Search::test_skips_results_whose_read_fails": STORAGE,
            f"*{TEST}Search::test_fills_max_search_results_when_a_higher_ranked_read_fails": STORAGE,
            f"*{TEST}Extraction::test_extraction_true_creates_key_aware_extractor": EXTRACTOR,
            f"*{TEST}Extraction::test_extraction_dict_without_extractor_creates_key_aware": EXTRACTOR,
            f"*{TEST}Extraction::test_key_aware_extractor_includes_headings_in_prompt": EXTRACTOR,
        },
    ),
    Suite(
        name="strands-calls",
        framework="Strands",
        ours=OURS,
        package=PACKAGE,
        version=VERSION,
        extra=EXTRA,
        plugin="strands_calls",
        requires=NEEDS,
        options=("-o", "asyncio_mode=auto"),
        by_owners=False,
    ),
)
