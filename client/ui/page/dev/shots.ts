// Pictures of every view: npm run shots -- ADDRESS FOLDER [REPO]
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { browserArguments, browserPath } from "../test/browser/chromium";

const [address = "", folder = "", repo = ""] = process.argv.slice(2);
const start = `${address}/?token=dev`;

async function firstSymbol(page: Page, query: string): Promise<string> {
  return page.evaluate(
    async ({ query, repo }) => {
      const headers = { Authorization: "Bearer dev", "Content-Type": "application/json" };
      const body = JSON.stringify({ action: "symbol.search", arguments: { repoId: repo, query, limit: 1 } });
      const answer = await (await fetch("/api/call", { method: "POST", headers, body })).json();
      return answer.result.results[0].symbolId as string;
    },
    { query, repo },
  );
}

const browser = await chromium.launch({ executablePath: browserPath(), args: browserArguments() });
mkdirSync(folder, { recursive: true });
for (const theme of ["light", "dark"] as const) {
  for (const [size, width, height] of [["wide", 1440, 900], ["narrow", 360, 740]] as const) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
    const page = await context.newPage();
    page.on("pageerror", (error) => console.log("error in the page:", error.message));
    page.on("console", (message) => message.type() === "error" && console.log("console:", message.text()));
    await page.goto(start);
    await page.waitForSelector("main .panel");
    const symbol = await firstSymbol(page, process.env["SHOT_SYMBOL"] ?? "Command.invoke");
    const target = await firstSymbol(page, process.env["SHOT_TARGET"] ?? "echo");
    const views = {
      repository: `#/repository?repo=${repo}`,
      map: `#/graph?repo=${repo}`,
      selected: `#/graph?repo=${repo}&symbol=${symbol}`,
      search: `#/graph?repo=${repo}&q=option`,
      around: `#/graph?repo=${repo}&mode=around&symbol=${symbol}`,
      impact: `#/graph?repo=${repo}&mode=impact&symbol=${symbol}`,
      path: `#/graph?repo=${repo}&mode=path&from=${symbol}&to=${target}&symbol=${symbol}`,
      delta: `#/delta?repo=${repo}&from=${process.env["SHOT_FROM"] ?? "git:HEAD~20"}&to=latest`,
      agents: `#/agents?repo=${repo}`,
      work: `#/agents?repo=${repo}&part=work`,
      audit: `#/agents?repo=${repo}&part=audit`,
      policy: `#/agents?repo=${repo}&part=policy`,
    };
    for (const [name, fragment] of Object.entries(views)) {
      await page.evaluate((to) => (location.hash = to), fragment);
      await page.waitForTimeout(600);
      await page.waitForFunction(() => !/(Reading|Comparing|Weighing|Selecting|Searching)…|Reading the graph/.test(document.querySelector("main")?.textContent ?? ""), { timeout: 20_000 }).catch(() => console.log("still busy:", name));
      await page.waitForTimeout(1_200);
      await page.screenshot({ path: join(folder, `${name}-${theme}-${size}.png`), fullPage: size === "narrow" && name !== "map" });
    }
    await context.close();
  }
}
await browser.close();
