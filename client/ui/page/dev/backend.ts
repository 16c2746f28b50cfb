import { join } from "node:path";
import type { DaemonStatus } from "../src/api/types";
import type { DeltaAnswer } from "../src/api/changes";
import { readColumns } from "./columns";
import { askCtl } from "./ctl";
import type { Backend } from "./http";
import { McpClient } from "./mcp";
import { syntheticColumns } from "./synthetic";

type Each = (event: string, data: unknown) => void;

/** How often the daemon is asked for new versions, in milliseconds. The real server is notified instead. */
const POLL_MS = 150;

/** A daemon behind sdl-mcp and sdlctl, for development. Events are made by asking again and again. */
export class DaemonBackend implements Backend {
  private readonly readers = new Set<Each>();
  private readonly known = new Map<string, string>();
  private readonly ctl: string;
  private polls = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    programs: string,
    private readonly client: McpClient,
  ) {
    this.ctl = join(programs, "sdlctl");
  }

  static async open(programs: string, folder: string): Promise<DaemonBackend> {
    const client = new McpClient(join(programs, "sdl-mcp"), folder);
    await client.open();
    const backend = new DaemonBackend(programs, client);
    backend.schedule();
    return backend;
  }

  async call(action: string, args: Record<string, unknown>): Promise<unknown> {
    const start = Date.now();
    let ok = true;
    let text = "";
    try {
      const result = await this.client.call(action, args);
      text = JSON.stringify(result);
      return result;
    } catch (thrown) {
      ok = false;
      throw thrown;
    } finally {
      // Four characters count as a token here; the real server knows the exact number.
      this.emit("call", { at: start, session: "dev", client: "sdl-page-dev", action, ms: Date.now() - start, ok, tokens: Math.ceil(text.length / 4) });
    }
  }

  ask(method: string, params: Record<string, unknown>): Promise<unknown> {
    return askCtl(this.ctl, method, params);
  }

  async graph(repo: string): Promise<unknown> {
    const synthetic = /^synthetic-(\d+)$/.exec(repo);
    if (synthetic) return syntheticColumns(Number(synthetic[1]));
    return readColumns(this.ctl, this.client, repo, this.known.get(repo) ?? "");
  }

  subscribe(each: Each): () => void {
    this.readers.add(each);
    return () => this.readers.delete(each);
  }

  close(): void {
    clearTimeout(this.timer);
    this.client.close();
  }

  private emit(event: string, data: unknown): void {
    for (const each of this.readers) each(event, data);
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.poll().finally(() => this.schedule()), POLL_MS);
  }

  private async poll(): Promise<void> {
    const status = (await this.ask("daemon/status", {}).catch(() => null)) as DaemonStatus | null;
    if (!status) return;
    this.polls += 1;
    if (this.polls % 15 === 0) this.emit("status", status);
    for (const repo of status.repos) {
      const version = repo.ledgerVersion ?? "";
      const before = this.known.get(repo.repoId);
      this.known.set(repo.repoId, version);
      if (before !== undefined && before !== version && before !== "") await this.tellVersion(repo.repoId, before, version);
    }
  }

  private async tellVersion(repo: string, fromVersion: string, version: string): Promise<void> {
    const args = { repoId: repo, fromVersion, toVersion: version, sync: "none" };
    const answer = (await this.client.call("delta.get", args).catch(() => null)) as DeltaAnswer | null;
    const changed = answer?.delta.changedSymbols ?? [];
    const count = (type: (changeType: string) => boolean): number => changed.filter((one) => type(one.changeType)).length;
    const symbols = {
      added: count((type) => type === "added"),
      changed: count((type) => type !== "added" && type !== "removed"),
      removed: count((type) => type === "removed"),
    };
    const files = [...new Set(changed.map((one) => one.file))].map((path) => ({ path, change: "modified" }));
    this.emit("version", { repo, version, at: Date.now(), files, symbols, ms: 0 });
  }
}
