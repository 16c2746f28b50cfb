import { Segments } from "../../parts/Segments";
import { changeParams, param } from "../../state/route";
import { repoId } from "../../state/repo";
import { Audit } from "./Audit";
import { Calls } from "./Calls";
import { PolicyPanel } from "./PolicyPanel";
import { Usage } from "./Usage";
import { Work } from "./Work";

const PARTS = [["calls", "Calls"], ["work", "Sessions and leases"], ["audit", "Audit log"], ["policy", "Policy"]] as const;
type Part = (typeof PARTS)[number][0];

/** What agents do, what they hold, what was decided, and the policy. */
export function AgentsView() {
  const part: Part = PARTS.find(([name]) => name === param("part"))?.[0] ?? "calls";
  return (
    <div class="view">
      <div>
        <Segments label="Part of this view" value={part} options={PARTS} onChoose={(next) => changeParams({ part: next })} />
      </div>
      {part === "calls" && (
        <div class="columns">
          <div class="column"><Calls /></div>
          <div class="column"><Usage /></div>
        </div>
      )}
      {part === "work" && <Work />}
      {part === "audit" && <Audit />}
      {part === "policy" && <PolicyPanel key={repoId.value} repo={repoId.value} />}
    </div>
  );
}
