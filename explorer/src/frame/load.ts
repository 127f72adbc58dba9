/** Values that a page loads, and loads again. */

import { useCallback, useEffect, useState } from "preact/hooks";

export interface Load<T> {
  value?: T;
  problem?: string;
  busy: boolean;
  reload: () => void;
}

/** Load a value. It is loaded again if one of `of` changes; the earlier value is shown until then. */
export function useLoad<T>(work: (signal: AbortSignal) => Promise<T>, of: unknown[] = []): Load<T> {
  const [state, set] = useState<{ value?: T; problem?: string; busy: boolean }>({ busy: true });
  const [turn, next] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    set((now) => ({ ...now, busy: true }));
    work(stop.signal).then(
      (value) => !stop.signal.aborted && set({ value, busy: false }),
      (error: Error) => !stop.signal.aborted && set({ problem: error.message, busy: false }),
    );
    return () => stop.abort();
  }, [...of, turn]);
  const reload = useCallback(() => next((now) => now + 1), []);
  return { ...state, reload };
}
