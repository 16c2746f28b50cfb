import { useState } from "preact/hooks";
import type { Card } from "../../api/types";
import { asFailure, type Failure } from "../../api/errors";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { call } from "../../state/session";
import { countOf } from "../../text/format";

interface Skeleton {
  skeleton: string;
  originalLines: number;
  truncated: boolean;
}

interface Window {
  approved: boolean;
  code?: string;
  excerpt?: string;
  skeleton?: string;
  whyApproved?: string[];
  whyDenied?: string[];
  whyDowngraded?: string[];
  downgradedFrom?: string;
  truncated?: boolean;
}

interface Shown {
  text: string;
  note: string;
}

/** The source of a symbol as the daemon serves it to agents: secrets are masked, and the policy decides on the full text. */
export function Source({ repo, card }: { repo: string; card: Card }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const show = (asked: Promise<Shown>): void => {
    setFailure(null);
    asked.then(setShown, (thrown: unknown) => setFailure(asFailure(thrown)));
  };
  return (
    <div>
      <h3>Source</h3>
      <p class="buttons">
        <button type="button" onClick={() => show(askSkeleton(repo, card))}>Skeleton</button>
        <button type="button" onClick={() => show(askWindow(repo, card))}>Full text</button>
      </p>
      <Trouble failure={failure} />
      {shown && (
        <>
          <p class="why"><Text of={shown.note} /></p>
          {shown.text !== "" && <pre class="source" tabIndex={0} aria-label="Source"><Text of={shown.text} /></pre>}
        </>
      )}
      {!shown && <p class="why">The full text is subject to the policy for raw code, and the request is logged.</p>}
    </div>
  );
}

async function askSkeleton(repo: string, card: Card): Promise<Shown> {
  const answer = await call<Skeleton>("code.getSkeleton", { repoId: repo, symbolId: card.symbolId });
  const cut = answer.truncated ? "; the rest did not fit" : "";
  return { text: answer.skeleton, note: `Signatures and control flow of ${countOf(answer.originalLines, "line")}${cut}.` };
}

async function askWindow(repo: string, card: Card): Promise<Shown> {
  const answer = await call<Window>("code.needWindow", {
    repoId: repo,
    symbolId: card.symbolId,
    reason: `A person looks at ${card.name} in the local page.`,
    expectedLines: Math.max(1, card.range.endLine - card.range.startLine + 1),
    identifiersToFind: [card.name],
    sliceContext: { taskText: card.name, entrySymbols: [card.symbolId] },
  });
  const text = answer.code ?? answer.excerpt ?? answer.skeleton ?? "";
  const why = answer.whyDenied ?? answer.whyDowngraded ?? answer.whyApproved ?? [];
  const decision = answer.downgradedFrom ? "Less than the full text" : answer.approved ? "Approved" : "Denied";
  return { text, note: [`${decision}: ${why.join("; ")}`, answer.truncated ? "cut to the limits" : ""].filter(Boolean).join("; ") };
}
