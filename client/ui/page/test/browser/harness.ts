import type { Server } from "node:http";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { servePage } from "../../dev/http";
import { FixtureBackend } from "../fixture/backend";
import { browserArguments, browserPath } from "./chromium";

export const TOKEN = "a-token-for-tests";

/** A browser and a fixture server. */
export interface Bench {
  browser: Browser;
  backend: FixtureBackend;
  server: Server;
  address: string;
}

export async function openBench(): Promise<Bench> {
  const backend = new FixtureBackend();
  const { server, address } = await servePage(backend, TOKEN);
  const browser = await chromium.launch({ executablePath: browserPath(), args: browserArguments() });
  return { browser, backend, server, address };
}

export async function closeBench(bench: Bench): Promise<void> {
  await bench.browser.close();
  bench.server.closeAllConnections();
  bench.server.close();
}

/** A page at a place, with a list of all that went wrong in it. */
export async function openPage(bench: Bench, fragment: string, options: BrowserContextOptions = {}, token = TOKEN): Promise<{ page: Page; faults: string[] }> {
  const context = await bench.browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("Failed to load resource")) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (origin !== bench.address && protocol !== "data:" && protocol !== "blob:") faults.push(`request to ${request.url()}`);
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  await page.goto(`${bench.address}/?token=${token}${fragment}`);
  return { page, faults };
}

/** Every view in a state with content, by name. */
export const PLACES: Record<string, { fragment: string; shows: string }> = {
  repository: { fragment: "#/repository?repo=shop", shows: "Most depended on" },
  map: { fragment: "#/graph?repo=shop", shows: "400 symbols" },
  search: { fragment: "#/graph?repo=shop&q=valid", shows: "shop/auth.py:12" },
  around: { fragment: "#/graph?repo=shop&mode=around&symbol=s_0000000000001", shows: "Complete as far as" },
  path: { fragment: "#/graph?repo=shop&mode=path&from=main&to=validate", shows: "Way 1, confidence 0.98" },
  impact: { fragment: "#/graph?repo=shop&mode=impact&symbol=s_0000000000001", shows: "2 direct dependents" },
  delta: { fragment: "#/delta?repo=shop&from=git:HEAD", shows: "2 changed symbols" },
  calls: { fragment: "#/agents?repo=shop", shows: "Tokens served" },
  work: { fragment: "#/agents?repo=shop&part=work", shows: "Rename the validator" },
  audit: { fragment: "#/agents?repo=shop&part=audit", shows: "The chain of 2 rows is intact." },
  policy: { fragment: "#/agents?repo=shop&part=policy", shows: "Lines of a window" },
};
