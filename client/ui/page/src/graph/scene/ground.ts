import type Sigma from "sigma";
import { NOTHING, type Drawing } from "../drawing";
import type { Palette } from "../palette";
import { drawDiscs, nameDiscs } from "./discs";

/** While the camera moves, the ground is drawn again after this many milliseconds; in between, its picture is moved. */
const REDRAW_MS = 400;

/** Where two fixed points of the graph are on the screen; enough to tell how far the camera went. */
interface Anchor {
  x: number;
  y: number;
  unit: number;
}

/**
 * The discs below the nodes, and their names above them. Both are on canvases of their own that follow the camera as pictures,
 * because drawing them in each frame costs more than all nodes do where no graphics card helps.
 */
export class Ground {
  private readonly discs: HTMLCanvasElement;
  private readonly names: HTMLCanvasElement;
  private drawing: Drawing = NOTHING;
  private drawn: Anchor | null = null;
  private drawnAt = 0;

  constructor(private readonly sigma: Sigma) {
    this.discs = sigma.createCanvas("discs", { beforeLayer: "edges" });
    this.names = sigma.createCanvas("names", { afterLayer: "labels" });
  }

  /** Takes another drawing. One without discs has no ground. */
  take(drawing: Drawing): void {
    this.drawing = drawing;
    this.drawn = null;
    for (const canvas of [this.discs, this.names]) canvas.hidden = drawing.discs.length === 0;
  }

  /** Follows the camera: draws, or moves what was drawn. */
  follow(palette: Palette, isMoving: boolean, now: number): void {
    if (this.drawing.discs.length === 0) return;
    const anchor = this.anchor();
    if (this.drawn && isMoving && now - this.drawnAt < REDRAW_MS) {
      const scale = anchor.unit / this.drawn.unit;
      const [dx, dy] = [anchor.x - scale * this.drawn.x, anchor.y - scale * this.drawn.y];
      for (const canvas of [this.discs, this.names]) canvas.style.transform = `matrix(${scale}, 0, 0, ${scale}, ${dx}, ${dy})`;
      return;
    }
    const [below, above] = [this.prepare(this.discs), this.prepare(this.names)];
    if (below) drawDiscs(below, this.sigma, this.drawing, palette);
    if (above) nameDiscs(above, this.sigma, this.drawing, palette);
    this.drawn = anchor;
    this.drawnAt = now;
  }

  private anchor(): Anchor {
    const origin = this.sigma.graphToViewport({ x: 0, y: 0 });
    const unit = this.sigma.graphToViewport({ x: 1, y: 0 });
    return { x: origin.x, y: origin.y, unit: Math.hypot(unit.x - origin.x, unit.y - origin.y) };
  }

  /** Fits a canvas to the stage. */
  private prepare(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
    const { width, height } = this.sigma.getDimensions();
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.style.transform = "none";
    canvas.style.transformOrigin = "0 0";
    const context = canvas.getContext("2d");
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }
}
