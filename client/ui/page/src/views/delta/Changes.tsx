import type { ChangedSymbol, DeltaAnswer } from "../../api/changes";
import { Empty, Panel } from "../../parts/Panel";
import { Place, SymbolLink } from "../../parts/Place";
import { Text } from "../../parts/Text";
import { countOf } from "../../text/format";
import { compareWords, type Piece } from "./words";

const TONES: Record<string, string> = { added: "good", removed: "bad", modified: "warn", renamed: "warn", moved: "" };
const TIERS = [["interfaceStable", "interface"], ["behaviorStable", "behaviour"], ["sideEffectsStable", "effects"], ["dependenciesStable", "dependencies"]] as const;

/** What differs, by file. */
export function Changes({ answer }: { answer: DeltaAnswer }) {
  const { delta } = answer;
  const files = new Map<string, ChangedSymbol[]>();
  for (const one of delta.changedSymbols) files.set(one.file, [...(files.get(one.file) ?? []), one]);
  return (
    <Panel title={countOf(delta.changedSymbols.length, "changed symbol")} aside={<code class="quiet"><Text of={`${delta.fromVersion} → ${delta.toVersion}`} /></code>}>
      {delta.changedSymbols.length === 0 && <Empty>No symbol differs between these states. Comments and white space don't count.</Empty>}
      {delta.truncation && <p class="panel-body warn"><Text of={`${countOf(delta.truncation.droppedCards, "symbol")} did not fit. ${delta.truncation.howToResume}`} /></p>}
      {[...files].map(([file, symbols]) => (
        <section key={file}>
          <h3 class="list-head"><code><Text of={file} /></code></h3>
          {symbols.map((one) => <Change key={`${one.symbolId} ${one.changeType}`} of={one} />)}
        </section>
      ))}
    </Panel>
  );
}

function Change({ of: one }: { of: ChangedSymbol }) {
  const unstable = TIERS.filter(([tier]) => one.tiers?.[tier] === false).map(([, name]) => name);
  const before = [one.previousName !== one.name && one.previousName, one.previousFile !== one.file && one.previousFile].filter(Boolean);
  return (
    <article class="change">
      <div class="change-head">
        <span class={`tag ${TONES[one.changeType] ?? ""}`}><Text of={one.changeType} /></span>
        {one.changeType === "removed" ? <span class="symbol"><Text of={one.name} /></span> : <SymbolLink id={one.symbolId} name={one.name} />}
        <span class="quiet"><Text of={one.kind} /></span>
        {one.range && <Place file={one.file} line={one.range.startLine} />}
        {one.changeType === "modified" && unstable.length > 0 && <span class="quiet">no longer the same: {unstable.join(", ")}</span>}
        {one.changeType === "modified" && unstable.length === 0 && <span class="quiet">{one.docChanged ? "documentation only" : "what users rely on is the same"}</span>}
      </div>
      {before.length > 0 && <p class="why"><Text of={`was ${before.join(" in ")}`} /></p>}
      {one.signatureDiff && <Sides before={one.signatureDiff.before} after={one.signatureDiff.after} />}
      <Differences name="holds" added={one.invariantDiff?.added} removed={one.invariantDiff?.removed} />
      <Differences name="effect" added={one.sideEffectDiff?.added} removed={one.sideEffectDiff?.removed} />
    </article>
  );
}

/** Two signatures side by side, with the words that differ marked. */
function Sides({ before, after }: { before: string; after: string }) {
  const pieces = compareWords(before, after);
  return (
    <div class="sides">
      <pre class="before"><span class="hidden-text">Before: </span><Pieces of={pieces.before} /></pre>
      <pre class="after"><span class="hidden-text">After: </span><Pieces of={pieces.after} /></pre>
    </div>
  );
}

function Pieces({ of: pieces }: { of: readonly Piece[] }) {
  return <>{pieces.map((piece, at) => (piece.differs ? <span key={at} class="mark-text"><Text of={piece.text} /></span> : <Text key={at} of={piece.text} />))}</>;
}

function Differences({ name, added = [], removed = [] }: { name: string; added?: unknown[] | undefined; removed?: unknown[] | undefined }) {
  const text = (item: unknown): string => (typeof item === "string" ? item : Object.values(item as object).join(" "));
  return (
    <>
      {removed.map((item) => <p class="why bad"><Text of={`− ${name}: ${text(item)}`} /></p>)}
      {added.map((item) => <p class="why good"><Text of={`+ ${name}: ${text(item)}`} /></p>)}
    </>
  );
}
