import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyReader } from "../../src/state/keys";

test("g and a letter go to a view", () => {
  const reader = new KeyReader();
  assert.deepEqual(reader.read("g", 0), { do: "wait" });
  assert.deepEqual(reader.read("d", 500), { do: "view", view: "delta" });
});

test("g g is the graph", () => {
  const reader = new KeyReader();
  reader.read("g", 0);
  assert.deepEqual(reader.read("g", 10), { do: "view", view: "graph" });
});

test("a late or unknown second key does nothing", () => {
  const reader = new KeyReader();
  reader.read("g", 0);
  assert.equal(reader.read("r", 5_000), null);
  reader.read("g", 6_000);
  assert.equal(reader.read("x", 6_100), null);
  assert.deepEqual(reader.read("/", 6_200), { do: "search" });
});
