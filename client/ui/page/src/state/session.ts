import { signal } from "@preact/signals";
import { askDaemon, callAction, connectServer, tokenOf, type Server } from "../api/client";
import type { DaemonStatus } from "../api/types";
import { asFailure, type Failure } from "../api/errors";

/** The server of this page. */
export const server: Server = connectServer(globalThis.location ? tokenOf(location.href) : "");

/** The newest state of the daemon, or why there is none. */
export const daemon = signal<{ status: DaemonStatus | null; failure: Failure | null; at: number }>({ status: null, failure: null, at: 0 });

/** Calls an action of the daemon. */
export function call<T>(action: string, args: object, signal?: AbortSignal): Promise<T> {
  return callAction<T>(server, action, args, signal);
}

/** Asks the daemon what `sdlctl` can ask. */
export function ask<T>(method: string, params: object, signal?: AbortSignal): Promise<T> {
  return askDaemon<T>(server, method, params, signal);
}

/** Takes a state of the daemon. */
export function takeStatus(status: DaemonStatus): void {
  daemon.value = { status, failure: null, at: Date.now() };
}

/** Reads the state of the daemon once. */
export async function readStatus(): Promise<void> {
  try {
    takeStatus(await ask<DaemonStatus>("daemon/status", {}));
  } catch (thrown) {
    daemon.value = { ...daemon.value, failure: asFailure(thrown) };
  }
}
