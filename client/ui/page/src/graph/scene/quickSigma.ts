import Sigma from "sigma";

/** The parts of sigma that its types keep to themselves. */
interface Layers {
  webGLContexts: Record<string, WebGLRenderingContext>;
}

/**
 * Sigma that clears only layers with content while frames come slowly. It has three layers in WebGL and three more, and clearing one
 * makes the browser show it again, which costs more than 20,000 points do where no graphics card helps.
 */
export class QuickSigma extends Sigma {
  /** Whether only nodes, and edges if there are any, are drawn now. */
  isRough = false;

  override clear(): this {
    if (!this.isRough) return super.clear();
    const { webGLContexts } = this as unknown as Layers;
    const names = this.getGraph().size > 0 ? ["nodes", "edges"] : ["nodes"];
    for (const name of names) {
      const context = webGLContexts[name];
      context?.bindFramebuffer(context.FRAMEBUFFER, null);
      context?.clear(context.COLOR_BUFFER_BIT);
    }
    return this;
  }
}
