import { DirectedGraph } from "graphology";
import { shortText, visibleText } from "../../text/visible";
import type { Drawing, DrawnNode } from "../drawing";
import { mixColours, type Palette } from "../palette";

/** Above this, only names that have room are written. */
const MAX_ALL_NAMED = 60;

/** How a drawing is fitted to a stage: padding in pixels, a factor of sizes, and the longest name in characters. */
export interface Fit {
  padding: number;
  scale: number;
  nameChars: number;
}

/** Fits a drawing to a stage. Names at the sides need room within it; nodes of a map are smaller on a small stage. */
export function fitTo(drawing: Drawing, { width, height }: { width: number; height: number }): Fit {
  if (!drawing.named) return { padding: 24, scale: Math.max(0.45, Math.min(1, Math.sqrt(width * height) / 740)), nameChars: 40 };
  const padding = Math.min(180, width * 0.28);
  return { padding, scale: 1, nameChars: Math.max(10, Math.min(28, Math.floor(padding / 6.5))) };
}

/** The attributes that the canvas needs of a node. */
export function nodeAttributes(node: DrawnNode, drawing: Drawing, palette: Palette, fit: Fit): Record<string, unknown> {
  return {
    x: node.x,
    y: node.y,
    size: node.size * fit.scale,
    color: node.strong ? palette.accent : palette.kinds[node.group],
    label: shortText(visibleText(node.name), fit.nameChars),
    side: node.side ?? "right",
    forceLabel: drawing.named && drawing.nodes.length <= MAX_ALL_NAMED,
    strong: node.strong ?? false,
  };
}

/** The bounds of the discs of a drawing; `span` is the longer side. */
export function extentOf(drawing: Drawing): { x: [number, number]; y: [number, number]; span: number } {
  const bounds = (at: "x" | "y"): [number, number] => [
    drawing.discs.reduce((least, disc) => Math.min(least, disc[at] - disc.r), Infinity),
    drawing.discs.reduce((most, disc) => Math.max(most, disc[at] + disc.r), -Infinity),
  ];
  const [x, y] = [bounds("x"), bounds("y")];
  return { x, y, span: Math.max(x[1] - x[0], y[1] - y[0], 1e-9) };
}

/** A drawing as a graph for the canvas. Nodes have their ids as keys; a second node of an id is left out. */
export function graphOf(drawing: Drawing, palette: Palette, fit: Fit): DirectedGraph {
  const graph = new DirectedGraph();
  const extent = extentOf(drawing);
  drawing.discs.forEach(({ x, y, r }, at) => graph.addNode(`disc ${at}`, { type: "disc", x, y, size: r / extent.span, color: palette.disc, label: null }));
  for (const node of drawing.nodes) {
    if (!graph.hasNode(node.id)) graph.addNode(node.id, nodeAttributes(node, drawing, palette, fit));
  }
  const thin = drawing.edges.length > 2_000;
  for (const edge of drawing.edges) {
    const [from, to] = [drawing.nodes[edge.from], drawing.nodes[edge.to]];
    if (!from || !to || from.id === to.id || graph.hasEdge(from.id, to.id)) continue;
    graph.addEdge(from.id, to.id, {
      type: thin ? "line" : "arrow",
      size: 1.5,
      color: mixColours(palette.line, palette.ground, thin ? 0.75 : 0.7 * (1 - edge.confidence)),
    });
  }
  return graph;
}
