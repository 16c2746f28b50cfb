import assert from "node:assert/strict";
import { test } from "node:test";
import { syntheticColumns } from "../../dev/synthetic";
import type { Dependent, RelatedRow, SymbolRow } from "../../src/api/types";
import { drawAround, gatherAround } from "../../src/graph/drawings/around";
import { drawImpact } from "../../src/graph/drawings/impact";
import { drawMap, scaleOf } from "../../src/graph/drawings/map";
import { drawWays } from "../../src/graph/drawings/path";
import { layOutMap } from "../../src/graph/layout/map";
import { buildModel } from "../../src/graph/model";
import { readOpen } from "../../src/views/graph/useAround";

function symbol(name: string): SymbolRow {
  return { symbolId: `s_${name}`, name, kind: "function", file: "a.py", line: 1 };
}

function row(name: string): RelatedRow {
  return { ...symbol(name), depth: 1, confidence: 0.5 };
}

test("callers are to the left, callees to the right, edges point from caller to callee", () => {
  const drawing = drawAround(symbol("mid"), [
    { of: "s_mid", side: "callers", rows: [row("up")] },
    { of: "s_mid", side: "callees", rows: [row("down")] },
    { of: "s_down", side: "callees", rows: [row("deep"), row("mid")] },
  ]);
  const at = Object.fromEntries(drawing.nodes.map((node, number) => [node.name, { ...node, number }]));
  assert.ok(at["up"]!.x < at["mid"]!.x && at["mid"]!.x < at["down"]!.x && at["down"]!.x < at["deep"]!.x);
  const pairs = drawing.edges.map((edge) => `${drawing.nodes[edge.from]!.name}>${drawing.nodes[edge.to]!.name}`);
  assert.deepEqual(pairs, ["up>mid", "mid>down", "down>deep", "down>mid"]);
  assert.deepEqual(drawing.nodes.filter((node) => node.strong).map((node) => node.name), ["mid"]);
});

test("what is unfolded from a symbol that is not there is left out", () => {
  const found = gatherAround(symbol("mid"), [{ of: "s_gone", side: "callers", rows: [row("x")] }]);
  assert.deepEqual(found.map((one) => one.symbol.name), ["mid"]);
});

test("a symbol that calls itself is drawn once", () => {
  const drawing = drawAround(symbol("loop"), [{ of: "s_loop", side: "callees", rows: [row("loop")] }]);
  assert.deepEqual([drawing.nodes.length, drawing.edges.length], [1, 0]);
});

test("a link says what is unfolded; without one both sides are", () => {
  assert.deepEqual(readOpen("c.s_a,o.s_b,x", "s_r"), [{ id: "s_a", side: "callers" }, { id: "s_b", side: "callees" }]);
  assert.deepEqual(readOpen("", "s_r"), [{ id: "s_r", side: "callers" }, { id: "s_r", side: "callees" }]);
});

test("ways share the symbols that they have in common", () => {
  const hop = (name: string) => ({ ...symbol(name), edge: "call", resolution: "exact", strategy: "x", confidence: 1 });
  const way = (...names: string[]) => ({ from: symbol("a"), hops: names.map(hop), confidence: 1 });
  const drawing = drawWays({ ways: [way("b", "z"), way("c", "d", "z")] });
  assert.equal(drawing.nodes.length, 5);
  assert.equal(drawing.edges.length, 5);
  const last = drawing.nodes.find((node) => node.name === "z")!;
  assert.ok(drawing.nodes.every((node) => node.x <= last.x));
});

test("dependents lead to the change over the symbol that they name", () => {
  const dependent = (name: string, distance: number, towards: string): Dependent => ({
    ...symbol(name), distance, towards, rank: 0.5, exported: true, test: false, edge: "call", resolution: "exact", confidence: 0.9,
  });
  const drawing = drawImpact({ changed: [symbol("root")], dependents: [dependent("near", 1, "root"), dependent("far", 2, "near"), dependent("lost", 2, "nobody")] });
  const pairs = drawing.edges.map((edge) => `${drawing.nodes[edge.from]!.name}>${drawing.nodes[edge.to]!.name}`);
  assert.deepEqual(pairs, ["near>root", "far>near"]);
});

test("many dependents are on rings, the nearer on the inner ones", () => {
  const dependents = Array.from({ length: 120 }, (_, at): Dependent => ({
    ...symbol(`d${at}`), distance: 1 + (at % 3), towards: at % 3 === 0 ? "root" : `d${at - 1}`, rank: 0, exported: false, test: false, edge: "call", resolution: "exact", confidence: 1,
  }));
  const { nodes } = drawImpact({ changed: [symbol("root")], dependents });
  const radius = (name: string): number => {
    const node = nodes.find((one) => one.name === name)!;
    return Math.hypot(node.x, node.y);
  };
  assert.equal(radius("root"), 0);
  assert.ok(radius("d0") < radius("d1") && radius("d1") < radius("d2"));
  assert.ok(Math.abs(radius("d0") - radius("d3")) < 1e-6);
});

test("in a map the symbols with most edges come last, and edges still join the right ones", () => {
  const model = buildModel(syntheticColumns(300));
  const { clusterOf, from, to } = model;
  const drawing = drawMap(model, layOutMap({ clusterOf, clusterCount: model.clusters.length, from, to }), true);
  const sizes = drawing.nodes.map((node) => node.size);
  assert.deepEqual(sizes, [...sizes].sort((one, other) => one - other));
  drawing.edges.forEach((edge, at) => {
    assert.equal(drawing.nodes[edge.from]!.id, model.columns.nodes.id[from[at]!]);
    assert.equal(drawing.nodes[edge.to]!.id, model.columns.nodes.id[to[at]!]);
  });
  assert.equal(drawing.discs.reduce((sum, disc) => sum + disc.count, 0), 300);
});

test("many nodes are drawn smaller, few are not", () => {
  assert.equal(scaleOf(100), 1);
  assert.ok(scaleOf(20_000) < 0.5);
});
