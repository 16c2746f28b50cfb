import { computed, signal } from "@preact/signals";
import { formatRoute, parseRoute, type Route, type View } from "./routes";

/** The place that the address names. */
export const route = signal<Route>(parseRoute(globalThis.location?.hash ?? ""));

export const view = computed(() => route.value.view);

/** One parameter of the place; empty if it has none. */
export function param(name: string): string {
  return route.value.params[name] ?? "";
}

/** A link to a view; the repository stays. */
export function linkTo(view: View, params: Record<string, string>): string {
  return formatRoute({ view, params: { repo: param("repo"), ...params } });
}

/** Goes to a place. `replace` leaves no entry in the history. */
export function goTo(view: View, params: Record<string, string>, replace = false): void {
  const fragment = linkTo(view, params);
  if (replace) history.replaceState(null, "", fragment);
  else history.pushState(null, "", fragment);
  route.value = parseRoute(fragment);
}

/** Changes parameters of the present place; an empty value drops one. */
export function changeParams(patch: Record<string, string>, replace = false): void {
  goTo(route.value.view, { ...route.value.params, ...patch }, replace);
}

/** Follows the back button and links. */
export function followAddress(): void {
  const read = (): void => {
    route.value = parseRoute(location.hash);
  };
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
}
