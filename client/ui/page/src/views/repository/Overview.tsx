import type { RepoOverview } from "../../api/types";
import { Empty, Panel } from "../../parts/Panel";
import { Place, SymbolLink } from "../../parts/Place";
import { Text } from "../../parts/Text";
import { formatCount } from "../../text/format";

/** The symbols that most others depend on. */
export function Hotspots({ overview }: { overview: RepoOverview | null }) {
  const rows = overview?.hotspots ?? [];
  if (!overview) return null;
  return (
    <Panel title="Most depended on">
      {rows.length === 0 && <Empty>Nothing depends on anything here yet.</Empty>}
      {rows.length > 0 && (
        <div class="table-wrap">
          <table class="grid">
            <thead>
              <tr><th scope="col">Symbol</th><th scope="col" class="number">In</th><th scope="col" class="number">Out</th><th scope="col" class="number">30-day commits</th></tr>
            </thead>
            <tbody>
              {rows.slice(0, 12).map((row) => (
                <tr key={row.symbolId}>
                  <th scope="row" class="wide"><SymbolLink id={row.symbolId} name={row.name} /> <Place file={row.file} line={row.line} /></th>
                  <td class="number">{formatCount(row.fanIn)}</td>
                  <td class="number">{formatCount(row.fanOut)}</td>
                  <td class="number">{formatCount(row.churn30d ?? 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/** The folders, most symbols first. */
export function Folders({ overview }: { overview: RepoOverview | null }) {
  const rows = overview?.directories ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel title="Folders">
      <div class="table-wrap">
        <table class="grid">
          <thead>
            <tr><th scope="col">Folder</th><th scope="col" class="number">Files</th><th scope="col" class="number">Symbols</th><th scope="col" class="number">Exported</th></tr>
          </thead>
          <tbody>
            {rows.slice(0, 24).map((row) => (
              <tr key={row.path}>
                <th scope="row"><code><Text of={row.path || "."} /></code></th>
                <td class="number">{formatCount(row.files)}</td>
                <td class="number">{formatCount(row.symbols)}</td>
                <td class="number">{formatCount(row.exported)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
