import assert from "node:assert/strict";
import { test } from "node:test";
import { connectServer, failureOf, tokenOf } from "../../src/api/client";
import { backoffMs, followEvents, type Link } from "../../src/api/events";
import { StreamParser } from "../../src/api/sse";
import { readVersion } from "../../src/state/live";

test("events are found wherever pieces end", () => {
  const text = ": hello\n\nevent: version\ndata: {\"a\":\ndata: 1}\nid: 7\n\ndata: x\r\n\r\n";
  const whole = new StreamParser().feed(text);
  const parser = new StreamParser();
  const pieces = [...text].flatMap((character) => parser.feed(character));
  assert.deepEqual(pieces, whole);
  assert.deepEqual(whole, [{ event: "version", data: "{\"a\":\n1}", id: "7" }, { event: "message", data: "x", id: "7" }]);
});

test("waits double up to eight seconds", () => {
  assert.deepEqual([0, 1, 2, 20].map((attempt) => backoffMs(attempt, 0)), [250, 500, 1_000, 8_000]);
  assert.equal(backoffMs(20, 1), 6_000);
});

test("the token is sent with each request", async () => {
  let seen = "";
  const server = connectServer("T1", async (_, init) => {
    seen = new Headers(init?.headers).get("Authorization") ?? "";
    return new Response("{}");
  });
  await server.request("/api/call");
  assert.equal(seen, "Bearer T1");
  assert.equal(tokenOf("http://127.0.0.1:1/?token=abc#/graph"), "abc");
});

test("statuses say who is at fault", () => {
  assert.equal(failureOf(200), null);
  assert.deepEqual([401, 403, 503, 500].map((status) => failureOf(status)?.kind), ["token", "token", "away", "protocol"]);
});

test("a refused token ends the stream", async () => {
  const links: Link[] = [];
  const server = { request: async () => new Response("", { status: 401 }) };
  await followEvents(server, { onEvent: () => undefined, onLink: (link) => links.push(link) }, new AbortController().signal);
  assert.deepEqual(links.map((link) => link.state), ["connecting", "ended"]);
});

test("a break connects again and names the last event", async () => {
  const control = new AbortController();
  const asked: (string | null)[] = [];
  const events: unknown[] = [];
  const server = {
    request: async (_: string, init?: RequestInit) => {
      asked.push(new Headers(init?.headers).get("Last-Event-ID"));
      if (asked.length === 2) control.abort();
      return new Response("id: 3\nevent: version\ndata: {\"n\":1}\n\nevent: call\ndata: not json\n\n");
    },
  };
  await followEvents(server, { onEvent: (_, data) => events.push(data), onLink: () => undefined }, control.signal, () => 1);
  assert.deepEqual(asked, [null, "3"]);
  assert.deepEqual(events[0], { n: 1 });
});

test("an event of a wrong shape is refused or made whole", () => {
  assert.equal(readVersion({ repo: 1 }), null);
  assert.equal(readVersion(null), null);
  const version = readVersion({ repo: "a", version: "v1", at: 5, files: [{ path: "x", change: "modified" }, 3], symbols: { added: "2" } });
  assert.deepEqual(version, { repo: "a", version: "v1", at: 5, files: [{ path: "x", change: "modified" }], symbols: { added: 2, changed: 0, removed: 0 }, ms: 0 });
});
