import { randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";

/** What answers the requests of the page. */
export interface Backend {
  call(action: string, args: Record<string, unknown>): Promise<unknown>;
  ask(method: string, params: Record<string, unknown>): Promise<unknown>;
  graph(repo: string): Promise<unknown>;
  /** Passes events to a reader until the returned function is called. */
  subscribe(each: (event: string, data: unknown) => void): () => void;
}

/** An error that an action gives, or `away` if the daemon does not run. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly details?: unknown,
  ) {
    super(message);
  }
}

const MAX_BODY_BYTES = 1 << 20;

function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'none'",
    "connect-src 'self'",
    "img-src data: blob:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types sdl-worker",
  ].join("; ");
}

function sendPage(response: ServerResponse, file: string): void {
  const nonce = randomBytes(16).toString("base64");
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policyOf(nonce),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
  response.writeHead(200, headers);
  response.end(readFileSync(file, "utf8").replace("__NONCE__", nonce));
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify(value));
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > MAX_BODY_BYTES) throw new Refusal("tooLarge", "the request is larger than 1 MiB");
    pieces.push(piece as Buffer);
  }
  return JSON.parse(Buffer.concat(pieces).toString("utf8")) as Record<string, unknown>;
}

function isAllowed(given: string | undefined, token: string): boolean {
  const wanted = Buffer.from(`Bearer ${token}`);
  const got = Buffer.from(given ?? "");
  return got.length === wanted.length && timingSafeEqual(got, wanted);
}

/** Starts a server of the page on a free port, or on the given one. */
export function servePage(backend: Backend, token: string, port = 0, page = join("build", "page.html")): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && address.pathname === "/") return sendPage(response, page);
    if (!isAllowed(request.headers.authorization, token)) return sendJson(response, 401, {});
    answer(backend, request, response, address).catch((thrown: unknown) => {
      if (thrown instanceof Refusal && thrown.code === "away") return sendJson(response, 503, {});
      const code = thrown instanceof Refusal ? thrown.code : "internal";
      const details = thrown instanceof Refusal ? thrown.details : undefined;
      sendJson(response, 200, { error: { code, message: String((thrown as Error).message), details } });
    });
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const bound = server.address();
      const number = typeof bound === "object" && bound ? bound.port : port;
      resolve({ server, address: `http://127.0.0.1:${number}` });
    });
  });
}

async function answer(backend: Backend, request: IncomingMessage, response: ServerResponse, address: URL): Promise<void> {
  const route = `${request.method} ${address.pathname}`;
  if (route === "GET /api/events") return stream(backend, request, response);
  if (route === "GET /api/graph") return sendJson(response, 200, await backend.graph(address.searchParams.get("repo") ?? ""));
  if (route === "POST /api/call") {
    const body = await readBody(request);
    return sendJson(response, 200, { result: await backend.call(String(body["action"]), body["arguments"] as Record<string, unknown>) });
  }
  if (route === "POST /api/ask") {
    const body = await readBody(request);
    return sendJson(response, 200, { result: await backend.ask(String(body["method"]), body["params"] as Record<string, unknown>) });
  }
  sendJson(response, 404, {});
}

function stream(backend: Backend, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  response.write(": hello\n\n");
  const end = backend.subscribe((event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  request.on("close", end);
}
