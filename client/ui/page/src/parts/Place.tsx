import { linkTo } from "../state/route";
import { Text } from "./Text";

/** A path with a line. */
export function Place({ file, line }: { file: string; line?: number | undefined }) {
  return (
    <code class="place">
      <Text of={line === undefined ? file : `${file}:${line}`} />
    </code>
  );
}

/** A symbol's name as a link to its place in the graph. */
export function SymbolLink({ id, name }: { id: string; name: string }) {
  return (
    <a class="symbol" href={linkTo("graph", { mode: "around", symbol: id })}>
      <Text of={name} />
    </a>
  );
}
