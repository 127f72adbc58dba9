/** The client: a method for each verb that programs use most, and `call` for every other operation. */

import { events, type EventOptions, type MemoryEvent } from "./events.js";
import type * as api from "./generated.js";
import { Transport, type Arguments, type CallOptions, type Options } from "./transport.js";

type Body<O extends keyof api.Operations> = NonNullable<api.Operations[O]["body"]>;
type Query<O extends keyof api.Operations> = api.Operations[O]["query"];
/** A memory and the number of its version, which `ifVersion` takes. */
export type Versioned = api.Memory & { version: number };
/** One text, or a text with its fields. */
export type Item = string | Body<"remember_many">["items"][number];
/** One turn of a conversation, or its text. */
export type Turn = string | ({ content: string } & Omit<Body<"conversation_add">, "content">);
/** What to forget, restore or erase: an id, several ids, or a selection. */
export type Selection<O extends "forget" | "restore" | "erase"> = string | string[] | Body<O>;

/** Memories of one namespace on one server. */
export class Combray {
  readonly #transport: Transport;

  constructor(options: Options) {
    this.#transport = new Transport(options);
  }

  /** Call any operation of the API with its arguments as the OpenAPI description has them. */
  async call<O extends keyof api.Operations>(
    operation: O,
    given: Arguments<O> = {},
    options: CallOptions = {},
  ): Promise<api.Operations[O]["answer"]> {
    return (await this.#transport.call(operation, given, options)).value;
  }

  /** Store a text. */
  remember(
    content: string,
    fields: Omit<Body<"remember">, "content"> = {},
    options: CallOptions = {},
  ): Promise<api.Remembered> {
    return this.call("remember", { body: { ...fields, content } }, options);
  }

  /** Store several texts in one transaction. */
  async rememberMany(items: Item[], options: CallOptions = {}): Promise<api.Remembered[]> {
    const listed = items.map((each) => (typeof each === "string" ? { content: each } : each));
    return (await this.call("remember_many", { body: { items: listed } }, options)).results;
  }

  /** Return the memories that answer a query, best first, with reasons. */
  recall(query: string, wishes: Omit<Body<"recall">, "query"> = {}, options: CallOptions = {}): Promise<api.Answer> {
    return this.call("recall", { body: { ...wishes, query } }, options);
  }

  /** Return text for a prompt within a token budget. */
  context(query: string, wishes: Omit<Body<"context">, "query"> = {}, options: CallOptions = {}): Promise<api.Context> {
    return this.call("context", { body: { ...wishes, query } }, options);
  }

  /** Answer a question with citations. */
  think(question: string, wishes: Omit<Body<"think">, "question"> = {}, options: CallOptions = {}): Promise<api.Thought> {
    return this.call("think", { body: { ...wishes, question } }, options);
  }

  /** Return a memory with its version. */
  async get(id: string, options: CallOptions = {}): Promise<Versioned> {
    return versioned(await this.#transport.call("get", { path: { memory_id: id } }, options));
  }

  /** Iterate over memories, newest first. `pages()` gives them page by page, with the total. */
  list(wishes: Omit<Query<"list">, "after"> = {}, options: CallOptions = {}): Listing {
    return new Listing((after) => this.call("list", { query: { ...wishes, ...after } }, options));
  }

  /** Change fields of a memory. With `ifVersion` only that version: else StaleVersionError. */
  async update(
    id: string,
    changes: Body<"update">,
    options: CallOptions & { ifVersion?: number } = {},
  ): Promise<Versioned> {
    const { ifVersion } = options;
    const headers: Record<string, string> = ifVersion === undefined ? {} : { "If-Match": `"${ifVersion}"` };
    return versioned(await this.#transport.call("update", { path: { memory_id: id }, body: changes, headers }, options));
  }

  /** Hide memories. Nothing is deleted. */
  forget(which: Selection<"forget">, options: CallOptions = {}): Promise<api.Operations["forget"]["answer"]> {
    return this.call("forget", { body: selected(which) }, options);
  }

  /** Bring forgotten memories back. */
  restore(which: Selection<"restore">, options: CallOptions = {}): Promise<api.Operations["restore"]["answer"]> {
    return this.call("restore", { body: selected(which) }, options);
  }

  /** Destroy memories. Needs the role admin. */
  erase(which: Selection<"erase">, options: CallOptions = {}): Promise<api.Operations["erase"]["answer"]> {
    return this.call("erase", { body: selected(which) }, options);
  }

  /** Return a conversation, whose turns are memories. */
  conversation(session: string): Conversation {
    return new Conversation(this, session);
  }

  /** Iterate over what changes in the namespace. A lost connection is continued where it was. */
  events(options: EventOptions = {}): AsyncGenerator<MemoryEvent> {
    return events(this.#transport, options);
  }
}

/** Turns of one conversation. */
export class Conversation {
  readonly session: string;
  readonly #client: Combray;

  constructor(client: Combray, session: string) {
    this.#client = client;
    this.session = session;
  }

  /** Add a turn. */
  add(
    content: string,
    fields: Omit<Body<"conversation_add">, "content"> = {},
    options: CallOptions = {},
  ): Promise<api.Memory> {
    const path = { session: this.session };
    return this.#client.call("conversation_add", { path, body: { ...fields, content } }, options);
  }

  /** Add several turns. */
  async addMany(turns: Turn[], options: CallOptions = {}): Promise<api.Memory[]> {
    const listed = turns.map((each) => (typeof each === "string" ? { content: each } : each));
    const path = { session: this.session };
    return (await this.#client.call("conversation_add_many", { path, body: { turns: listed } }, options)).results;
  }

  /** Return all turns, oldest first. */
  async turns(options: CallOptions = {}): Promise<api.Memory[]> {
    return (await this.#client.call("conversation_turns", { path: { session: this.session } }, options)).results;
  }
}

/** Memories that are fetched page by page as they are needed. */
export class Listing implements AsyncIterable<api.Memory> {
  readonly #page: (after: { after?: string }) => Promise<api.Page>;

  constructor(page: (after: { after?: string }) => Promise<api.Page>) {
    this.#page = page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<api.Memory> {
    for await (const page of this.pages()) yield* page.memories;
  }

  async *pages(): AsyncGenerator<api.Page> {
    let page = await this.#page({});
    yield page;
    while (page.cursor) {
      page = await this.#page({ after: page.cursor });
      yield page;
    }
  }
}

function selected<O extends "forget" | "restore" | "erase">(which: Selection<O>): Body<O> {
  if (typeof which === "string") return { ids: [which] } as Body<O>;
  return (Array.isArray(which) ? { ids: which } : which) as Body<O>;
}

function versioned(answered: { value: api.Memory; headers: Headers }): Versioned {
  const tag = answered.headers.get("etag") ?? "";
  return { ...answered.value, version: Number(tag.replace(/\D/g, "")) };
}
