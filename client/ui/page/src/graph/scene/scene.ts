import { EdgeArrowProgram, EdgeLineProgram } from "sigma/rendering";
import type { DirectedGraph } from "graphology";
import { NOTHING, type DrawnNode, type Drawing } from "../drawing";
import { readPalette, type Palette } from "../palette";
import { discProgram } from "./discProgram";
import { extentOf, fitTo, graphOf, nodeAttributes, type Fit } from "./graph";
import { Ground } from "./ground";
import { drawHover, drawLabel } from "./labels";
import { pointProgram, type Motion } from "./points";
import { QuickSigma } from "./quickSigma";

/** How long after its last step the camera counts as at rest, in milliseconds. */
const REST_MS = 120;

/** A drawing on a canvas, with a camera. */
export class Scene {
  private readonly sigma: QuickSigma;
  private readonly motion: Motion = { moving: false, rough: false };
  private readonly ground: Ground;
  private graph: DirectedGraph;
  private palette: Palette = readPalette();
  private rest: ReturnType<typeof setTimeout> | undefined;
  private selected: string | null = null;
  private added: string[] = [];
  private marked: string[] = [];
  private hovers = false;
  private fit: Fit = { padding: 0, scale: 1, nameChars: 40 };
  private drawing: Drawing = NOTHING;
  private nodes: ReadonlyMap<string, DrawnNode> = new Map();

  constructor(container: HTMLElement, onNode: (id: string) => void, onStage: () => void) {
    this.graph = graphOf(NOTHING, this.palette, this.fit);
    const colours = (): Palette => this.palette;
    this.sigma = new QuickSigma(this.graph, container, {
      // Discs come first, because programs draw in this order.
      nodeProgramClasses: { disc: discProgram, point: pointProgram(this.motion) },
      defaultNodeType: "point",
      edgeProgramClasses: { line: EdgeLineProgram, arrow: EdgeArrowProgram },
      defaultEdgeType: "arrow",
      defaultDrawNodeLabel: drawLabel(colours),
      defaultDrawNodeHover: drawHover(colours),
      labelFont: getComputedStyle(document.body).fontFamily,
      labelSize: 12,
      labelDensity: 0.5,
      labelGridCellSize: 140,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      zoomDuration: 160,
      allowInvalidContainer: true,
    });
    this.ground = new Ground(this.sigma);
    this.sigma.on("clickNode", ({ node }) => onNode(node));
    this.sigma.on("clickStage", onStage);
    this.sigma.on("enterNode", () => this.hover(true));
    this.sigma.on("leaveNode", () => this.hover(false));
    this.sigma.on("afterRender", () => {
      this.motion.rough = this.ground.follow(this.palette, this.motion.moving, performance.now());
    });
    this.sigma.getCamera().on("updated", () => this.moved());
  }

  /** Shows another drawing. The camera stays if both are maps, else it shows all of it. */
  show(drawing: Drawing): void {
    const stays = this.drawing.discs.length > 0 && drawing.discs.length > 0;
    const camera = this.sigma.getCamera();
    const before = camera.getState();
    this.drawing = drawing;
    this.nodes = new Map(drawing.nodes.map((node) => [node.id, node]));
    this.fit = fitTo(drawing, this.sigma.getDimensions());
    this.graph = graphOf(drawing, this.palette, this.fit);
    this.ground.take(drawing);
    this.added = [];
    this.selected = null;
    this.sigma.setSettings({
      stagePadding: this.fit.padding,
      labelRenderedSizeThreshold: drawing.named ? 0 : 7,
      hideLabelsOnMove: !drawing.named,
      hideEdgesOnMove: drawing.edges.length > 2_000,
    });
    const { x, y } = extentOf(drawing);
    this.sigma.setCustomBBox(drawing.discs.length > 0 ? { x, y } : null);
    this.sigma.setGraph(this.graph);
    this.hideEmptyLayers();
    camera.setState(stays ? before : { x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  /** Takes layers without content out of the picture, because blending an empty one costs as much as a full one. */
  private hideEmptyLayers(): void {
    const canvases = this.sigma.getCanvases();
    // Layers for what is under the pointer are needed once something is, or is chosen.
    const isMarked = this.hovers || this.selected !== null || this.marked.length > 0;
    const used = { edges: this.graph.size > 0, edgeLabels: false, hovers: isMarked, hoverNodes: isMarked };
    for (const [name, isUsed] of Object.entries(used)) {
      const canvas = canvases[name];
      if (canvas) canvas.hidden = !isUsed;
    }
  }

  private hover(isOver: boolean): void {
    this.hovers = isOver;
    this.sigma.getContainer().classList.toggle("over-node", isOver);
    this.hideEmptyLayers();
  }

  private moved(): void {
    this.motion.moving = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.motion.moving = this.motion.rough = false;
      this.sigma.isRough = false;
      this.sigma.scheduleRender();
    }, REST_MS);
  }

  /** Marks a symbol and shows edges of the map that touch it. */
  select(id: string | null, edges: readonly (readonly [string, string])[] = []): void {
    for (const edge of this.added) if (this.graph.hasEdge(edge)) this.graph.dropEdge(edge);
    this.added = [];
    if (this.selected && this.selected !== id) this.paint(this.selected, false);
    this.selected = id !== null && this.graph.hasNode(id) ? id : null;
    if (this.selected) this.paint(this.selected, true);
    for (const [from, to] of edges.slice(0, 400)) {
      if (!this.graph.hasNode(from) || !this.graph.hasNode(to) || from === to || this.graph.hasEdge(from, to)) continue;
      this.added.push(this.graph.addEdge(from, to, { type: "arrow", size: 1.2, color: this.palette.accent }));
    }
    this.hideEmptyLayers();
  }

  /** Marks the symbols of files for a while, because they just changed. */
  flash(paths: ReadonlySet<string>, ms: number): void {
    const now = this.drawing.nodes.filter((node) => paths.has(node.file) && this.graph.hasNode(node.id)).map((node) => node.id);
    for (const id of now) this.graph.mergeNodeAttributes(id, { color: this.palette.accent, highlighted: now.length <= 12 });
    this.marked = now;
    this.hideEmptyLayers();
    setTimeout(() => {
      if (this.marked === now) for (const id of now) if (this.graph.hasNode(id)) this.paint(id, id === this.selected);
    }, ms);
  }

  private paint(id: string, strong: boolean): void {
    const node = this.nodes.get(id);
    if (!node) return;
    const attributes = nodeAttributes(strong ? { ...node, strong, size: Math.max(6, node.size) } : node, this.drawing, this.palette, this.fit);
    this.graph.mergeNodeAttributes(id, { ...attributes, highlighted: strong, forceLabel: strong || attributes["forceLabel"] });
  }

  /** Moves the camera to a symbol, if it is drawn. */
  lookAt(id: string, ratio: number): void {
    const data = this.sigma.getNodeDisplayData(id);
    if (data) void this.sigma.getCamera().animate({ x: data.x, y: data.y, ratio }, { duration: calmDuration() });
  }

  /** Moves the camera to the disc of a cluster. */
  lookAtDisc(at: number): void {
    const disc = this.drawing.discs[at];
    if (!disc) return;
    const centre = this.sigma.viewportToFramedGraph(this.sigma.graphToViewport(disc));
    const edge = this.sigma.viewportToFramedGraph(this.sigma.graphToViewport({ x: disc.x + disc.r, y: disc.y }));
    const ratio = Math.max(0.04, Math.abs(edge.x - centre.x) * 2.6);
    void this.sigma.getCamera().animate({ ...centre, ratio }, { duration: calmDuration() });
  }

  zoom(step: -1 | 0 | 1): void {
    const camera = this.sigma.getCamera();
    const options = { duration: calmDuration() };
    void (step === 0 ? camera.animatedReset(options) : step > 0 ? camera.animatedZoom(options) : camera.animatedUnzoom(options));
  }

  /** Takes the colours of a new theme. */
  recolour(): void {
    const [camera, selected] = [this.sigma.getCamera().getState(), this.selected];
    this.palette = readPalette();
    this.show(this.drawing);
    this.sigma.getCamera().setState(camera);
    this.select(selected);
  }

  /** Moves the camera in a circle for a time and counts frames; a measurement for people and tests. */
  async measure(ms: number): Promise<{ frames: number; fps: number; medianMs: number; p95Ms: number }> {
    const camera = this.sigma.getCamera();
    const start = performance.now();
    const spans: number[] = [];
    let last = start;
    while (last - start < ms) {
      const turn = ((last - start) / ms) * 2 * Math.PI;
      camera.setState({ x: 0.5 + 0.15 * Math.sin(turn), y: 0.5 + 0.15 * Math.cos(turn), ratio: 1 - 0.4 * Math.sin(turn / 2) });
      const now = await new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now())));
      spans.push(now - last);
      last = now;
    }
    spans.sort((one, other) => one - other);
    const at = (share: number): number => spans[Math.min(spans.length - 1, Math.floor(spans.length * share))] ?? 0;
    return { frames: spans.length, fps: (1000 * spans.length) / (last - start), medianMs: at(0.5), p95Ms: at(0.95) };
  }

  destroy(): void {
    clearTimeout(this.rest);
    this.sigma.kill();
  }
}

/** No animation for people who asked their system for less motion. */
function calmDuration(): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200;
}
