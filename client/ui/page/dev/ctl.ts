import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Refusal } from "./http";

const run = promisify(execFile);

/** Runs sdlctl and returns what it prints. Some commands end with 1 although they answer. */
export async function runCtl(program: string, args: string[]): Promise<string> {
  try {
    return (await run(program, args, { maxBuffer: 1 << 30 })).stdout;
  } catch (thrown) {
    const { stdout, stderr } = thrown as { stdout?: string; stderr?: string };
    if (stdout) return stdout;
    throw new Refusal("away", stderr ?? String(thrown));
  }
}

/** The arguments of sdlctl that ask what a method asks. */
function argsOf(method: string, params: Record<string, unknown>): string[] {
  switch (method) {
    case "daemon/status":
      return ["status", "--json"];
    case "policy/show":
      return ["policy", "show", "--json"];
    case "audit/show":
      return ["audit", "show", "--json", "--limit", String(params["limit"] ?? 50)];
    case "audit/verify":
      return ["audit", "verify", "--json"];
    default:
      throw new Refusal("unknownMethod", `the development server does not know ${method}`);
  }
}

export async function askCtl(program: string, method: string, params: Record<string, unknown>): Promise<unknown> {
  return JSON.parse(await runCtl(program, argsOf(method, params)));
}

/** Reads lines of JSON. */
export function readLines<T>(text: string): T[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}
