import { NOTHING, type Drawing } from "../drawing";
import type { Palette } from "../palette";
import { drawLinks, nameDiscs } from "./discs";
import type { QuickSigma } from "./quickSigma";

/** Frames that take longer than this on the average, in milliseconds, make the camera's way rougher. */
const SLOW_MS = 24;

/**
 * Links below a map and names above it, on canvases of their own. Where frames come slowly, as without a graphics card, both are
 * left out while the camera moves.
 */
export class Ground {
  private readonly links: HTMLCanvasElement;
  private readonly names: HTMLCanvasElement;
  private drawing: Drawing = NOTHING;
  private lastAt = 0;
  private averageMs = 0;

  constructor(private readonly sigma: QuickSigma) {
    this.links = sigma.createCanvas("links", { beforeLayer: "edges" });
    this.names = sigma.createCanvas("names", { afterLayer: "labels" });
  }

  /** Takes another drawing. One without discs has no ground. */
  take(drawing: Drawing): void {
    this.drawing = drawing;
    this.sigma.isRough = false;
    this.show(drawing.discs.length > 0);
  }

  /** Follows the camera. Returns whether frames come slowly while it moves. */
  follow(palette: Palette, isMoving: boolean, now: number): boolean {
    const span = now - this.lastAt;
    this.lastAt = now;
    if (this.drawing.discs.length === 0) return false;
    if (isMoving && span < 1_000) this.averageMs += (span - this.averageMs) / 4;
    const isRough = isMoving && this.averageMs > SLOW_MS;
    this.sigma.isRough = isRough;
    this.show(!isRough);
    if (isRough) return true;
    const [below, above] = [this.prepare(this.links), this.prepare(this.names)];
    if (below) drawLinks(below, this.sigma, this.drawing, palette);
    if (above) nameDiscs(above, this.sigma, this.drawing, palette);
    return false;
  }

  private show(isShown: boolean): void {
    this.links.hidden = this.names.hidden = !isShown;
    // Names of nodes are cleared while the camera moves, so their layer is empty then.
    const labels = this.sigma.getCanvases()["labels"];
    if (labels) labels.hidden = !isShown && this.drawing.discs.length > 0;
  }

  /** Fits a canvas to the stage. */
  private prepare(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
    const { width, height } = this.sigma.getDimensions();
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }
}
