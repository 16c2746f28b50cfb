// Starts the server that Claude Code is configured with, asks it one question until the answer is right, and prints how that went as JSON.
//   node clean_root_ask.mjs SERVER TOOL ARGUMENTS EXPECTED
// EXPECTED is a JSON list of words that a right answer has, each as a whole word. Run it in the source tree.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [server, tool, args, expected] = process.argv.slice(2);
const require = createRequire("/opt/client/");
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)));
const { Client } = await load("index");
const { StdioClientTransport } = await load("stdio");

const config = JSON.parse(readFileSync(`${homedir()}/.claude.json`, "utf8"));
const entry = config.mcpServers?.[server] ?? config.projects?.[process.cwd()]?.mcpServers?.[server];
if (!entry) throw new Error(`~/.claude.json has no server named ${server}`);

const began = process.hrtime.bigint();
const seconds = () => Number(process.hrtime.bigint() - began) / 1e9;
const client = new Client({ name: "clean-root", version: "1" });
await client.connect(new StdioClientTransport({ command: entry.command, args: entry.args ?? [], env: { ...process.env, ...entry.env } }));
const connected = seconds();
const { tools } = await client.listTools();
const words = JSON.parse(expected).map((word) => [word, new RegExp(`(?<![\\w])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w])`)]);
let missing;
let text;
let attempts = 0;
do {
  if (attempts > 0) await new Promise((resolve) => setTimeout(resolve, 200));
  attempts += 1;
  const result = await client.callTool({ name: tool, arguments: JSON.parse(args) });
  text = result.content.map((block) => block.text ?? "").join("\n");
  missing = words.filter(([, pattern]) => !pattern.test(text)).map(([word]) => word);
} while (missing.length > 0 && seconds() < 30);
const answered = seconds();
console.log(JSON.stringify({ connected, answered, attempts, missing, tools: tools.length, listed: JSON.stringify(tools).length, characters: text.length, text }));
await client.close();
process.exit(missing.length > 0 ? 1 : 0);
