import type { Failure } from "../../api/errors";
import type { RiskAnswer } from "../../api/changes";
import { Bar } from "../../parts/Bars";
import { Panel } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";

type Tone = "good" | "warn" | "bad";

function toneOf(level: string): Tone {
  return level === "low" ? "good" : level === "medium" ? "warn" : "bad";
}

/** How risky the change is, and what the score is made of. */
export function Risk({ answer, failure }: { answer: RiskAnswer | null; failure: Failure | null }) {
  if (failure) return <Panel title="Risk"><div class="panel-body"><Trouble failure={failure} /></div></Panel>;
  if (!answer) return <Panel title="Risk"><p class="empty" role="status">Weighing…</p></Panel>;
  const { analysis, policyDecision } = answer;
  const tone = toneOf(analysis.riskLevel);
  return (
    <Panel title="Risk" aside={<span class={`tag ${tone}`}><Text of={policyDecision.decision} /></span>}>
      <p class="score">
        <strong class={tone}>{analysis.riskScore}</strong> of 100, <span class={tone}><Text of={analysis.riskLevel} /></span>
      </p>
      <table class="bars" aria-label="Parts of the score">
        <tbody>
          {analysis.parts.map((part) => (
            <tr key={part.name} title={part.why}>
              <th scope="row"><Text of={part.name} /></th>
              <td class="bar"><Bar part={part.points} whole={part.weight} tone={part.value > 0.66 ? "bad" : part.value > 0.33 ? "warn" : ""} /></td>
              <td class="number">{part.points.toFixed(1)}</td>
              <td class="number quiet">of {part.weight}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="rows">
        {analysis.findings.slice(0, 20).map((finding, at) => (
          <li key={at} class="row-line">
            <span class={`tag ${toneOf(finding.severity)}`}><Text of={finding.severity} /></span>
            <span class="grow"><Text of={finding.message} /></span>
            <span class="quiet number">{finding.score}</span>
          </li>
        ))}
      </ul>
      {policyDecision.deniedReasons.map((reason) => <p key={reason} class="panel-body why"><Text of={reason} /></p>)}
    </Panel>
  );
}
