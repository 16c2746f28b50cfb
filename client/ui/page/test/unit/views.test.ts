import assert from "node:assert/strict";
import { test } from "node:test";
import { asFailure, Failure, nextStep } from "../../src/api/errors";
import type { Policy } from "../../src/api/agents";
import { groupOf } from "../../src/graph/kinds";
import { fileName } from "../../src/graph/export/save";
import { mixColours } from "../../src/graph/palette";
import { sumLatencies } from "../../src/views/agents/latency";
import { isAbove, patchOf, POLICY_FIELDS, valueOf } from "../../src/views/agents/policyFields";
import { subjectOf, toneOf } from "../../src/views/agents/subject";
import { compareWords } from "../../src/views/delta/words";

test("signatures are compared by words", () => {
  const { before, after } = compareWords("def run(a, b)", "def run(a, b, c=1)");
  assert.deepEqual(before, [{ text: "def run(a, b)", differs: false }]);
  assert.deepEqual(after, [{ text: "def run(a, b", differs: false }, { text: ", c=1", differs: true }, { text: ")", differs: false }]);
  assert.equal(after.map((piece) => piece.text).join(""), "def run(a, b, c=1)");
});

test("texts too long to compare are shown whole", () => {
  const long = "a ".repeat(500);
  assert.deepEqual(compareWords(long, "b").after, [{ text: "b", differs: true }]);
});

test("latencies are summed up by action", () => {
  const call = (action: string, ms: number, ok = true) => ({ at: 0, session: "", client: "", action, ms, ok, tokens: 10 });
  const rows = sumLatencies([call("a", 5), call("b", 1), call("a", 9, false), call("a", 7)]);
  assert.deepEqual(rows[0], { action: "a", calls: 3, failed: 1, median: 7, p95: 9, tokens: 30 });
  assert.equal(rows[1]?.action, "b");
});

const POLICY: Policy = {
  maxWindowLines: 180, maxWindowTokens: 1400, requireIdentifiers: true, allowBreakGlass: false, defaultDenyRaw: true,
  utilityThreshold: 0.5, redactSecrets: true, budgetCaps: { maxCards: 500, maxEstimatedTokens: 20_000 },
};

test("each setting of a policy has a field, and a patch has only what changed", () => {
  for (const field of POLICY_FIELDS) assert.notEqual(valueOf(POLICY, field.key), undefined, field.key);
  const patch = patchOf(new Map<string, number | boolean>([["maxWindowLines", 90], ["budgetCaps.maxCards", 20], ["budgetCaps.maxEstimatedTokens", 900]]));
  assert.deepEqual(patch, { maxWindowLines: 90, budgetCaps: { maxCards: 20, maxEstimatedTokens: 900 } });
});

test("values that the ceiling holds down are marked", () => {
  const field = (key: string) => POLICY_FIELDS.find((one) => one.key === key)!;
  assert.equal(isAbove(field("maxWindowLines"), 300, 220), true);
  assert.equal(isAbove(field("utilityThreshold"), 0.2, 0.5), true);
  assert.equal(isAbove(field("utilityThreshold"), 0.9, 0.5), false);
  assert.equal(isAbove(field("allowBreakGlass"), true, false), true);
  assert.equal(isAbove(field("redactSecrets"), false, true), true);
  assert.equal(isAbove(field("redactSecrets"), true, true), false);
});

test("decisions name what they are about", () => {
  assert.equal(subjectOf({ details: { file: "a.py", symbolId: "s_1", range: { startLine: 1, endLine: 9 } } }), "a.py s_1 lines 1-9");
  assert.equal(subjectOf({ details: { policyPatch: { maxWindowLines: 9 } } }), "{\"maxWindowLines\":9}");
  assert.equal(subjectOf({ details: { fromVersion: "v1", toVersion: "v2", riskScore: 7 } }), "v1 to v2: risk 7");
  assert.equal(toneOf("denied"), "bad");
  assert.equal(toneOf("served"), "good");
});

test("each failure but an action's own says what to do", () => {
  for (const kind of ["token", "away", "offline", "protocol"] as const) assert.notEqual(nextStep(new Failure(kind, "x")), "");
  assert.equal(nextStep(new Failure("action", "no symbol \"x\"; similar: y")), "");
  assert.equal(asFailure(new TypeError("fetch failed")).kind, "offline");
});

test("a kind of any name has a group", () => {
  assert.equal(groupOf("constructor"), "call");
  assert.equal(groupOf("toString"), "value");
  assert.equal(groupOf("__proto__"), "value");
});

test("files are named by plain characters only", () => {
  assert.equal(fileName(["sdl", "../..\u202e/<x>", "map"], "svg"), "sdl-x-map.svg");
  assert.equal(fileName(["…"], "html"), "graph.html");
});

test("colours mix by channel", () => {
  assert.equal(mixColours("#000000", "#ffffff", 0.5), "#808080");
  assert.equal(mixColours("#123456", "#ffffff", 0), "#123456");
});
