"""Errors as `application/problem+json` (RFC 9457): one sentence that helps, never a traceback or a path."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

from combray import errors
from combray.errors import CombrayError, InvalidInputError

MEDIA_TYPE = "application/problem+json"
TOO_LONG = 408
AGAIN = {"Retry-After": "1"}

STATUSES: Mapping[type[CombrayError], int] = {
    errors.InvalidInputError: 422,
    errors.NotFoundError: 404,
    errors.StaleVersionError: 412,
    errors.PipelineError: 422,
    errors.PluginError: 500,
    errors.MissingExtraError: 501,
    errors.ModelError: 502,
    errors.ReadOnlyStoreError: 503,
    errors.DiskFullError: 507,
    errors.StoreBusyError: 503,
    errors.CorruptStoreError: 500,
    errors.EncryptionError: 503,
    errors.NewerSchemaError: 503,
    errors.StoreError: 503,
    errors.CombrayError: 500,
}
"""Exception -> status of the answer. The first class of an exception's ancestry that is here decides."""


class HttpError(Exception):
    """A request that cannot be answered as asked."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more
        super().__init__(detail)

    def response(self) -> Response:
        """Return the answer."""
        title = HTTPStatus(self.status).phrase
        body = {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail} | self.more
        return Response(msgspec.json.encode(body), self.status, self.headers, MEDIA_TYPE)


def problem_of(error: CombrayError, names: Mapping[str, str], location: str) -> HttpError:
    """Return an error of the engine as a problem.

    `names`: the engine's name of an argument -> its name on HTTP. The store's `location` is not shown.
    """
    status = next(STATUSES[each] for each in type(error).__mro__ if each in STATUSES)
    detail = str(error)
    more: dict[str, Any] = {"type": f"urn:combray:error:{type(error).__name__}"}
    if isinstance(error, InvalidInputError):
        argument = names.get(error.field, error.field)
        detail = f"{argument}: {error.problem}" + (f" {error.remedy}" if error.remedy else "")
        more |= {"argument": argument} | ({"remedy": error.remedy} if error.remedy else {})
    if location:
        detail = detail.replace(location, "the store")
    return HttpError(status, detail, headers=AGAIN if status == 503 else None, **more)
