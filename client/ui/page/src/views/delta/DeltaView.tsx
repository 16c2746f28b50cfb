import { useState } from "preact/hooks";
import type { DeltaAnswer, RiskAnswer } from "../../api/changes";
import type { ImpactAnswer } from "../../api/types";
import { Empty, Panel } from "../../parts/Panel";
import { Trouble } from "../../parts/Trouble";
import { useAnswer } from "../../state/answer";
import { versions } from "../../state/live";
import { headVersion, repoId } from "../../state/repo";
import { changeParams, param } from "../../state/route";
import { call } from "../../state/session";
import { formatTime } from "../../text/format";
import { Changes } from "./Changes";
import { BlastRadius } from "./BlastRadius";
import { Risk } from "./Risk";
import { Tests } from "./Tests";

/** Two states side by side. */
export function DeltaView() {
  const repo = repoId.value;
  const [from, to] = [param("from"), param("to") || "latest"];
  // A state such as `latest` or `git:main` moves, so a new version asks again.
  const key = repo !== "" && from !== "" ? [repo, from, to, headVersion.value].join(" ") : "";
  const asked = { repoId: repo, fromVersion: from, toVersion: to };
  const delta = useAnswer(key, (signal) => call<DeltaAnswer>("delta.get", { ...asked, budget: { maxCards: 400, maxEstimatedTokens: 20_000 } }, signal));
  const risk = useAnswer(key, (signal) => call<RiskAnswer>("pr.risk.analyze", asked, signal));
  const tests = useAnswer(key, (signal) => call<ImpactAnswer>("change.impact", { ...asked, want: "tests", limit: 200, maxTokens: 20_000 }, signal));
  return (
    <div class="view">
      <Panel title="Compare two states">
        <CompareForm key={`${from} ${to}`} from={from} to={to} />
      </Panel>
      {from === "" && <Empty>Choose a state to compare with, such as git:HEAD for the last commit, previous for the version before, or a version of the timeline.</Empty>}
      <Trouble failure={delta.failure} retry={delta.reload} />
      {delta.busy && !delta.data && <p class="empty" role="status">Comparing…</p>}
      {delta.data && key !== "" && (
        <div class="columns">
          <div class="column">
            <Changes answer={delta.data} />
          </div>
          <div class="column">
            <Risk answer={risk.data} failure={risk.failure} />
            <Tests answer={tests.data} failure={tests.failure} />
            <BlastRadius answer={delta.data} />
          </div>
        </div>
      )}
    </div>
  );
}

const NAMED = ["previous", "git:HEAD", "git:HEAD~1", "git:HEAD~5", "git:main", "latest"];

function CompareForm(given: { from: string; to: string }) {
  const [from, setFrom] = useState(given.from);
  const [to, setTo] = useState(given.to);
  const submit = (event: Event): void => {
    event.preventDefault();
    changeParams({ from: from.trim(), to: to.trim() });
  };
  const seen = versions.value.filter((version) => version.repo === repoId.value).slice(0, 30);
  return (
    <form class="compare" onSubmit={submit}>
      <label>
        Before
        <input list="states" placeholder="git:HEAD" value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
      </label>
      <label>
        After
        <input list="states" placeholder="latest" value={to} onInput={(event) => setTo(event.currentTarget.value)} />
      </label>
      <datalist id="states">
        {NAMED.map((name) => <option key={name} value={name} />)}
        {seen.map((version) => <option key={version.version} value={version.version} label={formatTime(version.at)} />)}
      </datalist>
      <button type="submit" class="primary">Compare</button>
      <button type="button" onClick={() => changeParams({ from: "git:HEAD", to: "latest" })}>Working tree</button>
      <button type="button" onClick={() => changeParams({ from: "previous", to: "latest" })}>Last edit</button>
    </form>
  );
}
