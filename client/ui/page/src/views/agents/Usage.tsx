import { useState } from "preact/hooks";
import type { UsageRow, UsageStats } from "../../api/agents";
import { Bar } from "../../parts/Bars";
import { Empty, Panel, Stat } from "../../parts/Panel";
import { Segments } from "../../parts/Segments";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { useAnswer } from "../../state/answer";
import { calls } from "../../state/live";
import { repoId } from "../../state/repo";
import { call } from "../../state/session";
import { countOf, formatCount, formatShare } from "../../text/format";

/** Tokens that were served against those of the files that they stood for. */
export function Usage() {
  const [scope, setScope] = useState<"all" | "repo">("all");
  const repo = repoId.value;
  // Asked again after every tenth call, because the sums change slowly.
  const key = `${scope} ${repo} ${Math.floor(calls.value.length / 10)}`;
  const read = useAnswer(key, (signal) => call<UsageStats>("usage.stats", scope === "repo" && repo !== "" ? { scope, repoId: repo } : { scope: "all" }, signal));
  const stats = read.data;
  const choice = <Segments label="Of what" value={scope} options={[["all", "All"], ["repo", "This repository"]]} onChoose={setScope} />;
  return (
    <Panel title="Tokens served" aside={choice}>
      <Trouble failure={read.failure} retry={read.reload} />
      {stats && stats.calls === 0 && <Empty>No call has been counted yet. Connect an agent with: sdlctl mcp config --client NAME</Empty>}
      {stats && stats.calls > 0 && (
        <>
          <dl class="stats">
            <Stat name="Served" value={formatCount(stats.tokensServed)} note="tokens" />
            <Stat name="Files in full" value={formatCount(stats.tokensOfFilesRead)} note={countOf(stats.filesRead, "file")} />
            <Saved stats={stats} />
            <Stat name="Calls" value={formatCount(stats.calls)} note={`${formatCount(stats.failedCalls)} failed`} />
          </dl>
          <UsageTable title="By kind of answer" rows={stats.byRung} />
          <UsageTable title="By action" rows={stats.byAction} />
        </>
      )}
    </Panel>
  );
}

/** What answers saved, or what they cost beyond the files. Searches read no file, so few calls of this page can cost more. */
function Saved({ stats }: { stats: UsageStats }) {
  if (stats.saved < 0) return <Stat name="More than the files" value={formatCount(-stats.saved)} note="tokens" />;
  return <Stat name="Saved" value={formatCount(stats.saved)} note={formatShare(stats.saved, stats.tokensOfFilesRead)} />;
}

function UsageTable({ title, rows }: { title: string; rows: readonly UsageRow[] }) {
  const greatest = rows.reduce((most, row) => Math.max(most, row.tokensServed), 1);
  return (
    <>
      <h3 class="list-head">{title}</h3>
      <table class="bars" aria-label={title}>
        <tbody>
          {rows.slice(0, 12).map((row) => (
            <tr key={row.name}>
              <th scope="row"><Text of={row.name} /></th>
              <td class="bar"><Bar part={row.tokensServed} whole={greatest} /></td>
              <td class="number">{formatCount(row.tokensServed)}</td>
              <td class="number quiet">{formatCount(row.calls)} ×</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
