import type { Failure } from "../../api/errors";
import type { ImpactAnswer } from "../../api/types";
import { Copy } from "../../parts/Copy";
import { Empty, Panel } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { formatCount } from "../../text/format";

/** The tests to run, the nearest first. */
export function Tests({ answer, failure }: { answer: ImpactAnswer | null; failure: Failure | null }) {
  if (failure) return <Panel title="Tests to run"><div class="panel-body"><Trouble failure={failure} /></div></Panel>;
  if (!answer) return <Panel title="Tests to run"><p class="empty" role="status">Selecting…</p></Panel>;
  const tests = answer.tests ?? [];
  const commands = answer.commands ?? [];
  return (
    <Panel title={`Tests to run: ${formatCount(answer.total)}`} aside={commands.length > 0 && <Copy name="Copy the commands" text={() => commands.join("\n")} />}>
      {tests.length === 0 && <Empty>No test is known to reach the change.</Empty>}
      <ol class="rows scroll" tabIndex={0} aria-label="Tests, the nearest first">
        {tests.map((test) => (
          <li key={test.id} class="row-line">
            <code class="grow" title={test.way.join(" > ")}><Text of={test.id} /></code>
            <span class="quiet number">{test.distance}</span>
          </li>
        ))}
      </ol>
      {tests.length > 0 && answer.total > tests.length && <p class="panel-body quiet">{formatCount(tests.length)} of {formatCount(answer.total)} are shown.</p>}
      <p class="panel-body why"><Text of={answer.completeness} /></p>
    </Panel>
  );
}
