import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

/** Moves the focus among the entries of a list with the arrow keys. Returns whether the key was used. */
export function moveInList(list: HTMLElement, key: string): boolean {
  const items = [...list.querySelectorAll<HTMLElement>("[data-row]")].filter((item) => item.offsetParent !== null);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[key];
  if (next === undefined) return false;
  items[Math.max(0, Math.min(items.length - 1, next))]?.focus();
  return true;
}

/** A list whose entries the arrow keys move through. Entries carry `data-row`. */
export function Rows({ label, children, class: name = "" }: { label: string; children: ComponentChildren; class?: string }) {
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (list.current && moveInList(list.current, event.key)) event.preventDefault();
  };
  return (
    <ul ref={list} class={`rows ${name}`} aria-label={label} onKeyDown={onKeyDown}>
      {children}
    </ul>
  );
}
