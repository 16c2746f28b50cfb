import { Rows } from "../../parts/Rows";
import { Text } from "../../parts/Text";
import type { ListGroup, ListItem } from "./picture";

/** The list that says the same as the canvas. Arrows move, right and left fold. */
export function PictureList({ groups, selected, onPick }: { groups: readonly ListGroup[]; selected: string; onPick: (item: ListItem) => void }) {
  return (
    <>
      {groups.map((group) => (
        <section key={group.title}>
          {group.title !== "" && <h3 class="list-head"><Text of={group.title} /></h3>}
          <Rows label={group.title || "More"}>
            {group.items.map((item) => (
              <li key={item.id}>
                <Row item={item} selected={item.id === selected} onPick={onPick} />
              </li>
            ))}
            {group.more && <li class="row-line quiet">{group.more}</li>}
          </Rows>
        </section>
      ))}
    </>
  );
}

function Row({ item, selected, onPick }: { item: ListItem; selected: boolean; onPick: (item: ListItem) => void }) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const wanted = { ArrowRight: true, ArrowLeft: false }[event.key];
    if (wanted === undefined || item.unfolded === undefined || item.unfolded === wanted) return;
    event.preventDefault();
    item.onFold?.();
  };
  return (
    <button
      type="button"
      class="row-link tree-row"
      data-row
      style={{ "--depth": item.depth ?? 0 }}
      aria-current={selected}
      aria-expanded={item.unfolded}
      onKeyDown={onKeyDown}
      onClick={() => onPick(item)}
    >
      {item.unfolded !== undefined && <span aria-hidden="true">{item.unfolded ? "▾" : "▸"}</span>}
      <span class="grow">
        <span class="symbol"><Text of={item.name} /></span>{" "}
        {item.place !== "" && <code class="place"><Text of={item.place} /></code>}
        {item.note && item.kind !== "cluster" && <span class="why"> <Text of={item.note} /></span>}
      </span>
      <span class="quiet">{item.kind === "cluster" ? item.note : <Text of={item.kind} />}</span>
    </button>
  );
}
