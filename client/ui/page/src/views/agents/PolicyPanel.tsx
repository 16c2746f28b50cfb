import { useState } from "preact/hooks";
import type { Policy, PolicyAnswer } from "../../api/agents";
import { asFailure, type Failure } from "../../api/errors";
import { Dialog } from "../../parts/Dialog";
import { Panel } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { useAnswer } from "../../state/answer";
import { call } from "../../state/session";
import { countOf } from "../../text/format";
import { isAbove, patchOf, POLICY_FIELDS, valueOf, type PolicyField, type Value } from "./policyFields";

/** The policy of a repository: what agents may read. Changes are confirmed, and logged by the daemon. */
export function PolicyPanel({ repo }: { repo: string }) {
  const [changes, setChanges] = useState<ReadonlyMap<string, Value>>(new Map());
  const [confirms, setConfirms] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [said, setSaid] = useState("");
  const read = useAnswer(repo, (signal) => call<PolicyAnswer>("policy.get", { repoId: repo }, signal));
  const answer = read.data;
  if (read.failure) return <Trouble failure={read.failure} retry={read.reload} />;
  if (!answer) return <p class="empty" role="status">Reading…</p>;
  const change = (field: PolicyField, value: Value): void => {
    setSaid("");
    const next = new Map(changes);
    if (value === valueOf(answer.policy, field.key)) next.delete(field.key);
    else next.set(field.key, value);
    setChanges(next);
  };
  const set = async (): Promise<void> => {
    setConfirms(false);
    setFailure(null);
    try {
      await call("policy.set", { repoId: repo, policyPatch: patchOf(changes) });
      setSaid(`${countOf(changes.size, "setting")} changed. The audit log has a row for it.`);
      setChanges(new Map());
      read.reload();
    } catch (thrown) {
      setFailure(asFailure(thrown));
    }
  };
  return (
    <Panel title="Policy for raw code" class="policy" aside={<small><Text of={repo} /></small>}>
      <Fields answer={answer} changes={changes} onChange={change} />
      {(answer.clamped ?? []).length > 0 && <p class="panel-body warn">Held down by the ceiling: <Text of={(answer.clamped ?? []).join(", ")} /></p>}
      {(answer.warnings ?? []).map((warning) => <p key={warning} class="panel-body warn"><Text of={warning} /></p>)}
      <div class="policy-end">
        <button type="button" class="primary" disabled={changes.size === 0} onClick={() => setConfirms(true)}>Set the policy…</button>
        <button type="button" disabled={changes.size === 0} onClick={() => setChanges(new Map())}>Undo the changes</button>
        <span role="status" class="good">{said}</span>
        <span class="why">Only a person at a terminal can raise a ceiling: sdlctl policy set-ceiling</span>
      </div>
      <Trouble failure={failure} />
      {confirms && <Confirm repo={repo} policy={answer.policy} changes={changes} onClose={() => setConfirms(false)} onSet={() => void set()} />}
    </Panel>
  );
}

function show(value: Value | undefined): string {
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value ?? "–");
}

function Fields(props: { answer: PolicyAnswer; changes: ReadonlyMap<string, Value>; onChange: (field: PolicyField, value: Value) => void }) {
  const { policy, ceiling } = props.answer;
  return (
    <div class="table-wrap">
      <table class="grid">
        <thead>
          <tr><th scope="col">Setting</th><th scope="col">Policy</th><th scope="col" class="number">Ceiling</th><th scope="col"><span class="hidden-text">Remark</span></th></tr>
        </thead>
        <tbody>
          {POLICY_FIELDS.map((field) => {
            const value = props.changes.get(field.key) ?? valueOf(policy, field.key);
            const limit = valueOf(ceiling, field.key);
            return (
              <tr key={field.key}>
                <th scope="row">{field.name}</th>
                <td><Field field={field} value={value} onChange={(next) => props.onChange(field, next)} /></td>
                <td class="number">{show(limit)}</td>
                <td class="wide">
                  {props.changes.has(field.key) && <span class="tag warn">was {show(valueOf(policy, field.key))}</span>}{" "}
                  {value !== undefined && isAbove(field, value, limit) && <span class="warn">above the ceiling, which will hold it down</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Field({ field, value, onChange }: { field: PolicyField; value: Value | undefined; onChange: (value: Value) => void }) {
  if (typeof value === "boolean") {
    return <input type="checkbox" aria-label={field.name} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />;
  }
  const take = (text: string): void => {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) return;
    onChange(Math.max(field.least ?? number, Math.min(field.most ?? number, number)));
  };
  return (
    <input type="number" aria-label={field.name} min={field.least} max={field.most} step={field.step ?? 1} value={value} onChange={(event) => take(event.currentTarget.value)} />
  );
}

function Confirm(props: { repo: string; policy: Policy; changes: ReadonlyMap<string, Value>; onClose: () => void; onSet: () => void }) {
  return (
    <Dialog title="Set this policy?" onClose={props.onClose}>
      <p>All agents that read <Text of={props.repo} /> are held to it at once. The change is logged.</p>
      <table class="grid">
        <tbody>
          {POLICY_FIELDS.filter((field) => props.changes.has(field.key)).map((field) => (
            <tr key={field.key}>
              <th scope="row">{field.name}</th>
              <td>{show(valueOf(props.policy, field.key))} → <strong>{show(props.changes.get(field.key))}</strong></td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="choices">
        <button type="button" onClick={props.onClose}>Cancel</button>
        <button type="button" class="primary" onClick={props.onSet}>Set the policy</button>
      </div>
    </Dialog>
  );
}
