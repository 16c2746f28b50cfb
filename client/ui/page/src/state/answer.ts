import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { asFailure, type Failure } from "../api/errors";
import { daemon } from "./session";

/** An answer that is on its way, here, or failed. The last one stays while the next is on its way. */
export interface Answer<T> {
  data: T | null;
  failure: Failure | null;
  busy: boolean;
  reload: () => void;
}

/** Asks again whenever `key` changes; an empty key asks nothing. */
export function useAnswer<T>(key: string, asking: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const [state, setState] = useState<{ key: string; data: T | null; failure: Failure | null; busy: boolean }>({
    key: "",
    data: null,
    failure: null,
    busy: key !== "",
  });
  const [round, setRound] = useState(0);
  const latest = useRef(asking);
  latest.current = asking;
  useEffect(() => {
    if (key === "") return setState({ key, data: null, failure: null, busy: false });
    const control = new AbortController();
    setState((before) => ({ ...before, failure: null, busy: true }));
    latest.current(control.signal).then(
      (data) => !control.signal.aborted && setState({ key, data, failure: null, busy: false }),
      (thrown: unknown) =>
        !control.signal.aborted && setState((before) => ({ key, data: before.key === key ? before.data : null, failure: asFailure(thrown), busy: false })),
    );
    return () => control.abort();
  }, [key, round]);
  useEffect(() => {
    const kind = state.failure?.kind;
    if (kind !== "away" && kind !== "offline") return;
    // Asks again once the daemon answers again, so that nobody has to reload the page.
    const since = daemon.peek().at;
    return effect(() => {
      if (daemon.value.at > since && daemon.value.failure === null) setRound((now) => now + 1);
    });
  }, [state.failure]);
  return { data: state.data, failure: state.failure, busy: state.busy, reload: () => setRound((now) => now + 1) };
}
