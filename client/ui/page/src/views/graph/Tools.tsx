import { useState } from "preact/hooks";
import { htmlFile } from "../../graph/export/html";
import { fileName, saveFile } from "../../graph/export/save";
import { svgFile } from "../../graph/export/svg";
import { readPalette } from "../../graph/palette";
import { Segments } from "../../parts/Segments";
import { changeParams, goTo, param } from "../../state/route";
import type { Picture } from "./picture";

export type Mode = "map" | "around" | "path" | "impact";

const MODES = [["map", "Map"], ["around", "Around"], ["path", "Paths"], ["impact", "Impact"]] as const;

/** The mode of an address; the map if it names none. */
export function modeOf(text: string): Mode {
  return MODES.find(([mode]) => mode === text)?.[0] ?? "map";
}

/** What is shown, and ways out of it as a file. */
export function Tools({ mode, repo, picture }: { mode: Mode; repo: string; picture: Picture }) {
  const choose = (next: Mode): void => goTo("graph", { repo, mode: next === "map" ? "" : next, symbol: param("symbol") });
  return (
    <div class="tools">
      <Segments label="What the graph shows" value={mode} options={MODES} onChoose={choose} />
      {mode === "map" && <LinksSwitch />}
      {mode === "path" && <PathForm key={`${param("from")} ${param("to")}`} />}
      {mode === "impact" && <ImpactForm key={param("since")} />}
      <ExportButtons repo={repo} mode={mode} picture={picture} />
    </div>
  );
}

function LinksSwitch() {
  const all = param("links") === "all";
  return (
    <label>
      <input type="checkbox" checked={all} onChange={() => changeParams({ links: all ? "" : "all" })} />
      all edges
    </label>
  );
}

function PathForm() {
  const [from, setFrom] = useState(param("from"));
  const [to, setTo] = useState(param("to"));
  const submit = (event: Event): void => {
    event.preventDefault();
    changeParams({ from: from.trim(), to: to.trim() });
  };
  return (
    <form onSubmit={submit}>
      <input aria-label="From, or empty for the starts of programs" placeholder="from: name or path:name" value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
      <input aria-label="To" placeholder="to: name or path:name" value={to} onInput={(event) => setTo(event.currentTarget.value)} />
      <button type="submit">Find</button>
    </form>
  );
}

function ImpactForm() {
  const [since, setSince] = useState(param("since"));
  const tests = param("tests") !== "no";
  const submit = (event: Event): void => {
    event.preventDefault();
    changeParams({ since: since.trim() });
  };
  return (
    <form onSubmit={submit}>
      <input aria-label="Change since this state" placeholder="since: git:HEAD" value={since} onInput={(event) => setSince(event.currentTarget.value)} />
      <button type="submit">Show</button>
      <button type="button" onClick={() => changeParams({ since: "git:HEAD" })}>Working tree</button>
      <label>
        <input type="checkbox" checked={tests} onChange={() => changeParams({ tests: tests ? "no" : "" })} />
        tests
      </label>
    </form>
  );
}

function ExportButtons({ repo, mode, picture }: { repo: string; mode: Mode; picture: Picture }) {
  const { drawing } = picture;
  const save = (ending: "svg" | "html"): void => {
    if (!drawing) return;
    const palette = readPalette();
    const name = fileName(["sdl", repo, mode], ending);
    if (ending === "svg") saveFile(name, "image/svg+xml", svgFile(drawing, palette, picture.title));
    else saveFile(name, "text/html", htmlFile(drawing, palette, picture.title, picture.note));
  };
  return (
    <span class="segments" role="group" aria-label="Save as a file">
      <button type="button" disabled={!drawing} onClick={() => save("svg")}>Save SVG</button>
      <button type="button" disabled={!drawing} onClick={() => save("html")}>Save HTML</button>
    </span>
  );
}
