import { NOTHING } from "../../graph/drawing";
import { GROUP_NAMES } from "../../graph/kinds";
import { Panel } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { repoId } from "../../state/repo";
import { changeParams, param } from "../../state/route";
import { SymbolCard } from "./Card";
import { PictureList } from "./List";
import type { ListItem, Picture } from "./picture";
import { Found, SearchField } from "./Search";
import { Stage } from "./Stage";
import { modeOf, Tools, type Mode } from "./Tools";
import { toggleFold, useAround } from "./useAround";
import { useImpact } from "./useImpact";
import { useMap } from "./useMap";
import { usePath } from "./usePath";

/** The graph: a list and a canvas of the same content, and the card of a symbol. */
export function GraphView() {
  const repo = repoId.value;
  const mode = modeOf(param("mode"));
  const symbol = param("symbol");
  const map = useMap(mode === "map", repo);
  const around = useAround(mode === "around", repo, symbol);
  const path = usePath(mode === "path", repo, param("from"), param("to"));
  const impact = useImpact(mode === "impact", repo, symbol, param("since"), param("tests") !== "no");
  const picture: Picture = { map, around, path, impact }[mode];
  const selected = param("at") || symbol;

  const pickNode = (id: string): void => {
    const neighbour = mode === "around" ? around.around.find((one) => one.symbol.symbolId === id) : undefined;
    if (neighbour && neighbour.parent !== "") toggleFold(symbol, neighbour);
    else changeParams(mode === "map" ? { symbol: id } : { at: id });
  };
  const pickItem = (item: ListItem): void => {
    if (item.kind === "cluster") item.onFold?.();
    else changeParams(mode === "map" ? { symbol: item.id } : { at: item.id });
  };
  return (
    <div class="graph">
      <Panel title="Symbols" class="of-list">
        <SearchField />
        <div class="side-scroll">
          {param("q") !== "" ? <Found repo={repo} /> : <Listing picture={picture} selected={selected} onPick={pickItem} />}
        </div>
      </Panel>
      <Panel title={mode === "map" ? "Map" : "Graph"} class="of-stage" aside={<small><Text of={mode === "path" ? "" : picture.title} /></small>}>
        <Tools mode={mode} repo={repo} picture={picture} />
        <div class="stage">
          <Stage
            drawing={picture.drawing ?? NOTHING}
            selected={selected}
            disc={mode === "map" && param("cluster") !== "" ? Number(param("cluster")) : null}
            edgesOf={mode === "map" ? map.edgesOf : noEdges}
            onNode={pickNode}
            onStage={() => mode === "map" && symbol !== "" && changeParams({ symbol: "" })}
            label={picture.title}
          />
          <Obstacle picture={picture} />
        </div>
        <Remarks mode={mode} picture={picture} />
      </Panel>
      <Panel title="Symbol" class="of-symbol">
        <div class="side-scroll">
          <SymbolCard repo={repo} symbol={selected} />
        </div>
      </Panel>
    </div>
  );
}

function noEdges(): [string, string][] {
  return [];
}

function Listing({ picture, selected, onPick }: { picture: Picture; selected: string; onPick: (item: ListItem) => void }) {
  if (picture.failure) return <p class="empty">The list is empty, because the answer failed.</p>;
  if (picture.hint !== "") return <p class="empty">{picture.hint}</p>;
  return <PictureList groups={picture.groups} selected={selected} onPick={onPick} />;
}

/** What is said over the canvas while there is nothing on it. */
function Obstacle({ picture }: { picture: Picture }) {
  if (picture.failure) {
    return (
      <div class="stage-busy">
        <Trouble failure={picture.failure} retry={picture.reload} />
      </div>
    );
  }
  if (!picture.drawing) {
    return (
      <div class="stage-busy" role="status">
        <p class="empty">{picture.busy ? "Reading the graph…" : picture.hint}</p>
      </div>
    );
  }
  return null;
}

/** What is said below the canvas. */
function Remarks({ mode, picture }: { mode: Mode; picture: Picture }) {
  if (!picture.drawing || picture.failure || (picture.note === "" && mode !== "map")) return null;
  return (
    <div class="stage-note">
      {picture.note !== "" && <span><Text of={picture.note} /></span>}
      {mode === "map" && GROUP_NAMES.map(([group, name]) => (
        <span key={group} class="legend">
          <svg width="8" height="8" aria-hidden="true"><circle class={`kind-${group}`} cx="4" cy="4" r="4" /></svg>
          {name}
        </span>
      ))}
    </div>
  );
}
