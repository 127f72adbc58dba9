"""Secrets by their shapes. All of these are made up."""

from __future__ import annotations

import pytest

from combray.guard.redaction import find_secrets, redact

FAKE = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"key sk-{FAKE} here", "key [redacted API key] here"),
        (f"sk-ant-api03-{FAKE}", "[redacted API key]"),
        ("AIza" + FAKE[:35], "[redacted API key]"),
        ("id AKIA" + "ABCDEFGH12345678.", "id [redacted access key]."),
        (f"ghp_{FAKE}", "[redacted token]"),
        ("xoxb-123456789012-abcdef", "[redacted token]"),
        (f"Authorization: Bearer {FAKE}", "Authorization: Bearer [redacted token]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[redacted token]"),
        ("postgres://app:hunter22@db/x", "postgres://app:[redacted password]@db/x"),
        ("DB_PASSWORD=s3cret!x", "DB_PASSWORD=[redacted password]"),
        ('"api_key": "Zx81-Qw02"', '"api_key": "[redacted password]"'),
        ("card 4111 1111 1111 1111, ok", "card [redacted card number], ok"),
        ("卡号4111111111111111。", "卡号[redacted card number]。"),
        ("It is 4111-1111-1111-1111.Ask Ed", "It is [redacted card number].Ask Ed"),
    ],
)
def test_a_secret_is_replaced_by_its_sort(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "The password is on paper.",
        "password: changed yesterday",
        "Set API_KEY=<your key> or API_KEY=$KEY.",
        "We ordered 4111 1111 1111 1112 parts.",  # one off: the check sum fails
        "Ticket 0000000000000000, phone +84 24 3825 0000",
        "The task-list and risk-free sketches",
        "commit 8f14e45fceea167a5a36dedd4bea2543",
        # Digits within them pass the check sum of a card.
        '"entity":"01a21f84-f072-72ee-9f91-751191271749"',
        "01a21f95-a9b2-7066-9339-4868bb2c5fe5",
        "blob a4111111111111111f, run 4111-1111-1111-1111-a3",
        "https://example.org:8080/path@x",
        "token bucket, secret garden",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert redact(text) == text


def test_lines_keep_their_numbers() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\nAAAA\n-----END RSA PRIVATE KEY-----"
    assert redact(f"one\n{key}\nlast") == "one\n[redacted private key]\n\n\n\nlast"
    assert redact("-----BEGIN PRIVATE KEY-----\nMIIB cut off") == "[redacted private key]\n"


def test_finds_do_not_overlap_and_say_where() -> None:
    text = f"token=ghp_{FAKE} and 4111111111111111"
    found = find_secrets(text)
    assert [(each.sort, text[each.start : each.end]) for each in found] == [
        ("token", f"ghp_{FAKE}"),
        ("card number", "4111111111111111"),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("before <private>my salary</private> after", "before [redacted private text] after"),
        ("<PRIVATE>a\nb</PRIVATE>c <private>never closed", "[redacted private text]\nc [redacted private text]"),
        ("the password is hunter2x.", "the password is [redacted password]."),
        ("mật khẩu là bimat99", "mật khẩu là [redacted password]"),
        ("密码是abc12345", "密码是[redacted password]"),
        ("The password was changed yesterday.", "The password was changed yesterday."),
    ],
)
def test_what_is_private_or_named_a_password_is_taken_out(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "part", ["a", "a-", "-eyJ", "<private>", "4111 ", "xoxb-", "sk-", "-----BEGIN ", "bearer "]
)
def test_no_text_of_200_000_characters_takes_long(part: str) -> None:
    # A pattern that starts anew at every character would take hours here.
    find_secrets(part * (200_000 // len(part)))
