import assert from "node:assert/strict";
import { test } from "node:test";
import { shortText, visibleRuns, visibleText } from "../../src/text/visible";

test("markup stays as it is, because it becomes text nodes", () => {
  assert.deepEqual(visibleRuns("<b>&amp;</b>"), [{ text: "<b>&amp;</b>", escaped: false }]);
});

test("bidi controls, escapes and characters of no width are shown by their codes", () => {
  assert.equal(visibleText("a\u202eb"), "a<U+202E>b");
  assert.equal(visibleText("\u001b[31m"), "<U+001B>[31m");
  assert.equal(visibleText("x\u200by\u2066z\ufeff"), "x<U+200B>y<U+2066>z<U+FEFF>");
  assert.equal(visibleText("a\u{e0041}b"), "a<U+E0041>b");
  assert.equal(visibleText("\ud800x"), "<U+D800>x");
});

test("letters of all scripts, tabs and lines stay", () => {
  const text = "größe\tשלום\nمرحبا 名前 🙂 e\u0301";
  assert.equal(visibleText(text), text);
});

test("runs join to the whole text", () => {
  const runs = visibleRuns("a\u202eb\u0000");
  assert.deepEqual(runs.map((run) => run.text), ["a", "U+202E", "b", "U+0000"]);
  assert.deepEqual(runs.map((run) => run.escaped), [false, true, false, true]);
  assert.deepEqual(visibleRuns(""), [{ text: "", escaped: false }]);
});

test("text is cut between characters", () => {
  assert.equal(shortText("🙂🙂🙂", 2), "🙂…");
  assert.equal(shortText("abc", 3), "abc");
});
