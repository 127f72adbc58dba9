"""The client of all model services, against a real server on loopback."""

from __future__ import annotations

import itertools
import logging
import socket
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
from service import Hands, Reply, serving

from combray.errors import ModelError
from combray.models.breaker import Breaker
from combray.models.http import Client, StatusError

KEY = "sk-very-secret-1234567890"
GOOD = Reply({"ok": True})


def client(url: str, hands: Hands | None = None, **settings: object) -> Client:
    made = {
        "key": KEY,
        "key_variable": "SOME_API_KEY",
        "headers": {"Authorization": f"Bearer {KEY}"},
        "timing": (hands or Hands()).timing(),
    } | settings
    return Client("some:model", url, **made)  # type: ignore[arg-type]


def test_a_good_answer_is_decoded_and_the_request_is_as_told() -> None:
    with serving(GOOD) as service:
        asked = client(service.url + "/v1/")
        assert asked.post("/rerank", {"query": "été"}) == {"ok": True}
        (request,) = service.asked
    assert (request.path, request.body) == ("/v1/rerank", {"query": "été"})
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Accept-Encoding"] == "identity"
    assert asked.usage.snapshot() == {"calls": 1, "failures": 0, "tokens": 0}


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "some:model: status 401: check SOME_API_KEY"),
        (403, "some:model: status 403: check SOME_API_KEY and its permissions"),
        (402, "some:model: status 402: the account is out of credit: model m?"),
        (404, "some:model: status 404: model m?"),
        (400, "some:model: status 400: model m?"),
        (307, "some:model: URL redirects to another address; use the final address"),
    ],
)
def test_a_refusal_says_what_to_do_and_is_not_tried_again(status: int, message: str) -> None:
    headers = {"Location": "http://127.0.0.1:9/elsewhere"}
    with serving(Reply({"error": {"message": "model m?"}}, status, headers)) as service:
        with pytest.raises(StatusError) as caught:
            client(service.url).post("/", {})
        assert str(caught.value) == message.replace("URL", service.url)
        assert (caught.value.status, len(service.asked)) == (status, 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": "no such model"}, ": no such model"),
        ({"message": "no such model"}, ": no such model"),
        ({"detail": "no such model"}, ": no such model"),
        ({"detail": [{"loc": ["body"]}]}, ""),
        (b"<html>nginx</html>", ""),
        (b"\xff\xfe", ""),
        ({"error": f"key {KEY}\n\x1b[31mred"}, ": key ***  [31mred"),
        ({"error": "x" * 300}, ": " + "x" * 200 + "…"),
    ],
)
def test_what_the_service_says_is_shown_harmless_and_short(body: object, said: str) -> None:
    with serving(Reply(body, 400)) as service, pytest.raises(ModelError) as caught:
        client(service.url).post("/", {})
    assert str(caught.value) == f"some:model: status 400{said}"


def test_500_then_good() -> None:
    """Full jitter: drawn .5 of at most .5 s, then .5 of at most 1 s."""
    hands = Hands(drawn=0.5)
    with serving(Reply(status=500), Reply(status=503), GOOD) as service:
        asked = client(service.url, hands)
        assert asked.post("/", {}) == {"ok": True}
    assert hands.slept == [0.25, 0.5]
    assert asked.usage.snapshot() == {"calls": 1, "failures": 0, "tokens": 0}


def test_at_most_two_more_tries() -> None:
    with serving(Reply(status=500)) as service:
        asked = client(service.url)
        with pytest.raises(StatusError, match="status 500"):
            asked.post("/", {})
        assert len(service.asked) == 3
    assert asked.usage.snapshot() == {"calls": 1, "failures": 1, "tokens": 0}


@pytest.mark.parametrize(
    ("said", "slept"),
    [
        ("2", [2.0]),
        ("0", [0.0]),
        # It is 1,000 seconds after the first second of 1970, which is 00:16:40.
        ("Thu, 01 Jan 1970 00:16:43 GMT", [3.0]),
        ("Thu, 01 Jan 1970 00:16:39 GMT", [0.0]),
        ("soon", [0.5]),
        ("Thu, 99 Jan 1970 00:16:43 GMT", [0.5]),
        ("-1", [0.5]),
    ],
)
def test_retry_after_is_honoured(said: str, slept: list[float]) -> None:
    hands = Hands()
    with serving(Reply(status=429, headers={"Retry-After": said}), GOOD) as service:
        client(service.url, hands).post("/", {})
    assert hands.slept == slept


@pytest.mark.parametrize(
    ("patience", "said"),
    [
        (5.0, "5"),
        (100.0, "11"),
        (100.0, "Thu, 01 Jan 1970 00:16:51 GMT"),
        (100.0, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ],
)
def test_a_service_that_wants_too_long_a_pause_has_refused(patience: float, said: str) -> None:
    """As long as the call may still take, or more than 10 s."""
    hands = Hands()
    with serving(Reply(status=429, headers={"Retry-After": said})) as service:
        with pytest.raises(StatusError, match=r"status 429; it asks to wait [\d,]+ s$"):
            client(service.url, hands, patience=patience).post("/", {})
        assert (len(service.asked), hands.slept) == (1, [])


def test_no_try_begins_after_the_time_is_over() -> None:
    """Two posts that are one call share its time."""
    hands = Hands()
    with serving(GOOD) as service:
        asked = client(service.url, hands)
        until = asked.until()
        asked.post("/", {}, until=until)
        hands.now += 5.0
        with pytest.raises(ModelError, match="no time was left for the call"):
            asked.post("/", {}, until=until)
        assert len(service.asked) == 1


def test_a_slow_service_is_left_after_its_time() -> None:
    """Tried again while there is time: 2 more tries of .05 s."""
    done = threading.Event()
    with serving(Reply(wait=done)) as service:
        with pytest.raises(ModelError, match=r"some:model: no answer within 0\.05 s"):
            client(service.url, attempt=0.05).post("/", {})
        assert service.has_been_asked(3) == 3
        done.set()


def test_an_answer_that_drips_is_left_after_its_time() -> None:
    """Each piece comes in time, the whole does not."""
    hands, left = Hands(), threading.Event()
    # The client reads the clock twice before it asks, then for the time that is left, then at each piece.
    seen = itertools.count(4)

    def pass_two_seconds() -> None:
        count = next(seen)
        # Two seconds after it came the piece has been read, however slow the client is.
        while hands.read < count and not left.wait(0.005):
            pass
        hands.now += 2.0

    with serving(Reply({"a": "x" * 50}, pieces=10, between=pass_two_seconds)) as service:
        with pytest.raises(ModelError, match="was not complete in time"):
            client(service.url, hands).post("/", {})
        left.set()
        assert len(service.asked) == 1


@pytest.mark.parametrize("body", [b"{", b"", b"<html>", b"\xff", b"[" * 100_000, b'{"a": NaN}'])
def test_broken_json(body: bytes) -> None:
    with serving(Reply(body)) as service:
        with pytest.raises(ModelError, match="some:model: the answer is not JSON"):
            client(service.url).post("/", {})
        assert len(service.asked) == 1


def test_a_truncated_answer_is_tried_again() -> None:
    with serving(Reply({"a": 1}, cut=3), GOOD) as service:
        assert client(service.url).post("/", {}) == {"ok": True}


def test_an_endless_answer_is_cut_off() -> None:
    with serving(Reply(b"x" * 3000)) as service, pytest.raises(ModelError, match="more than 1,000 bytes"):
        client(service.url, most_bytes=1000).post("/", {})


def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ModelError, match=f"some:model: {url} cannot be reached"):
            client(url).post("/", {})


def test_after_five_failures_nobody_is_asked_until_the_cool_down_is_over() -> None:
    hands = Hands()
    with serving(Reply(status=401)) as service:
        asked = client(service.url, hands)
        for _ in range(5):
            with pytest.raises(StatusError):
                asked.post("/", {})
        said = "5 calls in a row failed, the last with: status 401: check SOME_API_KEY; tried again in 60 s"
        with pytest.raises(ModelError, match=said):
            asked.post("/", {})
        assert len(service.asked) == 5
        assert asked.usage.snapshot()["calls"] == 5
        hands.now += 60
        with pytest.raises(StatusError):
            asked.post("/", {})
        with pytest.raises(ModelError, match="not called, because 6 calls"):
            asked.post("/", {})
        service.replies[:] = [GOOD]
        hands.now += 60
        assert asked.post("/", {}) == {"ok": True}
        assert asked.post("/", {}) == {"ok": True}


def test_a_request_that_is_at_fault_itself_does_not_count_against_the_service() -> None:
    with serving(Reply(status=400)) as service:
        asked = client(service.url)
        for _ in range(7):
            with pytest.raises(StatusError, match="status 400"):
                asked.post("/", {})
        with pytest.raises(ModelError, match="not valid Unicode"):
            asked.post("/", {"query": "\ud800"})
        assert len(service.asked) == 7


def test_only_one_thread_tries_after_the_cool_down() -> None:
    hands = Hands()
    breaker = Breaker(most=1, cool_down=10, clock=lambda: hands.now)
    assert breaker.refusal() == ""
    breaker.failed("down")
    hands.now += 10
    with ThreadPoolExecutor(8) as pool:
        refusals = list(pool.map(lambda _: breaker.refusal(), range(40)))
    assert sum(not each for each in refusals) == 1
    breaker.given_up()
    assert breaker.refusal() == ""
    assert "tried again in 0 s" in breaker.refusal()
    breaker.passed()
    assert breaker.refusal() == ""


def test_many_threads_share_a_client() -> None:
    with serving(lambda body: Reply({"n": body["n"]})) as service:
        asked = client(service.url)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n: asked.post("/", {"n": n})["n"], range(40)))
    assert answers == list(range(40))
    assert asked.usage.snapshot() == {"calls": 40, "failures": 0, "tokens": 0}


def test_tokens_are_counted_where_the_answer_tells_them() -> None:
    usage = client("http://127.0.0.1:9").usage
    usage.tokens(3, 4, None, "5", -6, 7.0, True)
    assert usage.snapshot()["tokens"] == 7


def test_the_key_is_in_no_message_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    replies = [Reply({"error": f"wrong key {KEY}"}, status) for status in (400, 401, 403, 404)]
    said = ""
    with serving(*replies) as service:
        for _ in replies:
            with pytest.raises(ModelError) as caught:
                client(service.url).post("/", {})
            said += "".join(traceback.format_exception(caught.value))
    with pytest.raises(ModelError) as caught:
        client("http://127.0.0.1:9", headers={"Authorization": f"Bearer {KEY}\n"}).post("/", {})
    said += "".join(traceback.format_exception(caught.value))
    assert KEY not in said
    assert KEY not in caplog.text


def test_a_caller_with_more_patience_is_given_it() -> None:
    """Texts to store may take a minute, where a query may take five seconds: here 60 s and a thousandth."""
    done = threading.Event()
    with serving(lambda body: Reply(GOOD.body, wait=done)) as service:
        asked = client(service.url, patience=0.001)
        with pytest.raises(ModelError, match=r"no answer within 0\.001 s|cannot be reached"):
            asked.post("/", {})
        done.set()
        assert asked.post("/", {}, until=asked.until(60.0)) == {"ok": True}
