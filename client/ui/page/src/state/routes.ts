/** The views of the page. */
export const VIEWS = ["repository", "graph", "delta", "agents"] as const;
export type View = (typeof VIEWS)[number];

/** A place in the page: a view with what it shows. All values are text from a person or the daemon. */
export interface Route {
  view: View;
  params: Readonly<Record<string, string>>;
}

/** The parameters that each view knows, in the order in which a link has them. */
const KNOWN: Record<View, readonly string[]> = {
  repository: ["repo"],
  graph: ["repo", "mode", "symbol", "at", "open", "from", "to", "since", "q", "cluster", "tests", "links"],
  delta: ["repo", "from", "to"],
  agents: ["repo", "part"],
};

/** Longest value of a parameter that is taken from a link, in characters. */
const MAX_VALUE_CHARS = 4_000;

function isView(name: string): name is View {
  return (VIEWS as readonly string[]).includes(name);
}

/** Reads a fragment, such as `#/graph?repo=shop`. Unknown views and parameters are left out. */
export function parseRoute(fragment: string): Route {
  const text = fragment.replace(/^#\/?/, "");
  const [name = "", query = ""] = split(text, "?");
  const view = isView(name) ? name : "repository";
  const given = new URLSearchParams(query);
  const params: Record<string, string> = {};
  for (const key of KNOWN[view]) {
    const value = given.get(key);
    if (value) params[key] = value.slice(0, MAX_VALUE_CHARS);
  }
  return { view, params };
}

/** Writes a route as a fragment. Values are percent-encoded, so none can leave its place. */
export function formatRoute(route: Route): string {
  const query = new URLSearchParams();
  for (const key of KNOWN[route.view]) {
    const value = route.params[key];
    if (value) query.set(key, value);
  }
  const text = query.toString();
  return text === "" ? `#/${route.view}` : `#/${route.view}?${text}`;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Reads a list from a parameter: `a,b`. */
export function readList(value: string | undefined): string[] {
  return value ? value.split(",").filter((item) => item !== "") : [];
}
