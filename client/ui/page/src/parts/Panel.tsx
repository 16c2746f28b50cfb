import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of a view with its heading. */
export function Panel(props: { title: string; aside?: ComponentChildren; children: ComponentChildren; class?: string }) {
  const id = useId();
  return (
    <section class={`panel ${props.class ?? ""}`} aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

/** A number with its name. */
export function Stat({ name, value, note, bad }: { name: string; value: ComponentChildren; note?: ComponentChildren; bad?: boolean }) {
  return (
    <div class={bad ? "stat bad" : "stat"}>
      <dt>{name}</dt>
      <dd>
        {value}
        {note !== undefined && <small>{note}</small>}
      </dd>
    </div>
  );
}

/** What is shown where there is nothing, with what to do about it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
