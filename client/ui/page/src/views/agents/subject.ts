import type { AuditRow } from "../../api/agents";
import type { Json } from "../../api/types";

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** What a decision was about, in one line: a policy, a command, a change, an upstream's tool, or source. */
export function subjectOf(row: Pick<AuditRow, "details">): string {
  const { details } = row;
  const set = details["policyPatch"] ?? details["ceiling"];
  if (set !== undefined) return textOf(set);
  if (details["command"] !== undefined) return `${textOf(details["command"])} in ${textOf(details["cwd"])}`;
  if (details["upstream"] !== undefined) return `${textOf(details["upstream"])}/${textOf(details["tool"])}: ${textOf(details["outcome"])}`;
  if (details["fromVersion"] !== undefined) {
    return `${textOf(details["fromVersion"])} to ${textOf(details["toVersion"])}: risk ${textOf(details["riskScore"])}`;
  }
  const range = details["range"] as { startLine?: number; endLine?: number } | undefined;
  const lines = range?.startLine === undefined ? "" : `lines ${range.startLine}-${range.endLine ?? range.startLine}`;
  return [textOf(details["file"]), textOf(details["symbolId"]), lines].filter((part) => part !== "").join(" ");
}

/** The tone of a decision. */
export function toneOf(decision: string): "good" | "warn" | "bad" {
  if (["denied", "cut", "escalate", "held"].includes(decision)) return "bad";
  return ["downgraded", "review", "acknowledged", "changed"].includes(decision) ? "warn" : "good";
}
