import type { Settings } from "sigma/settings";
import type { NodeDisplayData, PartialButFor } from "sigma/types";
import type { Palette } from "../palette";

type Labelled = PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">;

/** Draws names with a rim of the ground's colour, so that they can be read over edges. */
export function drawLabel(palette: () => Palette) {
  return (context: CanvasRenderingContext2D, data: Labelled, settings: Settings): void => {
    if (!data.label) return;
    const { ground, text, accent } = palette();
    context.font = `${data["strong"] ? 600 : 400} ${settings.labelSize}px ${settings.labelFont}`;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = ground;
    const [x, y] = [data.x + data.size + 4, data.y + settings.labelSize / 3];
    context.strokeText(data.label, x, y);
    context.fillStyle = data["strong"] ? accent : text;
    context.fillText(data.label, x, y);
  };
}

/** Draws the name of the node under the pointer in a box. */
export function drawHover(palette: () => Palette) {
  return (context: CanvasRenderingContext2D, data: Labelled, settings: Settings): void => {
    const { ground, text, accent } = palette();
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.stroke();
    if (!data.label) return;
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(data.label).width;
    const [x, y] = [data.x + data.size + 4, data.y + settings.labelSize / 3];
    context.fillStyle = ground;
    context.strokeStyle = accent;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x - 4, data.y - 10, width + 8, 20, 4);
    context.fill();
    context.stroke();
    context.fillStyle = text;
    context.fillText(data.label, x, y);
  };
}
