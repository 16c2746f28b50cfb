import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, formatCount, formatShare, formatSpan, quantile, timeOfVersion } from "../../src/text/format";

test("counts have separators and nouns", () => {
  assert.equal(formatCount(1234567), "1,234,567");
  assert.equal(formatCount(undefined), "–");
  assert.equal(countOf(1, "file"), "1 file");
  assert.equal(countOf(0, "file"), "0 files");
});

test("spans choose their unit", () => {
  assert.deepEqual([7, 1_500, 125_000, 7_300_000, 400_000_000].map(formatSpan), ["7 ms", "1.5 s", "2 min", "2 h", "4 days"]);
});

test("a small share is not none", () => {
  assert.equal(formatShare(1, 1_000), "< 1 %");
  assert.equal(formatShare(0, 1_000), "0 %");
  assert.equal(formatShare(1, 0), "–");
});

test("a version holds its time", () => {
  assert.equal(timeOfVersion("v1795812019038"), 1795812019038);
  assert.equal(timeOfVersion("v1795812019038+3"), 1795812019038);
  assert.equal(timeOfVersion("latest"), null);
});

test("quantiles of few numbers", () => {
  assert.equal(quantile([], 0.5), 0);
  assert.equal(quantile([1, 2, 3, 4], 0.5), 3);
  assert.equal(quantile([1], 0.95), 1);
});
