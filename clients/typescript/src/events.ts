/** Server-sent events, continued after a lost connection. */

import { ConnectionError, ServerError } from "./errors.js";
import { backoff, pause, type Transport } from "./transport.js";

/** What was done to a memory. It holds no text. */
export interface MemoryEvent {
  /** Pass it as `after` to go on behind this event. */
  id: string;
  /** The operation, such as `remember`, `update`, `forget`. */
  operation: string;
  /** When, in ISO 8601. */
  at: string;
  /** The memory; empty for a write of many. */
  memory_id: string | null;
  detail: unknown;
}

export interface EventOptions {
  /** Id of the last event that was seen; default: only events from now on. */
  after?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
}

/** Yield events until the signal is aborted or the loop is left. */
export async function* events(transport: Transport, options: EventOptions): AsyncGenerator<MemoryEvent> {
  const left = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
  let after = options.after;
  try {
    for (let failed = 0; ; ) {
      try {
        const headers: Record<string, string> = after === undefined ? {} : { "Last-Event-ID": after };
        const response = await transport.open("events", headers, signal);
        for await (const each of parsed(response)) {
          failed = 0;
          after = each.id;
          yield each;
        }
      } catch (error) {
        if (signal.aborted) return;
        const passing = error instanceof ConnectionError || (error instanceof ServerError && error.status === 503);
        if (!passing || failed >= transport.retries) throw error;
      }
      if (signal.aborted) return;
      await pause(backoff(failed++), signal).catch(() => undefined);
    }
  } finally {
    left.abort();
  }
}

async function* parsed(response: Response): AsyncGenerator<MemoryEvent> {
  let fields: Record<string, string> = {};
  for await (const line of lines(response)) {
    const place = line.indexOf(":");
    if (line === "") {
      if (fields["data"] !== undefined && fields["id"] !== undefined) yield eventOf(fields);
      fields = {};
    } else if (place > 0) {
      fields[line.slice(0, place)] = line.slice(place + 1).replace(/^ /, "");
    }
  }
}

function eventOf(fields: Record<string, string>): MemoryEvent {
  const data = JSON.parse(fields["data"] ?? "{}") as Omit<MemoryEvent, "id" | "operation">;
  return {
    id: fields["id"] ?? "",
    operation: fields["event"] ?? "",
    at: data.at,
    memory_id: data.memory_id,
    detail: data.detail,
  };
}

async function* lines(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new ConnectionError("The connection broke while events came.", { cause: error });
      });
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      yield* parts;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
