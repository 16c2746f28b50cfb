import { NodePointProgram } from "sigma/rendering";
import type { NodeProgramType, ProgramInfo } from "sigma/rendering";
import type { RenderParams } from "sigma/types";

/** Points that are drawn while frames come slowly: the last ones, which have most edges. */
const MAX_ROUGH_POINTS = 5_000;

/** Whether the camera moves now. */
export interface Motion {
  moving: boolean;
  /** Whether frames come slowly meanwhile. */
  rough: boolean;
}

/**
 * Draws nodes as points, one vertex each, because discs of triangles are several times slower where no graphics card helps. While
 * the camera moves, the hidden copy that tells which node is under the pointer is not drawn, and of very many points only some.
 */
export function pointProgram(motion: Motion): NodeProgramType {
  class MovingPoints extends NodePointProgram {
    protected override renderProgram(params: RenderParams, info: ProgramInfo): void {
      if (!(info.isPicking && motion.moving)) super.renderProgram(params, info);
    }

    override drawWebGL(method: number, info: ProgramInfo): void {
      const left = this.verticesCount - MAX_ROUGH_POINTS;
      if (!motion.rough || left <= 0) return super.drawWebGL(method, info);
      info.gl.bindFramebuffer(info.gl.FRAMEBUFFER, info.frameBuffer);
      info.gl.drawArrays(method, left, MAX_ROUGH_POINTS);
    }
  }
  return MovingPoints as unknown as NodeProgramType;
}
