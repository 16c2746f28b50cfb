import assert from "node:assert/strict";
import { statSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { closeBench, openBench, openPage, PLACES, type Bench } from "./harness";

let bench: Bench;
before(async () => {
  bench = await openBench();
});
after(() => closeBench(bench));

interface Measured {
  frames: number;
  fps: number;
  medianMs: number;
  p95Ms: number;
}

test("size and time of loading", async (context) => {
  const file = join("build", "page.html");
  context.diagnostic(`page: ${statSync(file).size} bytes, ${gzipSync(readFileSync(file), { level: 9 }).length} with gzip`);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const { page } = await openPage(bench, "#/agents", {});
    await page.addInitScript(() => {
      const watch = globalThis as { shownAt?: number };
      new MutationObserver((_, observer) => {
        if (!document.querySelector("main .stats")) return;
        observer.disconnect();
        requestAnimationFrame(() => (watch.shownAt = performance.now()));
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto("about:blank");
    await page.goto(`${bench.address}/?token=a-token-for-tests${PLACES["repository"]!.fragment}`);
    await page.waitForFunction(() => (globalThis as { shownAt?: number }).shownAt);
    times.push(await page.evaluate(() => (globalThis as { shownAt?: number }).shownAt ?? 0));
    await page.context().close();
  }
  times.sort((one, other) => one - other);
  context.diagnostic(`from navigation to painted totals: median ${Math.round(times[2]!)} ms, slowest ${Math.round(times[4]!)} ms`);
  assert.equal(times.length, 5);
});

/** Frames a second of a WebGL canvas that is only cleared: what the browser itself can show here. */
async function emptyCanvasRate(): Promise<number> {
  document.body.replaceChildren();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [800, 740];
  document.body.append(canvas);
  const gl = canvas.getContext("webgl2");
  const start = performance.now();
  let frames = 0;
  while (performance.now() - start < 3_000) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    gl?.clearColor((frames % 2) / 2, 0, 0, 1);
    gl?.clear(gl.COLOR_BUFFER_BIT);
    frames += 1;
  }
  return (1000 * frames) / (performance.now() - start);
}

test("frame rate at 20,000 symbols", async (context) => {
  const start = Date.now();
  const { page, faults } = await openPage(bench, "#/graph?repo=large", { viewport: { width: 1440, height: 900 } });
  await page.getByText("20,000 symbols").waitFor({ timeout: 60_000 });
  context.diagnostic(`from navigation to the map: ${Date.now() - start} ms`);
  const measured = await page.evaluate(() => (globalThis as unknown as { sdlScene: { measure(ms: number): Promise<Measured> } }).sdlScene.measure(5_000));
  context.diagnostic(`while the camera moves: ${measured.fps.toFixed(1)} frames a second, median ${measured.medianMs.toFixed(1)} ms, 95th of 100 ${measured.p95Ms.toFixed(1)} ms`);
  const floor = await page.evaluate(emptyCanvasRate);
  context.diagnostic(`the machine's limit, an empty WebGL canvas of 800 by 740 pixels: ${floor.toFixed(1)} frames a second`);
  assert.ok(measured.frames > 0);
  assert.deepEqual(faults, []);
  await page.context().close();
});
