import type { Server } from "./client";
import { failureOf } from "./client";
import { asFailure, Failure } from "./errors";
import { StreamParser, type StreamEvent } from "./sse";

/** A commit of the daemon: one batch of writes that became a version. */
export interface VersionEvent {
  repo: string;
  version: string;
  at: number;
  files: { path: string; change: string }[];
  symbols: { added: number; changed: number; removed: number };
  ms: number;
}

/** A call of an agent. `instead` is the number of tokens of the files that the answer stood for. */
export interface CallEvent {
  at: number;
  session: string;
  client: string;
  action: string;
  ms: number;
  ok: boolean;
  tokens: number;
  instead?: number;
}

export type Link = { state: "connecting" | "live" } | { state: "waiting" | "ended"; failure: Failure };

export interface Listener {
  onEvent(event: string, data: unknown): void;
  onLink(link: Link): void;
}

/** Milliseconds to wait before the next attempt: doubles from 250 to 8,000, less up to a quarter by chance. */
export function backoffMs(attempt: number, chance: number): number {
  const full = Math.min(8_000, 250 * 2 ** Math.min(attempt, 10));
  return Math.round(full * (1 - chance / 4));
}

/** Reads events until `signal` aborts, and connects again after each break. A refused token ends it. */
export async function followEvents(server: Server, listener: Listener, signal: AbortSignal, chance = Math.random): Promise<void> {
  let attempt = 0;
  let lastId = "";
  while (!signal.aborted) {
    listener.onLink({ state: "connecting" });
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (lastId !== "") headers["Last-Event-ID"] = lastId;
      const response = await server.request("/api/events", { headers, signal });
      const failure = failureOf(response.status);
      if (failure) throw failure;
      listener.onLink({ state: "live" });
      attempt = 0;
      await readStream(response, (event) => {
        if (event.id !== "") lastId = event.id;
        deliver(listener, event);
      });
      throw new Failure("offline", "The stream of events ended.");
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = asFailure(thrown);
      if (failure.kind === "token") return listener.onLink({ state: "ended", failure });
      listener.onLink({ state: "waiting", failure });
      await pause(backoffMs(attempt, chance()), signal);
      attempt += 1;
    }
  }
}

async function readStream(response: Response, each: (event: StreamEvent) => void): Promise<void> {
  if (!response.body) throw new Failure("protocol", "The stream of events has no body.");
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new StreamParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const event of parser.feed(decoder.decode(value, { stream: true }))) each(event);
  }
}

/** Passes an event on; one that is no JSON is left out, because the next ones may be good. */
function deliver(listener: Listener, event: StreamEvent): void {
  let data: unknown;
  try {
    data = JSON.parse(event.data);
  } catch {
    return;
  }
  listener.onEvent(event.event, data);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
