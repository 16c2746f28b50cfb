import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Drawing } from "../../graph/drawing";
import { Scene } from "../../graph/scene/scene";
import { versions } from "../../state/live";
import { repoId } from "../../state/repo";
import { isDark } from "../../state/theme";

/** How long symbols of a changed file stay marked, in milliseconds. */
const FLASH_MS = 3_000;

export interface StageProps {
  drawing: Drawing;
  selected: string;
  disc: number | null;
  edgesOf: (id: string) => [string, string][];
  onNode: (id: string) => void;
  onStage: () => void;
  label: string;
}

/** The canvas. The list beside it says the same, so it is hidden from screen readers. */
export function Stage(props: StageProps) {
  const container = useRef<HTMLDivElement>(null);
  const scene = useRef<Scene | null>(null);
  const [broken, setBroken] = useState("");
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (!container.current) return;
    try {
      scene.current = new Scene(container.current, (id) => latest.current.onNode(id), () => latest.current.onStage());
    } catch (thrown) {
      return setBroken(String(thrown));
    }
    // For measurements from outside, such as the frame rate.
    Object.assign(globalThis, { sdlScene: scene.current });
    return () => {
      scene.current?.destroy();
      scene.current = null;
    };
  }, []);

  useEffect(() => scene.current?.show(props.drawing), [props.drawing]);
  useEffect(() => {
    if (props.selected !== "") scene.current?.select(props.selected, props.edgesOf(props.selected));
    else scene.current?.select(null);
  }, [props.drawing, props.selected]);
  useEffect(() => {
    if (props.disc !== null) scene.current?.lookAtDisc(props.disc);
  }, [props.drawing.discs.length > 0, props.disc]);
  useEffect(() => followTheme(() => scene.current?.recolour()), []);
  useEffect(() => followEdits((paths) => scene.current?.flash(paths, FLASH_MS)), []);

  if (broken !== "") return <p class="empty">This browser can't draw the graph, because it has no WebGL. The list has the same content.</p>;
  return (
    <>
      <div ref={container} class="stage-canvas" aria-hidden="true" />
      <div class="stage-zoom" role="group" aria-label={`Zoom: ${props.label}`}>
        <button type="button" aria-label="Zoom in" onClick={() => scene.current?.zoom(1)}>+</button>
        <button type="button" aria-label="Zoom out" onClick={() => scene.current?.zoom(-1)}>−</button>
        <button type="button" aria-label="Show all" onClick={() => scene.current?.zoom(0)}>⤢</button>
      </div>
    </>
  );
}

/** Calls back when the theme changes, but not at first. */
function followTheme(changed: () => void): () => void {
  let first = true;
  return effect(() => {
    void isDark.value;
    // The document's theme is set by an effect too, which may run later.
    if (!first) queueMicrotask(changed);
    first = false;
  });
}

/** Calls back with the paths of each new version of the repository. */
function followEdits(changed: (paths: ReadonlySet<string>) => void): () => void {
  let known = versions.peek()[0];
  return effect(() => {
    const newest = versions.value[0];
    if (!newest || newest === known) return;
    known = newest;
    if (newest.repo === repoId.peek()) changed(new Set(newest.files.map((file) => file.path)));
  });
}
