import { Empty, Panel } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { calls } from "../../state/live";
import { countOf, formatCount, formatSpan, formatTime } from "../../text/format";
import { sumLatencies } from "./latency";

const SHOWN = 100;

/** Calls as they happen, and how long they took. */
export function Calls() {
  const all = calls.value;
  return (
    <>
      <Panel title="Calls" aside={<small>{all.length > 0 && `${countOf(all.length, "call")} seen by this page`}</small>}>
        {all.length === 0 && <Empty>No call has come since this page opened. Let an agent ask something, or try: sdlctl search NAME</Empty>}
        {all.length > 0 && (
          <div class="table-wrap scroll" tabIndex={0} role="region" aria-label="Calls, the newest first">
            <table class="grid">
              <thead>
                <tr>
                  <th scope="col">At</th><th scope="col">Action</th><th scope="col">Client</th>
                  <th scope="col" class="number">Time</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Of files</th>
                </tr>
              </thead>
              <tbody>
                {all.slice(0, SHOWN).map((call, at) => (
                  <tr key={`${call.at} ${call.session} ${all.length - at}`} class="version-row">
                    <td class="quiet">{formatTime(call.at)}</td>
                    <th scope="row"><code><Text of={call.action} /></code> {!call.ok && <span class="tag bad">failed</span>}</th>
                    <td class="cut"><Text of={call.client} /></td>
                    <td class="number">{formatSpan(call.ms)}</td>
                    <td class="number">{formatCount(call.tokens)}</td>
                    <td class="number quiet">{call.instead === undefined ? "" : formatCount(call.instead)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
      <Latencies />
    </>
  );
}

function Latencies() {
  const rows = sumLatencies(calls.value);
  if (rows.length === 0) return null;
  return (
    <Panel title="Latencies">
      <div class="table-wrap">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Action</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Failed</th>
              <th scope="col" class="number">Median</th><th scope="col" class="number">95th of 100</th><th scope="col" class="number">Tokens</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.action}>
                <th scope="row"><code><Text of={row.action} /></code></th>
                <td class="number">{formatCount(row.calls)}</td>
                <td class={row.failed > 0 ? "number bad" : "number quiet"}>{formatCount(row.failed)}</td>
                <td class="number">{formatSpan(row.median)}</td>
                <td class="number">{formatSpan(row.p95)}</td>
                <td class="number">{formatCount(row.tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
