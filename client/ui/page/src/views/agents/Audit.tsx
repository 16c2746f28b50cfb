import { useState } from "preact/hooks";
import type { AuditRow, AuditShow, AuditVerified } from "../../api/agents";
import { Empty, Panel } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { useAnswer } from "../../state/answer";
import { ask } from "../../state/session";
import { countOf, formatDate } from "../../text/format";
import { subjectOf, toneOf } from "./subject";

const MOST_ROWS = 300;

/** The log of decisions, and whether its chain of hashes holds. */
export function Audit() {
  const [words, setWords] = useState("");
  const log = useAnswer("audit", (signal) => ask<AuditShow>("audit/show", { limit: MOST_ROWS }, signal));
  const chain = useAnswer("chain", (signal) => ask<AuditVerified>("audit/verify", {}, signal));
  const found = (log.data?.rows ?? []).filter(({ row }) => matches(row, words));
  const rows = found.sort((one, other) => other.row.seq - one.row.seq);
  const reload = (): void => {
    log.reload();
    chain.reload();
  };
  return (
    <Panel title="Audit log" aside={<Chain verified={chain.data} busy={chain.busy} onCheck={reload} />}>
      <Trouble failure={log.failure ?? chain.failure} retry={reload} />
      {(chain.data?.faults ?? []).slice(0, 20).map((fault) => <p key={fault} class="panel-body bad"><Text of={fault} /></p>)}
      <div class="search">
        <input type="search" aria-label="Filter the rows" placeholder="Filter: action, decision, file, client" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </div>
      {log.data && log.data.rows.length === 0 && <Empty>Nothing has been decided yet. Each answer with source, each command and each change of a policy leaves a row.</Empty>}
      {log.data && log.data.rows.length > 0 && rows.length === 0 && <Empty>No row has these words. Clear the filter to see all.</Empty>}
      {rows.length > 0 && <Rows rows={rows} />}
    </Panel>
  );
}

function matches(row: AuditRow, words: string): boolean {
  const text = [row.action, row.decision, row.client, row.principal ?? "", row.repoId, subjectOf(row), ...row.why].join(" ").toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function Chain({ verified, busy, onCheck }: { verified: AuditVerified | null; busy: boolean; onCheck: () => void }) {
  return (
    <>
      <span role="status">
        {verified && (verified.ok ? <span class="good">The chain of {countOf(verified.rows, "row")} is intact.</span> : <span class="bad">The chain is broken.</span>)}
      </span>
      <button type="button" disabled={busy} onClick={onCheck}>{busy ? "Checking…" : "Check again"}</button>
    </>
  );
}

function Rows({ rows }: { rows: AuditShow["rows"] }) {
  return (
    <div class="table-wrap">
      <table class="grid">
        <thead>
          <tr><th scope="col" class="number">Row</th><th scope="col">At</th><th scope="col">Action</th><th scope="col">Decision</th><th scope="col">About</th><th scope="col">By</th></tr>
        </thead>
        <tbody>
          {rows.map(({ row, holds }) => (
            <tr key={row.seq}>
              <td class="number quiet">{row.seq}</td>
              <td class="quiet number">{formatDate(row.atMs)}</td>
              <td><code><Text of={row.action} /></code></td>
              <td>
                <span class={`tag ${toneOf(row.decision)}`}><Text of={row.decision} /></span>
                {row.breakGlass && <span class="tag bad">glass broken</span>}
                {!holds && <span class="tag bad">not what was written</span>}
              </td>
              <td class="wide">
                <code><Text of={subjectOf(row)} /></code>
                {row.why.length > 0 && <p class="why"><Text of={row.why.join("; ")} /></p>}
              </td>
              <td class="cut"><Text of={row.principal || row.client} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
