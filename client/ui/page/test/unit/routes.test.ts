import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRoute, parseRoute, readList, VIEWS } from "../../src/state/routes";

test("a route survives being written and read", () => {
  const route = { view: "graph", params: { repo: "shop", mode: "path", from: "a b&c=d#?%", to: "x::y" } } as const;
  assert.deepEqual(parseRoute(formatRoute(route)), route);
});

test("each view has a link of its own", () => {
  for (const view of VIEWS) assert.equal(parseRoute(`#/${view}`).view, view);
});

test("unknown views and parameters are left out", () => {
  assert.deepEqual(parseRoute("#/admin?repo=a&evil=1"), { view: "repository", params: { repo: "a" } });
  assert.deepEqual(parseRoute(""), { view: "repository", params: {} });
});

test("a value can't leave its parameter", () => {
  const written = formatRoute({ view: "graph", params: { repo: "a&symbol=s_x#/agents", q: "\u202e\n<" } });
  assert.match(written, /^#\/graph\?[A-Za-z0-9%&=+._-]*$/);
  assert.equal(parseRoute(written).params["symbol"], undefined);
  assert.equal(parseRoute(written).params["q"], "\u202e\n<");
});

test("a very long value is cut", () => {
  assert.equal(parseRoute(`#/graph?q=${"a".repeat(9_000)}`).params["q"]?.length, 4_000);
});

test("lists have no empty entries", () => {
  assert.deepEqual(readList("a,,b,"), ["a", "b"]);
  assert.deepEqual(readList(undefined), []);
});
