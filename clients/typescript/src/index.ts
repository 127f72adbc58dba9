export * from "./client.js";
export * from "./errors.js";
export type { EventOptions, MemoryEvent } from "./events.js";
export type * from "./generated.js";
export type { Arguments, CallOptions, Options } from "./transport.js";
