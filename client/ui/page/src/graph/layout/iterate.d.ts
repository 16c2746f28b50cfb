/** The inner step of ForceAtlas2 over plain arrays; the package has no types for it. */
declare module "graphology-layout-forceatlas2/iterate.js" {
  export default function iterate(settings: object, nodes: Float32Array, edges: Float32Array): void;
}
