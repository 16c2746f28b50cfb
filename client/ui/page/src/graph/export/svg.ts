import { visibleText } from "../../text/visible";
import type { Drawing, DrawnNode } from "../drawing";
import { mixColours, type Palette } from "../palette";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 60;
/** Room for names beside the outermost nodes. */
const NAME_ROOM = 220;

type Attributes = Record<string, string | number>;

function put(parent: Element, name: string, attributes: Attributes, text?: string): Element {
  const element = parent.ownerDocument.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

/** Rounds to a tenth, because more digits only make the file larger. */
function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The bounds of a drawing, as an SVG has them: the second axis points down. */
export function boundsOf(drawing: Drawing): { x: number; y: number; width: number; height: number } {
  const xs = [...drawing.nodes.map((node) => node.x), ...drawing.discs.flatMap((disc) => [disc.x - disc.r, disc.x + disc.r])];
  const ys = [...drawing.nodes.map((node) => -node.y), ...drawing.discs.flatMap((disc) => [-disc.y - disc.r, -disc.y + disc.r])];
  const least = (values: number[]): number => values.reduce((one, other) => Math.min(one, other), Infinity);
  const most = (values: number[]): number => values.reduce((one, other) => Math.max(one, other), -Infinity);
  if (xs.length === 0) return { x: 0, y: 0, width: 2 * MARGIN, height: 2 * MARGIN };
  const [x, y] = [least(xs) - MARGIN, least(ys) - MARGIN];
  const room = drawing.named ? NAME_ROOM : 0;
  const right = most(xs) + MARGIN + room;
  return { x: tenth(x - room), y: tenth(y), width: tenth(right - x + room), height: tenth(most(ys) + MARGIN - y) };
}

/** Draws into an SVG element of the given document. All text becomes text nodes. */
export function drawSvg(document: Document, drawing: Drawing, palette: Palette, title: string): Element {
  const { x, y, width, height } = boundsOf(drawing);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  svg.setAttribute("font-family", "system-ui, sans-serif");
  svg.setAttribute("font-size", "12");
  put(svg, "title", {}, visibleText(title));
  put(svg, "rect", { x, y, width, height, fill: palette.ground });
  drawDiscs(svg, drawing, palette);
  const lines = put(svg, "g", { stroke: palette.line, "stroke-width": 1, fill: "none" });
  for (const edge of drawing.edges) {
    const [from, to] = [drawing.nodes[edge.from], drawing.nodes[edge.to]];
    if (from && to) drawEdge(lines, from, to, drawing.named, mixColours(palette.line, palette.ground, 0.7 * (1 - edge.confidence)));
  }
  for (const node of drawing.nodes) drawNode(svg, node, drawing, palette);
  nameDiscs(svg, drawing, palette);
  return svg;
}

function drawDiscs(svg: Element, drawing: Drawing, palette: Palette): void {
  const heaviest = drawing.links.reduce((most, link) => Math.max(most, link.weight), 1);
  for (const link of drawing.links) {
    const [from, to] = [drawing.discs[link.from], drawing.discs[link.to]];
    if (!from || !to) continue;
    const share = link.weight / heaviest;
    const look = { stroke: palette.line, "stroke-width": tenth(0.5 + 4 * Math.sqrt(share)), opacity: tenth(0.2 + 0.4 * share) };
    put(svg, "line", { x1: tenth(from.x), y1: tenth(-from.y), x2: tenth(to.x), y2: tenth(-to.y), ...look });
  }
  for (const disc of drawing.discs) put(svg, "circle", { cx: tenth(disc.x), cy: tenth(-disc.y), r: tenth(disc.r), fill: palette.disc });
}

function nameDiscs(svg: Element, drawing: Drawing, palette: Palette): void {
  const look = { "text-anchor": "middle", "font-weight": 600, fill: palette.text };
  for (const disc of drawing.discs) {
    if (disc.r >= 14) put(svg, "text", { x: tenth(disc.x), y: tenth(-disc.y - disc.r + 6), ...look }, visibleText(disc.name));
  }
}

/** An edge, with a small head at its end where names tell nodes apart. */
function drawEdge(parent: Element, from: DrawnNode, to: DrawnNode, headed: boolean, stroke: string): void {
  const [x1, y1, x2, y2] = [from.x, -from.y, to.x, -to.y];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [ex, ey] = [x2 - ux * (to.size + 2), y2 - uy * (to.size + 2)];
  const line = `M${tenth(x1)} ${tenth(y1)}L${tenth(ex)} ${tenth(ey)}`;
  const head = `M${tenth(ex - 7 * ux - 3 * uy)} ${tenth(ey - 7 * uy + 3 * ux)}L${tenth(ex)} ${tenth(ey)}L${tenth(ex - 7 * ux + 3 * uy)} ${tenth(ey - 7 * uy - 3 * ux)}`;
  put(parent, "path", { d: headed ? line + head : line, stroke });
}

function drawNode(svg: Element, node: DrawnNode, drawing: Drawing, palette: Palette): void {
  const fill = node.strong ? palette.accent : palette.kinds[node.group];
  const circle = put(svg, "circle", { cx: tenth(node.x), cy: tenth(-node.y), r: tenth(node.size), fill });
  put(circle, "title", {}, visibleText(`${node.kind} ${node.name} ${node.file}:${node.line}`));
  if (!drawing.named) return;
  const gap = node.size + 4;
  const side = node.side ?? "right";
  const places = {
    left: { x: node.x - gap, y: -node.y + 4, "text-anchor": "end" },
    right: { x: node.x + gap, y: -node.y + 4, "text-anchor": "start" },
    above: { x: node.x, y: -node.y - gap, "text-anchor": "middle" },
  };
  const { x, y, ...anchor } = places[side];
  put(svg, "text", { x: tenth(x), y: tenth(y), ...anchor, "font-weight": node.strong ? 600 : 400, fill: palette.text }, visibleText(node.name));
}

/** The drawing as the text of an SVG file. */
export function svgFile(drawing: Drawing, palette: Palette, title: string): string {
  const document = globalThis.document.implementation.createDocument(SVG, null, null);
  const svg = drawSvg(document, drawing, palette, title);
  document.append(svg);
  return new XMLSerializer().serializeToString(document);
}
