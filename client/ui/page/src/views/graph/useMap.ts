import { useEffect, useMemo, useState } from "preact/hooks";
import { readGraph } from "../../api/client";
import { drawMap } from "../../graph/drawings/map";
import { askLayout } from "../../graph/layout/ask";
import type { MapLayout } from "../../graph/layout/map";
import { buildModel, edgesAt, membersOf, symbolAt, type Model } from "../../graph/model";
import { useAnswer } from "../../state/answer";
import { headVersion } from "../../state/repo";
import { changeParams, param } from "../../state/route";
import { daemon, server } from "../../state/session";
import { countOf, formatCount } from "../../text/format";
import type { ListGroup, ListItem, Picture } from "./picture";

/** How long a new version must be the newest before the map is read again, in milliseconds. */
const SETTLE_MS = 900;
/** Symbols of a cluster in the list. */
const MAX_MEMBERS = 200;

export interface MapPicture extends Picture {
  model: Model | null;
  /** The edges that touch a symbol, by ids. */
  edgesOf: (id: string) => [string, string][];
}

/** The newest version, once it has been the newest for a while. */
function useSettledVersion(repo: string): string {
  const newest = headVersion.value;
  const [settled, setSettled] = useState({ repo, version: newest });
  // Another repository has no map yet, so there is nothing to wait for.
  const current = settled.repo === repo && settled.version !== "" ? settled.version : newest;
  useEffect(() => {
    if (current === newest) return setSettled({ repo, version: newest });
    const timer = setTimeout(() => setSettled({ repo, version: newest }), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [repo, newest]);
  return current;
}

/** The map of the whole repository. */
export function useMap(active: boolean, repo: string): MapPicture {
  const version = useSettledVersion(repo);
  // Before the state of the daemon is here, the version is not known and the map would be read twice.
  const isKnown = version !== "" || daemon.value.status !== null;
  const read = useAnswer(active && repo !== "" && isKnown ? `${repo} ${version}` : "", async (signal) => {
    const model = buildModel(await readGraph(server, repo, signal));
    const { clusterOf, from, to } = model;
    const layout = await askLayout({ clusterOf, clusterCount: model.clusters.length, from, to }, signal);
    return { model, layout };
  });
  const withEdges = param("links") === "all";
  const drawing = useMemo(() => (read.data ? drawMap(read.data.model, read.data.layout as MapLayout, withEdges) : null), [read.data, withEdges]);
  const model = read.data?.model ?? null;
  const opened = param("cluster");
  const groups = useMemo(() => (model ? listClusters(model, opened) : []), [model, opened]);
  return {
    drawing,
    groups,
    model,
    title: `Map of ${repo}`,
    note: model ? `${countOf(model.count, "symbol")}, ${countOf(model.from.length, "edge")}, ${countOf(model.clusters.length, "cluster")} · ${model.version}` : "",
    hint: model && model.count === 0 ? "This repository has no symbols. The Repository view lists files that were left out, with the reason for each." : "",
    failure: read.failure,
    busy: read.busy,
    reload: read.reload,
    edgesOf: (id) => {
      const number = model?.numbers.get(id);
      if (!model || number === undefined) return [];
      const ids = model.columns.nodes.id;
      return edgesAt(model, number).map(([from, to]) => [ids[from] ?? "", ids[to] ?? ""]);
    },
  };
}

/** Clusters, and the symbols of those that are open. */
function listClusters(model: Model, opened: string): ListGroup[] {
  const members = membersOf(model);
  const items: ListItem[] = model.clusters.flatMap((name, cluster) => {
    const list = members[cluster] ?? [];
    const unfolded = opened === String(cluster);
    const head: ListItem = {
      id: `cluster ${cluster}`,
      name: name || "no cluster",
      kind: "cluster",
      place: "",
      note: formatCount(list.length),
      unfolded,
      onFold: () => changeParams({ cluster: unfolded ? "" : String(cluster) }, true),
    };
    return unfolded ? [head, ...list.slice(0, MAX_MEMBERS).map((number) => memberItem(model, number))] : [head];
  });
  return [{ title: "Clusters", items }];
}

function memberItem(model: Model, number: number): ListItem {
  const { symbolId, name, kind, file, line } = symbolAt(model, number);
  return { id: symbolId, name, kind, place: `${file}:${line}`, depth: 1, note: formatCount(model.degree[number] ?? 0) };
}
