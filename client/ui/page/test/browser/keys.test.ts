import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closeBench, openBench, openPage, PLACES, type Bench } from "./harness";

let bench: Bench;
before(async () => {
  bench = await openBench();
});
after(() => closeBench(bench));

test("keys go to views, to the search and to the help", async () => {
  const { page } = await openPage(bench, PLACES["repository"]!.fragment);
  await page.getByText("Most depended on").waitFor();
  for (const [key, name] of [["d", "delta"], ["a", "agents"], ["g", "graph"], ["r", "repository"]] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForFunction((to) => location.hash.startsWith(`#/${to}`), name);
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement?.id === "search");
  assert.match(page.url(), /#\/graph/);
  await page.context().close();
});

test("a search is walked with the arrows and opened with Enter", async () => {
  const { page } = await openPage(bench, "#/graph?repo=shop");
  await page.keyboard.press("/");
  await page.keyboard.type("e");
  await page.locator("#found [data-row]").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("mode=around"));
  await page.getByText("Complete as far as").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !location.hash.includes("mode="));
  await page.context().close();
});

test("letters in a field are text", async () => {
  const { page } = await openPage(bench, PLACES["delta"]!.fragment);
  await page.getByText("2 changed symbols").waitFor();
  const field = page.getByRole("combobox", { name: "Before" });
  await field.fill("");
  await field.press("g");
  await field.press("a");
  assert.equal(await field.inputValue(), "ga");
  assert.match(page.url(), /#\/delta/);
  await page.context().close();
});

test("the theme follows the system until a person chooses", async () => {
  const { page } = await openPage(bench, PLACES["repository"]!.fragment, { colorScheme: "dark" });
  await page.getByText("Most depended on").waitFor();
  const theme = () => page.evaluate(() => document.documentElement.dataset["theme"]);
  assert.equal(await theme(), "dark");
  await page.keyboard.press("t");
  assert.equal(await theme(), "light");
  await page.reload();
  await page.getByText("Most depended on").waitFor();
  assert.equal(await theme(), "light");
  await page.context().close();
});

test("a policy is set only after a confirmation", async () => {
  const { page } = await openPage(bench, PLACES["policy"]!.fragment);
  const set = () => bench.backend.seen.filter((one) => one.action === "policy.set");
  const lines = page.getByRole("spinbutton", { name: "Lines of a window" });
  await lines.fill("300");
  await lines.press("Tab");
  await page.getByText("above the ceiling").waitFor();
  await page.getByRole("button", { name: "Set the policy…" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.deepEqual(set(), []);
  await page.getByRole("button", { name: "Set the policy…" }).click();
  await page.getByRole("button", { name: "Set the policy", exact: true }).click();
  await page.getByText("1 setting changed.").waitFor();
  assert.deepEqual(set().map((one) => one.args), [{ repoId: "shop", policyPatch: { maxWindowLines: 300 } }]);
  await page.context().close();
});
