import type { Failure } from "../../api/errors";
import type { DispatchRow, SessionRow, SliceLease } from "../../api/agents";
import { Empty, Panel } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { useAnswer } from "../../state/answer";
import { calls } from "../../state/live";
import { ask, call } from "../../state/session";
import { countOf, formatDate, formatSpan } from "../../text/format";

/** Agents that are there, work that they hold, and slices that they hold. */
export function Work() {
  // Asked again after every few calls, because a call may change what is held.
  const key = `work ${Math.floor(calls.value.length / 5)}`;
  const sessions = useAnswer(key, (signal) => call<{ sessions: SessionRow[] }>("session.list", { scope: "all", limit: 100 }, signal));
  const dispatches = useAnswer(key, (signal) => call<{ dispatches: DispatchRow[] }>("dispatch.list", { scope: "all", limit: 100 }, signal));
  const slices = useAnswer(key, (signal) => ask<{ slices: SliceLease[] }>("work/slices", {}, signal));
  return (
    <div class="view">
      <Panel title="Sessions">
        <OffOrTrouble failure={sessions.failure} retry={sessions.reload} />
        {sessions.data && <Sessions rows={sessions.data.sessions} />}
      </Panel>
      <Panel title="Dispatches and their leases">
        <OffOrTrouble failure={dispatches.failure} retry={dispatches.reload} />
        {dispatches.data && <Dispatches rows={dispatches.data.dispatches} />}
      </Panel>
      {slices.data && (
        <Panel title="Slices held">
          <Slices rows={slices.data.slices} />
        </Panel>
      )}
    </div>
  );
}

/** A module that is off is no trouble: its message says how to turn it on. */
function OffOrTrouble({ failure, retry }: { failure: Failure | null; retry: () => void }) {
  if (failure?.code === "moduleOff") return <Empty><Text of={failure.message} /></Empty>;
  return <Trouble failure={failure} retry={retry} />;
}

function Sessions({ rows }: { rows: readonly SessionRow[] }) {
  if (rows.length === 0) return <Empty>No agent is connected. Connect one with: sdlctl mcp config --client NAME</Empty>;
  return (
    <div class="table-wrap">
      <table class="grid">
        <thead>
          <tr><th scope="col">Agent</th><th scope="col">Works on</th><th scope="col">Repositories</th><th scope="col">Lately served</th><th scope="col" class="number">Last call</th></tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.sessionId}>
              <th scope="row"><Text of={row.agent ?? row.client} /> <code class="quiet"><Text of={row.sessionId} /></code></th>
              <td>{row.task ? <Text of={row.task} /> : <span class="quiet">not said</span>}</td>
              <td><Text of={row.repoIds.join(", ")} /></td>
              <td class="cut"><code><Text of={(row.touched ?? []).slice(0, 3).join(", ")} /></code></td>
              <td class="number">{formatSpan(row.lastCallMs)} ago</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function leaseOf(row: DispatchRow): string {
  if (row.leaseUntil === undefined) return "";
  const left = row.leaseUntil - Date.now();
  return left > 0 ? `${formatSpan(left)} left` : `ended ${formatSpan(-left)} ago`;
}

function Dispatches({ rows }: { rows: readonly DispatchRow[] }) {
  if (rows.length === 0) return <Empty>No work waits or runs. Hand some over with: sdlctl dispatch new</Empty>;
  return (
    <div class="table-wrap">
      <table class="grid">
        <thead>
          <tr><th scope="col">Dispatch</th><th scope="col">State</th><th scope="col">Held by</th><th scope="col">Lease</th><th scope="col">Last report</th><th scope="col">Changed</th></tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.dispatchId}>
              <th scope="row"><Text of={row.title} /> <code class="quiet"><Text of={row.dispatchId} /></code></th>
              <td><span class="tag"><Text of={row.state} /></span></td>
              <td><Text of={row.holder ?? row.to ?? ""} /></td>
              <td>{leaseOf(row)}</td>
              <td><Text of={row.note ?? ""} /></td>
              <td class="quiet">{formatDate(row.updatedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Slices({ rows }: { rows: readonly SliceLease[] }) {
  if (rows.length === 0) return <Empty>No agent holds a slice. slice.build gives one, for an hour.</Empty>;
  return (
    <ul class="rows">
      {rows.map((row) => (
        <li key={row.sliceHandle} class="row-line">
          <code class="grow"><Text of={row.sliceHandle} /> <span class="quiet"><Text of={row.repoId} /></span></code>
          <span>{countOf(row.cards, "symbol")}</span>
          <code class="quiet"><Text of={row.version} /></code>
          <span class="quiet">{formatSpan(Math.max(0, row.expiresAt - Date.now()))} left</span>
        </li>
      ))}
    </ul>
  );
}
