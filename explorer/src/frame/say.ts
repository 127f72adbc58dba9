/** One message at the foot of the page: what was done, with an undo if there is one, or why it was not. */

import { signal } from "@preact/signals";

export interface Message {
  text: string;
  undo?: (() => unknown) | undefined;
  bad?: boolean;
}

const SHOWN = 8000;
export const message = signal<Message | null>(null);
let timer = 0;

function show(said: Message): void {
  message.value = said;
  clearTimeout(timer);
  // A message with a choice stays until the next one: nobody is hurried.
  if (!said.undo && !said.bad) timer = window.setTimeout(() => (message.value = null), SHOWN);
}

export const say = {
  done(text: string, undo?: () => unknown): void {
    show({ text, undo });
  },
  bad(text: string): void {
    show({ text, bad: true });
  },
  /** Do some work and return its result; undefined if it failed, which is shown. */
  async trying<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return ((await work()) ?? (true as T)) as T;
    } catch (error) {
      say.bad((error as Error).message);
      return undefined;
    }
  },
};
