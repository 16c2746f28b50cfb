import { visibleRuns } from "../text/visible";

/** Text of the daemon or of a person: characters that can't be seen are shown by their codes, and its direction stays its own. */
export function Text({ of, title }: { of: string | number | undefined | null; title?: boolean }) {
  const text = of === undefined || of === null ? "–" : String(of);
  const runs = visibleRuns(text);
  return (
    <bdi {...(title ? { title: text } : {})}>
      {runs.map((run) => (run.escaped ? <span class="escaped">{run.text}</span> : run.text))}
    </bdi>
  );
}
