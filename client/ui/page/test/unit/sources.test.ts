import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ts|tsx|css)$/.test(name)).map((name) => join(folder, name));
}

/** Ways in which text could become markup, script, style or an address. */
const FORBIDDEN = [
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|createContextualFragment|DOMParser|srcdoc/,
  /\beval\(|new Function\(|setTimeout\("|javascript:/,
  /setAttribute\("style"|cssText|style=\{`|style="/,
  /https?:\/\/(?!www\.w3\.org\/)/,
];

test("no source turns text into markup, script, style or a foreign address", () => {
  for (const file of filesUnder("src")) {
    const text = readFileSync(file, "utf8");
    for (const pattern of FORBIDDEN) assert.doesNotMatch(text, pattern, file);
  }
});

test("links are built by linkTo alone", () => {
  for (const file of filesUnder("src")) {
    for (const [, value = ""] of readFileSync(file, "utf8").matchAll(/href=(\{[^}]*\}+|"[^"]*")/g)) {
      assert.match(value, /^(\{linkTo\(|\{graph\}|"#main")/, `${file}: ${value}`);
    }
  }
});

test("the style sheet asks for nothing", () => {
  for (const file of filesUnder("styles")) {
    assert.doesNotMatch(readFileSync(file, "utf8").replace(/@import "[a-z]+\.css";/g, ""), /@import|url\(|@font-face/, file);
  }
});

test("files are small", () => {
  for (const folder of ["src", "styles", "dev", "test"]) {
    for (const file of filesUnder(folder)) assert.ok(readFileSync(file, "utf8").split("\n").length <= 300, `${file} has more than 300 lines`);
  }
});

test("the page is one document that asks for nothing", () => {
  const page = readFileSync(join("build", "page.html"), "utf8");
  // Plain booleans, because a failed match would print the whole page.
  assert.ok(page.startsWith("<!doctype html>"));
  assert.equal(page.match(/__NONCE__/g)?.length, 1);
  assert.equal(page.match(/<\/script>/gi)?.length, 1);
  assert.equal(/<link[^>]+href="(?!data:)|<img\s|<iframe\s|@import/.exec(page)?.[0], undefined);
});
