import { Failure } from "./errors";
import type { GraphColumns, Json } from "./types";

/** Where requests go and how they prove that they may. */
export interface Server {
  /** Sends a request with the token. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** Reads the token from the address of the page. */
export function tokenOf(address: string): string {
  return new URL(address).searchParams.get("token") ?? "";
}

/** The server that the page came from. */
export function connectServer(token: string, fetcher: typeof fetch = (input, init) => fetch(input, init)): Server {
  return {
    request(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${token}`);
      return fetcher(path, { ...init, headers, credentials: "omit", redirect: "error", cache: "no-store" });
    },
  };
}

/** The failure that a status other than 200 stands for, or null. */
export function failureOf(status: number): Failure | null {
  if (status === 200) return null;
  if (status === 401 || status === 403) return new Failure("token", "The server does not accept the token of this page.");
  if (status === 503) return new Failure("away", "The daemon is not running.");
  return new Failure("protocol", `The server answered with status ${status}.`);
}

async function readEnvelope(response: Response): Promise<Json> {
  const failure = failureOf(response.status);
  if (failure) throw failure;
  const envelope = (await response.json()) as { result?: Json; error?: { code?: unknown; message?: unknown; details?: unknown } };
  if (envelope.error) {
    const { code, message, details } = envelope.error;
    throw new Failure("action", String(message ?? "The call failed."), String(code ?? ""), details);
  }
  if (envelope.result === undefined) throw new Failure("protocol", "The answer has neither a result nor an error.");
  return envelope.result;
}

async function post(server: Server, path: string, body: unknown, signal?: AbortSignal): Promise<Json> {
  const headers = { "Content-Type": "application/json" };
  return readEnvelope(await server.request(path, { method: "POST", body: JSON.stringify(body), headers, signal: signal ?? null }));
}

/** Calls an action, such as `symbol.search`. */
export function callAction<T>(server: Server, action: string, args: object, signal?: AbortSignal): Promise<T> {
  return post(server, "/api/call", { action, arguments: args }, signal) as Promise<T>;
}

/** Asks the daemon one of the questions of `sdlctl`, such as `daemon/status`. */
export function askDaemon<T>(server: Server, method: string, params: object, signal?: AbortSignal): Promise<T> {
  return post(server, "/api/ask", { method, params }, signal) as Promise<T>;
}

/** Reads the whole graph of a repository. */
export async function readGraph(server: Server, repo: string, signal?: AbortSignal): Promise<GraphColumns> {
  const query = new URLSearchParams({ repo });
  const response = await server.request(`/api/graph?${query.toString()}`, { signal: signal ?? null });
  const failure = failureOf(response.status);
  if (failure) throw failure;
  const answer = (await response.json()) as GraphColumns & { error?: { code?: string; message?: string } };
  if (answer.error) throw new Failure("action", String(answer.error.message), String(answer.error.code));
  if (!Array.isArray(answer.nodes?.id)) throw new Failure("protocol", "The graph has no nodes column.");
  return answer;
}
