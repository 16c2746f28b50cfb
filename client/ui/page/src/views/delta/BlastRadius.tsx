import type { DeltaAnswer } from "../../api/changes";
import { Empty, Panel } from "../../parts/Panel";
import { SymbolLink } from "../../parts/Place";
import { Text } from "../../parts/Text";
import { linkTo, param } from "../../state/route";
import { countOf } from "../../text/format";

/** Symbols that a change may affect, most important first. */
export function BlastRadius({ answer }: { answer: DeltaAnswer }) {
  const rows = answer.delta.blastRadius;
  const graph = linkTo("graph", { mode: "impact", since: param("from") });
  return (
    <Panel title={`Blast radius: ${countOf(rows.length, "symbol")}`} aside={<a href={graph}>as a graph</a>}>
      {rows.length === 0 && <Empty>Nothing is known to depend on what changed.</Empty>}
      <ul class="rows scroll" tabIndex={0} aria-label="Affected symbols">
        {rows.map((row) => (
          <li key={row.symbolId} class="row-line">
            <span class="grow">
              <SymbolLink id={row.symbolId} name={row.name} /> <code class="place"><Text of={row.file} /></code>
              <span class="why"> <Text of={row.reason} /></span>
            </span>
            <span class="quiet number">{countOf(row.distance, "link")}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
