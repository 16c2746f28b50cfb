import assert from "node:assert/strict";
import { test } from "node:test";
import { syntheticColumns } from "../../dev/synthetic";
import { layOutMap, type MapLayout } from "../../src/graph/layout/map";
import { buildModel, edgesAt, membersOf } from "../../src/graph/model";

function layOut(count: number): { layout: MapLayout; model: ReturnType<typeof buildModel> } {
  const model = buildModel(syntheticColumns(count));
  const { clusterOf, from, to } = model;
  return { model, layout: layOutMap({ clusterOf, clusterCount: model.clusters.length, from, to }) };
}

test("every symbol lies in the disc of its cluster", () => {
  const { layout, model } = layOut(3_000);
  model.clusterOf.forEach((cluster, number) => {
    const distance = Math.hypot(layout.x[number]! - layout.discs.x[cluster]!, layout.y[number]! - layout.discs.y[cluster]!);
    assert.ok(distance <= layout.discs.r[cluster]! + 0.01, `symbol ${number} is outside of its disc`);
  });
});

test("discs do not overlap", () => {
  const { discs } = layOut(3_000).layout;
  for (let one = 0; one < discs.x.length; one += 1) {
    for (let other = 0; other < one; other += 1) {
      const distance = Math.hypot(discs.x[one]! - discs.x[other]!, discs.y[one]! - discs.y[other]!);
      assert.ok(distance > (discs.r[one]! + discs.r[other]!) * 0.97, `discs ${one} and ${other} overlap`);
    }
  }
});

test("the same graph is laid out the same way", () => {
  assert.deepEqual(layOut(800).layout, layOut(800).layout);
});

test("odd graphs have a layout too", () => {
  for (const clusterOf of [[], [0], [0, 0, 1]]) {
    const input = { clusterOf: Int32Array.from(clusterOf), clusterCount: 2, from: new Int32Array(0), to: new Int32Array(0) };
    const layout = layOutMap(input);
    assert.equal(layout.x.length, clusterOf.length);
    assert.ok(layout.x.every(Number.isFinite) && layout.discs.x.every(Number.isFinite));
  }
});

test("links between clusters are counted once for both directions", () => {
  const input = { clusterOf: Int32Array.of(0, 1, 1), clusterCount: 2, from: Int32Array.of(0, 1, 1), to: Int32Array.of(1, 0, 2) };
  const { links } = layOutMap(input);
  assert.deepEqual([[...links.from], [...links.to], [...links.weight]], [[0], [1], [2]]);
});

test("a model leaves out edges that lead nowhere", () => {
  const nodes = { id: ["a", "b"], name: ["a", "b"], kind: ["function", "function"], file: [0, 0], line: [1, 2], cluster: ["x", "y"] };
  const model = buildModel({ version: "v1", nodes, files: ["f"], edges: { from: [0, 0, 1, 9], to: [1, 7, 1, 0], kind: ["call", "call", "call", "call"] } });
  assert.deepEqual([...model.from], [0]);
  assert.deepEqual([...model.degree], [1, 1]);
  assert.deepEqual(edgesAt(model, 1), [[0, 1]]);
});

test("members come with most edges first, clusters with most members first", () => {
  const model = buildModel(syntheticColumns(500));
  const members = membersOf(model);
  assert.equal(members.flat().length, 500);
  for (let at = 1; at < members.length; at += 1) assert.ok(members[at - 1]!.length >= members[at]!.length);
  for (const list of members) {
    for (let at = 1; at < list.length; at += 1) assert.ok(model.degree[list[at - 1]!]! >= model.degree[list[at]!]!);
  }
});

test("how long 20,000 symbols take", (context) => {
  const start = performance.now();
  const { layout } = layOut(20_000);
  assert.equal(layout.x.length, 20_000);
  context.diagnostic(`layout of 20,000 symbols: ${Math.round(performance.now() - start)} ms, in the worker`);
});
