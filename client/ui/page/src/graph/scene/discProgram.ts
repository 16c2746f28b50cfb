import { NodeCircleProgram } from "sigma/rendering";
import type { NodeProgramType, ProgramInfo } from "sigma/rendering";
import type { RenderParams } from "sigma/types";

/**
 * Draws nodes as discs whose radius is part of the graph, so it grows with the zoom, unlike that of other nodes. A disc is not found
 * by the pointer, because it only is the ground of what lies on it.
 */
class DiscProgram extends NodeCircleProgram {
  override setUniforms(params: RenderParams, info: ProgramInfo): void {
    // The shader computes a size from these two; their quotient of a half makes it the size itself.
    super.setUniforms({ ...params, sizeRatio: params.correctionRatio * 2 }, info);
  }

  protected override renderProgram(params: RenderParams, info: ProgramInfo): void {
    if (!info.isPicking) super.renderProgram(params, info);
  }
}

export const discProgram = DiscProgram as unknown as NodeProgramType;
