import type { Card, CardAnswer, Dep, Param } from "../../api/types";
import { Empty } from "../../parts/Panel";
import { Place, SymbolLink } from "../../parts/Place";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { useAnswer } from "../../state/answer";
import { headVersion } from "../../state/repo";
import { linkTo } from "../../state/route";
import { call } from "../../state/session";
import { countOf, formatCount } from "../../text/format";
import { Source } from "./Source";

/** What the daemon knows of a symbol. */
export function SymbolCard({ repo, symbol }: { repo: string; symbol: string }) {
  const key = repo !== "" && symbol !== "" ? [repo, headVersion.value, symbol].join(" ") : "";
  const read = useAnswer(key, (signal) => call<CardAnswer>("symbol.getCard", { repoId: repo, symbolId: symbol, detail: "full" }, signal));
  if (symbol === "") return <Empty>Choose a symbol, on the canvas or in the list, to see its card.</Empty>;
  if (read.failure) return <Trouble failure={read.failure} retry={read.reload} />;
  const card = read.data?.card;
  if (!card) return <p class="empty" role="status">Reading…</p>;
  return (
    <div class="card">
      <Head card={card} />
      <Doors card={card} />
      <Facts card={card} />
      <Deps title="Calls" deps={card.deps?.calls} />
      <Deps title="Implements" deps={card.deps?.implements} />
      <Source key={`${card.symbolId} ${card.etag}`} repo={repo} card={card} />
    </div>
  );
}

function Head({ card }: { card: Card }) {
  return (
    <div>
      <p class="name"><Text of={card.qualifiedName ?? card.name} /></p>
      <p>
        <span class="tag"><Text of={card.kind} /></span> {card.exported && <span class="tag">exported</span>}{" "}
        <Place file={card.file} line={card.range.startLine} />
      </p>
      <pre class="signature"><Text of={signatureOf(card)} /></pre>
      {card.summary && <p><Text of={card.summary} /></p>}
    </div>
  );
}

function paramText(one: Param): string {
  return `${one.name}${one.optional ? "?" : ""}${one.type ? `: ${one.type}` : ""}`;
}

/** The signature as one line; its header where the language has one of its own. */
export function signatureOf(card: Card): string {
  const signature = card.signature;
  if (!signature) return `${card.kind} ${card.name}`;
  if (signature.header) return signature.header;
  const returns = signature.returns ? ` -> ${signature.returns}` : "";
  const params = signature.params ? `(${signature.params.map(paramText).join(", ")})` : "";
  return `${card.name}${signature.generics ?? ""}${params}${returns}`;
}

/** Where one can go from a symbol. */
function Doors({ card }: { card: Card }) {
  const id = card.symbolId;
  const named = `${card.file}:${card.qualifiedName ?? card.name}`;
  return (
    <nav class="buttons" aria-label="From this symbol">
      <a href={linkTo("graph", { mode: "around", symbol: id })}>Callers and callees</a>
      <span aria-hidden="true">·</span>
      <a href={linkTo("graph", { mode: "impact", symbol: id })}>Impact</a>
      <span aria-hidden="true">·</span>
      <a href={linkTo("graph", { mode: "path", from: named, symbol: id })}>Paths from here</a>
      <span aria-hidden="true">·</span>
      <a href={linkTo("graph", { mode: "path", to: named, symbol: id })}>Paths to here</a>
      <span aria-hidden="true">·</span>
      <a href={linkTo("graph", { symbol: id })}>On the map</a>
    </nav>
  );
}

function Facts({ card }: { card: Card }) {
  const { metrics } = card;
  const churn = metrics?.churn30d === undefined ? "" : `, ${formatCount(metrics.churn30d)} commits in 30 days`;
  const rows: [string, string][] = [];
  if (metrics) rows.push(["Edges", `${formatCount(metrics.fanIn)} in, ${formatCount(metrics.fanOut)} out${churn}`]);
  if (metrics?.testRefs) rows.push(["Tests", countOf(metrics.testRefs, "mention")]);
  if (card.cluster) rows.push(["Cluster", card.cluster]);
  for (const one of card.invariants ?? []) rows.push(["Holds", one]);
  for (const one of card.sideEffects ?? []) rows.push(["Effect", `${one.kind} ${one.what}`]);
  for (const one of (card.processes ?? []).slice(0, 4)) rows.push(["Runs in", one]);
  return (
    <dl class="facts">
      {rows.map(([name, value], at) => (
        <>
          <dt key={`${at} name`}>{name}</dt>
          <dd key={`${at} value`}><Text of={value} /></dd>
        </>
      ))}
    </dl>
  );
}

function Deps({ title, deps = [] }: { title: string; deps?: Dep[] | undefined }) {
  if (deps.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <p>
        {deps.slice(0, 40).map((dep, at) => (
          <>
            {at > 0 && ", "}
            <SymbolLink key={dep.symbolId} id={dep.symbolId} name={dep.name} />
            {dep.resolution !== "exact" && <small> {dep.resolution}</small>}
          </>
        ))}
      </p>
    </div>
  );
}
