import type { ComponentType } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A view whose code is evaluated when it is first shown. The code is in the page already, so nothing is fetched. */
export function lazyView(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined;
  return function LazyView() {
    const [, setLoaded] = useState(loaded !== undefined);
    // Before the frame is drawn, so that keys pressed next find the view in place.
    useLayoutEffect(() => {
      if (loaded) return;
      void load().then((view) => {
        loaded = view;
        setLoaded(true);
      });
    }, []);
    const View = loaded;
    return View ? <View /> : null;
  };
}
