import type Sigma from "sigma";
import { shortText, visibleText } from "../../text/visible";
import type { Drawing } from "../drawing";
import type { Palette } from "../palette";

/** Names of discs smaller than this on the screen are left out, in pixels. */
const MIN_NAMED_RADIUS = 22;
/** Links between discs that are drawn, the heaviest first. */
const MAX_LINKS = 120;

interface Placed {
  x: number;
  y: number;
  r: number;
}

/** Where the discs are on the screen. */
function placeDiscs(sigma: Sigma, drawing: Drawing): Placed[] {
  const origin = sigma.graphToViewport({ x: 0, y: 0 });
  const unit = sigma.graphToViewport({ x: 1, y: 0 });
  const scale = Math.hypot(unit.x - origin.x, unit.y - origin.y);
  return drawing.discs.map((disc) => ({ ...sigma.graphToViewport(disc), r: disc.r * scale }));
}

/** Draws the links between discs. */
export function drawLinks(context: CanvasRenderingContext2D, sigma: Sigma, drawing: Drawing, palette: Palette): void {
  const { width, height } = sigma.getDimensions();
  context.clearRect(0, 0, width, height);
  if (drawing.discs.length === 0) return;
  const placed = placeDiscs(sigma, drawing);
  const heaviest = drawing.links.reduce((most, link) => Math.max(most, link.weight), 1);
  const links = [...drawing.links].sort((one, other) => other.weight - one.weight).slice(0, MAX_LINKS);
  context.strokeStyle = palette.line;
  for (const link of links) {
    const [from, to] = [placed[link.from], placed[link.to]];
    if (!from || !to) continue;
    const share = link.weight / heaviest;
    context.globalAlpha = 0.14 + 0.3 * share;
    context.lineWidth = 0.5 + 4 * Math.sqrt(share);
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Writes the names of discs above the nodes, the largest first, none over another. */
export function nameDiscs(context: CanvasRenderingContext2D, sigma: Sigma, drawing: Drawing, palette: Palette): void {
  const { width, height } = sigma.getDimensions();
  context.clearRect(0, 0, width, height);
  const taken: { x: number; y: number; w: number }[] = [];
  const placed = placeDiscs(sigma, drawing);
  const font = sigma.getSetting("labelFont");
  context.font = `600 12px ${font}`;
  context.textAlign = "center";
  const order = placed.map((_, at) => at).sort((one, other) => (placed[other]?.r ?? 0) - (placed[one]?.r ?? 0));
  for (const at of order) {
    const [disc, drawn] = [placed[at], drawing.discs[at]];
    if (!disc || !drawn || disc.r < MIN_NAMED_RADIUS) continue;
    const name = shortText(visibleText(drawn.name || "no cluster"), 36);
    const box = { x: disc.x, y: disc.y - disc.r + 4, w: context.measureText(name).width + 12 };
    if (box.x < 0 || box.y < 0 || box.x > width || box.y > height) continue;
    if (taken.some((other) => Math.abs(other.y - box.y) < 16 && Math.abs(other.x - box.x) < (other.w + box.w) / 2)) continue;
    taken.push(box);
    // A box and no rim, because the outlines of letters are slow to draw.
    context.globalAlpha = 0.85;
    context.fillStyle = palette.ground;
    context.fillRect(box.x - box.w / 2 + 2, box.y - 12, box.w - 4, 16);
    context.globalAlpha = 1;
    context.fillStyle = palette.text;
    context.fillText(name, box.x, box.y);
  }
  context.textAlign = "start";
}
