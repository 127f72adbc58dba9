from __future__ import annotations

import pytest

from combray.language.quality import warnings


@pytest.mark.parametrize(
    ("text", "code", "found"),
    [
        ("on i-0123456789abcdef0 now", "instance_id", "i-0123456789abcdef0"),
        ("plan: 12 resources total", "resource_count", "12 resources total"),
        ("All 14 tests were verified", "verification", "All 14 tests were verified"),
        ("the state is clean", "clean_state", "state is clean"),
        ("Deployed via CI", "receipt", "Deployed via"),
        ("see line 42", "line_number", "line 42"),
        ("it has 120 lines", "line_count", "120 lines"),
        ("host:8080 answers", "location", "host:8080"),
        ("went 3→5", "transition", "3→5"),
        ("went 3 -> 5", "transition", "3 -> 5"),
        ("SEE LINE 42", "line_number", "LINE 42"),
        # Letters that a search without regard to case takes for i and s.
        ("see l\u0131ne 42", "line_number", "l\u0131ne 42"),
        ("it has 120 line\u017f", "line_count", "120 line\u017f"),
    ],
)
def test_each_sign_is_found_and_explained(text: str, code: str, found: str) -> None:
    (warning,) = warnings(text)
    assert (warning.code, warning.found) == (code, found)
    assert found in warning.message


def test_lasting_facts_have_none() -> None:
    assert warnings("We meet at 10:30 because Alice lives in Berlin; https://example.com") == []


@pytest.mark.parametrize("text", ["Ran 10 km in 58:40", "The marathon took 183:05", "The screen is 16:10"])
def test_durations_and_ratios_are_no_locations(text: str) -> None:
    assert warnings(text) == []


def test_an_address_with_a_port_is_a_location() -> None:
    assert [warning.code for warning in warnings("the proxy at 10.0.0.1:8080")] == ["location"]


def test_each_kind_is_told_once_in_a_fixed_order() -> None:
    assert [w.code for w in warnings("line 3 line 4, i-0123456789abcdef0")] == ["instance_id", "line_number"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Deployed version 1.2.3 to production", "receipt"),
        ("Server is currently running", "current_state"),
        ("We released v2.0.1 today", "receipt"),
        ("Shipped release 4.5 to staging", "receipt"),
        ("I just rolled out build 17.3 to the beta group", "receipt"),
        ("We have deployed 3.0.0-rc1", "receipt"),
        ("The build is currently failing", "current_state"),
        ("All pods are currently healthy", "current_state"),
        ("The database is currently offline.", "current_state"),
        ("Both workers are currently idle", "current_state"),
        ("The staging host is currently down", "current_state"),
        ("CI is currently red", "current_state"),
    ],
)
def test_receipts_and_states_are_warned_of(text: str, code: str) -> None:
    """ "e.g., AWS instance IDs, deployment receipts, state observations"."""
    assert [warning.code for warning in warnings(text)] == [code]


@pytest.mark.parametrize(
    "text",
    [
        "We deploy on Fridays",
        "Version 2.0 dropped support for Python 3.8",
        "Ana is currently reading Proust",
        "I am currently working at Acme",
        "The server is running Debian",
        "Releases are deployed by the platform team",
    ],
)
def test_habits_and_decisions_are_not(text: str) -> None:
    assert warnings(text) == []
