import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { closeBench, openBench, openPage, PLACES, type Bench } from "./harness";

let bench: Bench;
before(async () => {
  bench = await openBench();
});
after(() => closeBench(bench));

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  impact: string | null;
  nodes: { target: string[]; failureSummary?: string }[];
}

for (const scheme of ["light", "dark"] as const) {
  for (const [name, { fragment, shows }] of Object.entries(PLACES)) {
    test(`axe, ${scheme}, ${name}: nothing serious`, async (context) => {
      // The page's own policy forbids scripts from elsewhere, such as axe.
      const { page } = await openPage(bench, fragment, { colorScheme: scheme, bypassCSP: true });
      await page.getByText(shows).first().waitFor();
      await page.evaluate(axe);
      const found = await page.evaluate(async () => {
        const runner = (globalThis as unknown as { axe: { run(): Promise<{ violations: unknown[] }> } }).axe;
        return (await runner.run()).violations;
      });
      const findings = found as Finding[];
      for (const one of findings) context.diagnostic(`${one.impact}: ${one.id} at ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
      const serious = findings.filter((one) => one.impact === "serious" || one.impact === "critical");
      assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes[0]?.target.join(" ")} ${one.nodes[0]?.failureSummary ?? ""}`), []);
      await page.context().close();
    });
  }
}

test("the focus starts at the link to the content, then goes through the top in order", async () => {
  const { page } = await openPage(bench, PLACES["repository"]!.fragment);
  await page.getByText("Most depended on").waitFor();
  const names: string[] = [];
  for (let step = 0; step < 7; step += 1) {
    await page.keyboard.press("Tab");
    names.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""));
  }
  assert.deepEqual(names.slice(0, 6), ["Skip to the content", "Repository", "Repository", "Graph", "Delta", "Agents"]);
  await page.context().close();
});

test("without WebGL the list is still there", async () => {
  const { page } = await openPage(bench, "#/repository?repo=shop");
  await page.getByText("Most depended on").waitFor();
  await page.evaluate(() => {
    HTMLCanvasElement.prototype.getContext = () => null;
    location.hash = "#/graph?repo=shop";
  });
  await page.getByText("The list has the same content").waitFor();
  await page.getByRole("list", { name: "Clusters" }).waitFor();
  await page.context().close();
});
