import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closeBench, openBench, openPage, PLACES, type Bench } from "./harness";

let bench: Bench;
before(async () => {
  bench = await openBench();
});
after(() => closeBench(bench));

for (const [name, { fragment, shows }] of Object.entries(PLACES)) {
  test(`${name}: shows its content, runs nothing hostile, asks nobody else, and fits 360 pixels`, async () => {
    const { page, faults } = await openPage(bench, fragment, { viewport: { width: 360, height: 740 } });
    await page.getByText(shows).first().waitFor();
    const state = await page.evaluate(() => ({
      harmed: (globalThis as { harmed?: number }).harmed,
      images: document.querySelectorAll("main img").length,
      width: document.documentElement.scrollWidth,
    }));
    assert.deepEqual(state, { harmed: undefined, images: 0, width: 360 });
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}

test("hostile names are shown with their hidden characters", async () => {
  const { page } = await openPage(bench, PLACES["delta"]!.fragment);
  await page.getByText("2 changed symbols").waitFor();
  const change = page.locator(".change", { hasText: "removed" });
  assert.match((await change.textContent()) ?? "", /<img src=x onerror="window.harmed=1">U\+202EgnihtonU\+001B\[31m/);
  assert.ok((await change.locator(".escaped").count()) >= 2);
  await page.context().close();
});

test("a state has a link: a reload shows the same", async () => {
  const { page } = await openPage(bench, PLACES["path"]!.fragment);
  await page.getByText("Way 1").waitFor();
  await page.reload();
  await page.getByText("Way 1").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "To", exact: true }).inputValue(), "validate");
  await page.context().close();
});

test("callers unfold in the list and in the link", async () => {
  const { page } = await openPage(bench, PLACES["around"]!.fragment);
  const login = page.getByRole("button", { name: /Session\.login/ });
  await login.focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: /main shop\/app\.py:3/ }).waitFor();
  assert.match(page.url(), /open=.*c\.s_0000000000003/);
  await page.goBack();
  await page.getByRole("button", { name: /main shop\/app\.py:3/ }).waitFor({ state: "detached" });
  await page.context().close();
});

test("source is shown as it is served", async () => {
  const { page } = await openPage(bench, PLACES["around"]!.fragment);
  await page.getByRole("button", { name: "Skeleton" }).click();
  const source = page.locator("pre.source");
  await source.waitFor();
  assert.match((await source.textContent()) ?? "", /key = "\*\*\*"/);
  await page.getByRole("button", { name: "Full text" }).click();
  await page.getByText("Denied: no identifier was given").waitFor();
  await page.context().close();
});

test("an error of an action names candidates, and can be tried again", async () => {
  bench.backend.failing.set("symbol.path", "no symbol \"valdate\"; similar names follow");
  const { page } = await openPage(bench, PLACES["path"]!.fragment);
  await page.getByText("similar names follow").waitFor();
  await page.getByRole("alert").getByText("shop/auth.py:12").waitFor();
  bench.backend.failing.clear();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Way 1").waitFor();
  await page.context().close();
});

test("a wrong token says what to do, and is not asked again", async () => {
  const { page } = await openPage(bench, "#/repository", {}, "wrong");
  await page.getByText("Run sdlctl ui again").first().waitFor();
  await page.getByText("not connected").waitFor();
  await page.context().close();
});

test("a daemon that is away is named, and its return is seen", async () => {
  bench.backend.away = true;
  const { page } = await openPage(bench, "#/repository?repo=shop");
  await page.getByText("Start the daemon with: sdlctl start").first().waitFor();
  bench.backend.away = false;
  const { STATUS } = await import("../fixture/answers");
  bench.backend.emit("status", STATUS);
  await page.getByText("Most depended on").waitFor();
  await page.context().close();
});
