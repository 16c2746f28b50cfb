import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { closeBench, openBench, openPage, PLACES, type Bench } from "./harness";

let bench: Bench;
before(async () => {
  bench = await openBench();
});
after(() => closeBench(bench));

test("an edit appears in the timeline", async (context) => {
  const { page } = await openPage(bench, PLACES["repository"]!.fragment);
  await page.getByText("live", { exact: true }).first().waitFor();
  const times: number[] = [];
  for (let at = 0; at < 12; at += 1) {
    const path = `shop/file_${at}.py`;
    await page.evaluate((wanted) => {
      const watch = globalThis as { seenAt?: number };
      delete watch.seenAt;
      const look = (): void => {
        if (document.querySelector(".version-row")?.textContent?.includes(wanted)) requestAnimationFrame(() => (watch.seenAt = Date.now()));
        else requestAnimationFrame(look);
      };
      look();
    }, path);
    const start = Date.now();
    bench.backend.emit("version", { repo: "shop", version: `v17958120200${10 + at}`, at: start, files: [{ path, change: "modified" }], symbols: { added: 1, changed: 2, removed: 0 }, ms: 12 });
    await page.waitForFunction(() => (globalThis as { seenAt?: number }).seenAt);
    times.push((await page.evaluate(() => (globalThis as { seenAt?: number }).seenAt ?? 0)) - start);
  }
  times.sort((one, other) => one - other);
  context.diagnostic(`event to painted row: median ${times[6]} ms, slowest ${times.at(-1)} ms`);
  await page.getByRole("button", { name: /file_11/ }).click();
  await page.getByText("v1795812020021").first().waitFor();
  assert.equal(await page.locator(".version-row").count(), 12);
  await page.context().close();
});

test("calls appear with their latencies", async () => {
  const { page } = await openPage(bench, PLACES["calls"]!.fragment);
  await page.getByText("No call has come").waitFor();
  for (const ms of [5, 9, 7]) bench.backend.emit("call", { at: 1_795_812_000_000 + ms, session: "s", client: "client-a", action: "slice.build", ms, ok: ms !== 9, tokens: 900, instead: 12_000 });
  await page.getByText("3 calls seen by this page").waitFor();
  const row = page.locator("table.grid").last().locator("tbody tr");
  assert.match((await row.textContent()) ?? "", /slice\.build31(7 ms)9 ms2,700/);
  await page.context().close();
});

test("a broken stream connects again", async () => {
  const { page } = await openPage(bench, PLACES["repository"]!.fragment);
  await page.getByText("live", { exact: true }).first().waitFor();
  bench.server.closeAllConnections();
  await page.getByText("connecting again").waitFor();
  await page.locator(".link-state.live").waitFor();
  await page.context().close();
});

for (const [ending, start] of [["svg", "<svg"], ["html", "<!doctype html>"]] as const) {
  test(`a drawing is saved as ${ending}, with hostile names as text`, async () => {
    const { page } = await openPage(bench, PLACES["around"]!.fragment);
    await page.getByText("Complete as far as").waitFor();
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: `Save ${ending.toUpperCase()}` }).click();
    const download = await waiting;
    assert.equal(download.suggestedFilename(), `sdl-shop-around.${ending}`);
    const text = readFileSync(await download.path(), "utf8");
    assert.ok(text.startsWith(start));
    assert.ok(text.includes("&lt;img src=x") && text.includes("&lt;U+202E&gt;"));
    assert.ok(!/<img|<script|\u202e|\u001b/.test(text));
    const opened = await page.context().newPage();
    await opened.goto(`file://${await download.path()}`).catch(() => undefined);
    await page.context().close();
  });
}
