/** Errors of calls. Answers of the server are `application/problem+json` (RFC 9457). */

import type { HttpProblem } from "./generated.js";

/** A call that failed. */
export class CombrayError extends Error {
  override name = "CombrayError";
}

/** The server refused the request or failed: its status, its sentence and what it says to do. */
export class ResponseError extends CombrayError {
  override name = "ResponseError";
  readonly status: number;
  /** `urn:combray:error:CLASS` for an error of the engine, else `about:blank`. */
  readonly type: string;
  readonly title: string;
  /** The argument that is wrong. */
  readonly argument: string | undefined;
  readonly remedy: string | undefined;
  /** Milliseconds after which the server says to ask again. */
  readonly retryAfter: number | undefined;

  constructor(problem: HttpProblem, retryAfter?: number) {
    super(problem.detail);
    this.status = problem.status;
    this.type = problem.type;
    this.title = problem.title;
    this.argument = problem.argument;
    this.remedy = problem.remedy;
    this.retryAfter = retryAfter;
  }
}

/** 400, 413, 415, 422: the request or a value in it is wrong. */
export class InvalidInputError extends ResponseError {
  override name = "InvalidInputError";
}

/** 401: a key is needed, or the key is not valid. */
export class AuthenticationError extends ResponseError {
  override name = "AuthenticationError";
}

/** 403: the key has not the role or the namespace. */
export class ForbiddenError extends ResponseError {
  override name = "ForbiddenError";
}

/** 404: there is no such memory. */
export class NotFoundError extends ResponseError {
  override name = "NotFoundError";
}

/** 409: the Idempotency-Key belongs to another request. */
export class ConflictError extends ResponseError {
  override name = "ConflictError";
}

/** 412: the memory has changed since the version in `ifVersion`. Nothing was changed. */
export class StaleVersionError extends ResponseError {
  override name = "StaleVersionError";
}

/** 429: the key asks more often than it may. */
export class RateLimitError extends ResponseError {
  override name = "RateLimitError";
}

/** 5xx: the server, its store or a model failed. */
export class ServerError extends ResponseError {
  override name = "ServerError";
}

/** The server cannot be reached, or closed the connection. `cause` has the reason. */
export class ConnectionError extends CombrayError {
  override name = "ConnectionError";
}

/** The call took longer than its `timeout`. A write may have been carried out. */
export class TimeoutError extends CombrayError {
  override name = "TimeoutError";
}

const CLASSES: Record<number, typeof ResponseError> = {
  400: InvalidInputError,
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: StaleVersionError,
  413: InvalidInputError,
  415: InvalidInputError,
  422: InvalidInputError,
  429: RateLimitError,
};

/** Return the error that an answer stands for. A proxy may answer without a problem. */
export async function errorOf(response: Response): Promise<ResponseError> {
  const text = await response.text().catch(() => "");
  const { status, statusText } = response;
  let problem: HttpProblem = {
    type: "about:blank",
    title: statusText,
    status,
    detail: `The server answered ${status}${statusText ? ` ${statusText}` : ""}.`,
  };
  if (isProblem(response)) {
    try {
      problem = { ...problem, ...(JSON.parse(text) as HttpProblem) };
    } catch {
      // The answer was cut short. Its status says enough.
    }
  }
  const known = CLASSES[status] ?? (status >= 500 ? ServerError : ResponseError);
  return new known(problem, waitOf(response));
}

/** Whether the Combray server itself refused, and not a proxy before it. */
export function isProblem(response: Response): boolean {
  return (response.headers.get("content-type") ?? "").startsWith("application/problem+json");
}

function waitOf(response: Response): number | undefined {
  const said = response.headers.get("retry-after");
  const seconds = Number(said);
  return said === null || !Number.isFinite(seconds) ? undefined : Math.max(0, seconds) * 1000;
}
