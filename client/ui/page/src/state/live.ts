import { signal } from "@preact/signals";
import { followEvents, type CallEvent, type Link, type VersionEvent } from "../api/events";
import type { DaemonStatus } from "../api/types";
import { addSample } from "./samples";
import { readStatus, server, takeStatus } from "./session";

/** How many events of a kind are kept. */
const MAX_KEPT = 500;

/** The connection that events come over. */
export const link = signal<Link>({ state: "connecting" });

/** Versions as they were made, the newest first. */
export const versions = signal<readonly VersionEvent[]>([]);

/** Calls of agents, the newest first. */
export const calls = signal<readonly CallEvent[]>([]);

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

/** Checks the shape of an event, because one wrong field must not break a view. */
export function readVersion(data: unknown): VersionEvent | null {
  if (!isRecord(data) || typeof data["repo"] !== "string" || typeof data["version"] !== "string") return null;
  const symbols = isRecord(data["symbols"]) ? data["symbols"] : {};
  const files = Array.isArray(data["files"]) ? data["files"].filter(isRecord) : [];
  return {
    repo: data["repo"],
    version: data["version"],
    at: Number(data["at"]) || Date.now(),
    files: files.map((file) => ({ path: String(file["path"]), change: String(file["change"]) })),
    symbols: { added: Number(symbols["added"]) || 0, changed: Number(symbols["changed"]) || 0, removed: Number(symbols["removed"]) || 0 },
    ms: Number(data["ms"]) || 0,
  };
}

function readCall(data: unknown): CallEvent | null {
  if (!isRecord(data) || typeof data["action"] !== "string") return null;
  const instead = Number(data["instead"]);
  const call: CallEvent = {
    at: Number(data["at"]) || Date.now(),
    session: String(data["session"] ?? ""),
    client: String(data["client"] ?? ""),
    action: data["action"],
    ms: Number(data["ms"]) || 0,
    ok: data["ok"] !== false,
    tokens: Number(data["tokens"]) || 0,
  };
  return Number.isFinite(instead) && data["instead"] !== undefined ? { ...call, instead } : call;
}

function sameVersion(one: VersionEvent, other: VersionEvent): boolean {
  return one.repo === other.repo && one.version === other.version;
}

function takeEvent(event: string, data: unknown): void {
  if (event === "version") {
    const version = readVersion(data);
    // A server may repeat the last ones after a break.
    if (version && !versions.value.some((known) => sameVersion(known, version))) {
      versions.value = [version, ...versions.value].slice(0, MAX_KEPT);
    }
  } else if (event === "call") {
    const call = readCall(data);
    if (call) calls.value = [call, ...calls.value].slice(0, MAX_KEPT);
  } else if (event === "status" && isRecord(data) && Array.isArray(data["repos"])) {
    const status = data as unknown as DaemonStatus;
    takeStatus(status);
    addSample(status, Date.now());
  }
}

/** Follows the daemon until `signal` aborts. */
export function followDaemon(signal: AbortSignal): void {
  let breaks = 0;
  const onLink = (now: Link): void => {
    link.value = now;
    if (now.state === "waiting") breaks += 1;
    // The state is read once beside the first connection, and after each break, because much can have changed.
    if (now.state === "live" && breaks > 0) void readStatus();
  };
  void readStatus();
  void followEvents(server, { onEvent: takeEvent, onLink }, signal);
}
