/** Requests: authentication, namespace, time limit, retries. */

import { CombrayError, ConnectionError, TimeoutError, errorOf, isProblem } from "./errors.js";
import { REQUESTS, type Endpoint, type Operations } from "./generated.js";

/** Where the server is, and how to call it. */
export interface Options {
  /** Address of the server, such as `http://127.0.0.1:8765`. */
  url: string;
  /** Key of `combray keys create`. A server on loopback needs none until it has keys. */
  key?: string;
  /** Whose memories; default: `default`. */
  namespace?: string;
  /** Milliseconds that a call may take, retries included; default: 30 000. */
  timeout?: number;
  /** How often a call that failed is repeated, if that is safe; default: 2. */
  retries?: number;
  /** The function that sends requests; default: the runtime's `fetch`. */
  fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds that this call may take. */
  timeout?: number;
  /** Key of this write; default: a random one. A write with a key that was used is carried out only once. */
  idempotencyKey?: string;
}

/** Arguments of an operation: what its path, query and body need. */
export type Arguments<O extends keyof Operations> = {
  path?: Operations[O]["path"];
  query?: Operations[O]["query"];
  body?: Operations[O]["body"];
  headers?: Record<string, string>;
};

/** The answer of an operation with its headers. */
export interface Answered<T> {
  value: T;
  headers: Headers;
}

const PLAIN_NAME = /^[!-~]([ -~]*[!-~])?$/;
const FIRST_WAIT = 200;
const LONGEST_WAIT = 10_000;

export class Transport {
  readonly retries: number;
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #namespace: string | undefined;
  readonly #timeout: number;
  readonly #fetch: typeof fetch;

  constructor(options: Options) {
    // Plain JavaScript calls this with an unset variable of the environment.
    if (typeof options?.url !== "string") {
      throw new CombrayError("url is missing. Give the address of the server, such as http://127.0.0.1:8765.");
    }
    this.#url = options.url.replace(/\/+$/, "");
    this.#key = options.key;
    this.#namespace = options.namespace;
    this.#timeout = options.timeout ?? 30_000;
    this.retries = options.retries ?? 2;
    // Called without `this`: the fetch of browsers refuses any other.
    const given = options.fetch ?? globalThis.fetch;
    this.#fetch = (input, init) => given(input, init);
  }

  /** Call an operation and return its answer. */
  async call<O extends keyof Operations>(
    operation: O,
    given: Arguments<O> = {},
    options: CallOptions = {},
  ): Promise<Answered<Operations[O]["answer"]>> {
    const request = REQUESTS[operation];
    const headers = this.headers(given.headers);
    if (given.body !== undefined) headers["Content-Type"] = "application/json";
    // One key for all attempts: an attempt whose answer was lost is not carried out again.
    if (request.keyed) headers["Idempotency-Key"] = options.idempotencyKey ?? crypto.randomUUID();
    const init: RequestInit = { method: request.method, headers };
    if (given.body !== undefined) init.body = JSON.stringify(given.body);
    const url = this.address(request, given.path ?? {}, given.query ?? {});
    const deadline = AbortSignal.timeout(options.timeout ?? this.#timeout);
    init.signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
    try {
      return await this.#attempts(request, url, init);
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (deadline.aborted) throw new TimeoutError(`${request.method} ${request.path} timed out.`, { cause: error });
      throw error;
    }
  }

  /** Open a stream: one attempt, without a time limit. */
  async open(operation: keyof Operations, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const request = REQUESTS[operation];
    const response = await this.#send(this.address(request, {}, {}), { headers: this.headers(headers), signal });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  headers(more: Record<string, string> = {}): Record<string, string> {
    const found: Record<string, string> = { ...more };
    if (this.#key !== undefined) found["Authorization"] = `Bearer ${this.#key}`;
    if (this.#namespace !== undefined && PLAIN_NAME.test(this.#namespace)) {
      found["Combray-Namespace"] = this.#namespace;
    }
    return found;
  }

  address(request: Endpoint, path: object, query: object): string {
    const places = path as Record<string, string>;
    const filled = request.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = places[name];
      // The server's paths have no slash within a name, encoded or not.
      if (!value || value.includes("/")) throw new CombrayError(`${name} must not be empty or contain a slash.`);
      return encodeURIComponent(value);
    });
    const pairs = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const each of Array.isArray(value) ? value : [value]) {
        if (each !== undefined && each !== null) {
          pairs.append(name, typeof each === "object" ? JSON.stringify(each) : String(each));
        }
      }
    }
    // A header holds ASCII only.
    if (this.#namespace !== undefined && !PLAIN_NAME.test(this.#namespace)) pairs.append("namespace", this.#namespace);
    const text = pairs.toString();
    return this.#url + filled + (text ? `?${text}` : "");
  }

  async #attempts<T>(request: Endpoint, url: string, init: RequestInit): Promise<Answered<T>> {
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= this.retries || !request.repeatable;
      let wait = backoff(attempt);
      try {
        const response = await this.#send(url, init);
        if (response.ok) return { value: await valueOf<T>(response), headers: response.headers };
        const error = await errorOf(response);
        if (last || !isPassing(response)) throw error;
        wait = error.retryAfter ?? wait;
      } catch (error) {
        if (last || !(error instanceof ConnectionError) || init.signal?.aborted) throw error;
      }
      await pause(wait, init.signal);
    }
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ConnectionError(`The server at ${this.#url} cannot be reached.`, { cause: error });
    }
  }
}

/** Read the answer. A connection that breaks here is the same as one that breaks before. */
async function valueOf<T>(response: Response): Promise<T> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw new ConnectionError("The connection broke while the answer came.", { cause: error });
  }
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  return (isJson ? JSON.parse(text) : text) as T;
}

/** Whether the same request may succeed later. */
function isPassing(response: Response): boolean {
  if ([429, 503].includes(response.status)) return true;
  // 409 with Retry-After: the first request with this key is under way.
  if (response.status === 409) return response.headers.has("retry-after");
  return [502, 504].includes(response.status) && !isProblem(response);
}

/** Milliseconds before the next attempt: doubled each time, with a random part that spreads clients. */
export function backoff(attempt: number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Wait. Rejects with the signal's reason as soon as it is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
