import { NodePointProgram } from "sigma/rendering";
import type { NodeProgramType, ProgramInfo } from "sigma/rendering";
import type { RenderParams } from "sigma/types";

/** Whether the camera moves now. */
export interface Motion {
  moving: boolean;
}

/**
 * Draws nodes as points, one vertex each, because discs of triangles are several times slower where no graphics card helps. While
 * the camera moves, the hidden copy that tells which node is under the pointer is not drawn.
 */
export function pointProgram(motion: Motion): NodeProgramType {
  class MovingPoints extends NodePointProgram {
    protected override renderProgram(params: RenderParams, info: ProgramInfo): void {
      if (!(info.isPicking && motion.moving)) super.renderProgram(params, info);
    }
  }
  return MovingPoints as unknown as NodeProgramType;
}
