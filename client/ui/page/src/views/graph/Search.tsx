import { useEffect, useState } from "preact/hooks";
import type { SearchAnswer } from "../../api/types";
import { Empty } from "../../parts/Panel";
import { Rows } from "../../parts/Rows";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { useAnswer } from "../../state/answer";
import { changeParams, goTo, param } from "../../state/route";
import { call } from "../../state/session";
import { formatCount } from "../../text/format";

/** How long typing must rest before a search, in milliseconds. */
const REST_MS = 120;

/** The field that searches symbols. */
export function SearchField() {
  const [text, setText] = useState(param("q"));
  const given = param("q");
  useEffect(() => setText(given), [given]);
  useEffect(() => {
    if (text === given) return;
    const timer = setTimeout(() => changeParams({ q: text }, true), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    document.querySelector<HTMLElement>("#found [data-row]")?.focus();
  };
  return (
    <div class="search">
      <input
        id="search"
        type="search"
        placeholder="Search symbols  /"
        aria-label="Search symbols"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

/** What a search found. */
export function Found({ repo }: { repo: string }) {
  const query = param("q");
  const read = useAnswer(repo !== "" && query !== "" ? `${repo} ${query}` : "", (signal) =>
    call<SearchAnswer>("symbol.search", { repoId: repo, query, limit: 40 }, signal),
  );
  const answer = read.data;
  if (read.failure) return <Trouble failure={read.failure} retry={read.reload} />;
  if (!answer) return <p class="empty" role="status">Searching…</p>;
  const rows = answer.results.length > 0 ? answer.results : (answer.nearMisses ?? []);
  return (
    <div id="found">
      <p class="list-head quiet" role="status">
        {answer.results.length > 0 ? `${formatCount(answer.results.length)} of ${formatCount(answer.total)}` : "Nothing matches."}
        {answer.results.length === 0 && rows.length > 0 && " Similar names:"}
      </p>
      {rows.length === 0 && <Empty>Try part of the name, other words, or the path of a file.</Empty>}
      <Rows label="Symbols found">
        {rows.map((row) => (
          <li key={row.symbolId}>
            <button type="button" class="row-link" data-row onClick={() => goTo("graph", { repo, mode: "around", symbol: row.symbolId })}>
              <span class="grow">
                <span class="symbol"><Text of={row.qualifiedName ?? row.name} /></span>{" "}
                <code class="place"><Text of={`${row.file}:${row.line}`} /></code>
              </span>
              <span class="quiet"><Text of={row.kind} /></span>
            </button>
          </li>
        ))}
      </Rows>
    </div>
  );
}
