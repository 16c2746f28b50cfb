import { useEffect } from "preact/hooks";
import { Panel } from "../../parts/Panel";
import { Spark } from "../../parts/Spark";
import { Text } from "../../parts/Text";
import { addSample, samples } from "../../state/samples";
import { daemon, readStatus } from "../../state/session";
import { formatBytes, formatSpan } from "../../text/format";

/** How often the state is read while the events bring none, in milliseconds. */
const EVERY_MS = 3_000;

/** What the daemon costs: memory, processor, and its warnings. */
export function Cost() {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && Date.now() - daemon.peek().at >= EVERY_MS - 200) void readAndSample();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const status = daemon.value.status;
  if (!status) return null;
  const all = samples.value;
  const cpu = all.at(-1)?.cpu ?? null;
  return (
    <Panel title="What the daemon costs" aside={<small>process {status.pid}, up for {formatSpan(status.uptimeMs)}</small>}>
      <div class="panel-body">
        <p>
          <strong>{formatBytes(status.memory.private)}</strong> <span class="quiet">of its own, {formatBytes(status.memory.resident)} with mapped files</span>
        </p>
        <Spark label="Memory of its own over time" values={all.map((one) => one.privateBytes)} />
        {cpu !== null && (
          <>
            <p><strong>{(100 * cpu).toFixed(1)} %</strong> <span class="quiet">of one core</span></p>
            <Spark label="Share of one core over time" values={all.map((one) => one.cpu ?? 0)} />
          </>
        )}
        {status.warnings.map((warning) => <p key={warning} class="warn"><Text of={warning} /></p>)}
        <p class="why">sdld <Text of={status.build} /> · <code><Text of={status.stateDir} /></code></p>
      </div>
    </Panel>
  );
}

async function readAndSample(): Promise<void> {
  await readStatus();
  const { status, at } = daemon.peek();
  if (status) addSample(status, at);
}
