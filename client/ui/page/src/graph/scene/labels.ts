import type { Settings } from "sigma/settings";
import type { NodeDisplayData, PartialButFor } from "sigma/types";
import type { Palette } from "../palette";

type Labelled = PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">;

/** Where a name begins, on the side that its node asks for. */
function labelPlace(width: number, data: Labelled, settings: Settings): { x: number; y: number } {
  const middle = data.y + settings.labelSize / 3;
  if (data["side"] === "left") return { x: data.x - data.size - 4 - width, y: middle };
  if (data["side"] === "above") return { x: data.x - width / 2, y: data.y - data.size - 8 };
  return { x: data.x + data.size + 4, y: middle };
}

/** Draws names with a rim of the ground's colour, so that they can be read over edges. */
export function drawLabel(palette: () => Palette) {
  return (context: CanvasRenderingContext2D, data: Labelled, settings: Settings): void => {
    if (!data.label) return;
    const { ground, text, accent } = palette();
    context.font = `${data["strong"] ? 600 : 400} ${settings.labelSize}px ${settings.labelFont}`;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = ground;
    const { x, y } = labelPlace(context.measureText(data.label).width, data, settings);
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
    const { x, y } = labelPlace(width, data, settings);
    context.fillStyle = ground;
    context.strokeStyle = accent;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x - 4, y - settings.labelSize - 2, width + 8, 20, 4);
    context.fill();
    context.stroke();
    context.fillStyle = text;
    context.fillText(data.label, x, y);
  };
}
