import { layOutMap, type MapInput } from "./map";

/** Lays out one map, so that the page stays quick meanwhile. */
self.onmessage = (event: MessageEvent<MapInput>) => {
  const layout = layOutMap(event.data);
  self.postMessage(layout);
};
