import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { Refusal } from "./http";

interface Reply {
  id?: number;
  result?: { structuredContent?: unknown; isError?: boolean; content?: { text?: string }[] };
  error?: { message: string };
}

/** A client of sdl-mcp over its standard streams. */
export class McpClient {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private next = 1;

  constructor(program: string, folder: string) {
    this.child = spawn(program, ["--surface", "flat"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: this.child.stdout! });
    lines.on("line", (line) => {
      const reply = JSON.parse(line) as Reply;
      if (reply.id !== undefined) this.waiting.get(reply.id)?.(reply);
    });
  }

  private send(method: string, params: unknown): Promise<Reply> {
    const id = this.next++;
    this.child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => {
      this.waiting.set(id, (reply) => {
        this.waiting.delete(id);
        resolve(reply);
      });
    });
  }

  async open(): Promise<void> {
    await this.send("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "sdl-page-dev", version: "1" } });
    this.child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  }

  /** Calls an action, such as `symbol.search`. */
  async call(action: string, args: unknown): Promise<unknown> {
    const reply = await this.send("tools/call", { name: `sdl_${action.replaceAll(".", "_")}`, arguments: args });
    if (reply.error) throw new Refusal("protocol", reply.error.message);
    const content = reply.result?.structuredContent as { error?: { code?: string; message?: string } } | undefined;
    if (reply.result?.isError) {
      const { code = "failed", message, ...details } = content?.error ?? (content as { code?: string; message?: string }) ?? {};
      throw new Refusal(code, message ?? reply.result.content?.[0]?.text ?? "the call failed", details);
    }
    return content;
  }

  close(): void {
    this.child.kill();
  }
}
