import type { GraphColumns } from "../src/api/types";
import type { McpClient } from "./mcp";
import { readLines, runCtl } from "./ctl";

interface ExportedSymbol {
  symbol_id: string;
  file: string;
  qualified_name: string;
  kind: string;
  line: number;
}

interface ExportedEdge {
  caller_file: string;
  caller_line: number | null;
  caller_name: string | null;
  callee_file: string;
  callee_line: number | null;
  callee_name: string | null;
  kind: string;
}

/** The clusters of files, from the full card of one symbol of each. */
async function clustersOf(client: McpClient, repo: string, symbols: readonly ExportedSymbol[]): Promise<Map<string, string>> {
  const first = new Map<string, string>();
  for (const one of symbols) if (!first.has(one.file) && one.kind !== "module") first.set(one.file, one.symbol_id);
  const entries = [...first];
  const clusters = new Map<string, string>();
  for (let at = 0; at < entries.length; at += 40) {
    const ids = entries.slice(at, at + 40).map(([, id]) => id);
    const answer = (await client.call("symbol.getCards", { repoId: repo, symbolIds: ids, detail: "full", maxTokens: 20_000, sync: "none" }).catch(() => null)) as { cards?: { file: string; cluster?: string }[] } | null;
    for (const card of answer?.cards ?? []) if (card.cluster) clusters.set(card.file, card.cluster);
  }
  return clusters;
}

/** Builds the columns of `/api/graph` from the export of sdlctl. */
export async function readColumns(program: string, client: McpClient, repo: string, version: string): Promise<GraphColumns> {
  const symbols = readLines<ExportedSymbol>(await runCtl(program, ["export", "symbols", "--repo", repo]));
  const exported = readLines<ExportedEdge>(await runCtl(program, ["export", "edges", "--repo", repo]));
  const clusters = await clustersOf(client, repo, symbols);
  const files = [...new Set(symbols.map((one) => one.file))];
  const fileNumbers = new Map(files.map((file, number) => [file, number]));
  const places = new Map<string, number>();
  symbols.forEach((one, number) => {
    places.set(one.kind === "module" ? one.file : `${one.file} ${one.line} ${one.qualified_name}`, number);
  });
  const find = (file: string, line: number | null, name: string | null): number | undefined =>
    name === null ? places.get(file) : places.get(`${file} ${line} ${name}`);
  const edges: GraphColumns["edges"] = { from: [], to: [], kind: [] };
  for (const edge of exported) {
    const from = find(edge.caller_file, edge.caller_line, edge.caller_name);
    const to = find(edge.callee_file, edge.callee_line, edge.callee_name);
    if (from === undefined || to === undefined) continue;
    edges.from.push(from);
    edges.to.push(to);
    edges.kind.push(edge.kind);
  }
  const nodes: GraphColumns["nodes"] = {
    id: symbols.map((one) => one.symbol_id),
    name: symbols.map((one) => one.qualified_name),
    kind: symbols.map((one) => one.kind),
    file: symbols.map((one) => fileNumbers.get(one.file) ?? 0),
    line: symbols.map((one) => one.line),
    cluster: symbols.map((one) => clusters.get(one.file) ?? one.file.split("/").slice(0, -1).join("/")),
  };
  return { version, nodes, files, edges };
}
