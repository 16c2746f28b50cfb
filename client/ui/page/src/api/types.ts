/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A repository in columns, as `/api/graph` gives it. */
export interface GraphColumns {
  version: string;
  nodes: { id: string[]; name: string[]; kind: string[]; file: number[]; line: number[]; cluster: string[] };
  files: string[];
  /** Places in the node columns, from 0. */
  edges: { from: number[]; to: number[]; kind: string[] };
}

export interface Freshness {
  version: string;
  synced?: boolean;
  lagMs: number;
  reason?: string;
}

export interface Watcher {
  kind: string;
  watches: number;
  lastEventMs?: number | null;
  degradedReason?: string | null;
}

export interface StatusRepo {
  repoId: string;
  rootPath: string;
  state: string;
  health: string;
  reason?: string | null;
  ledgerVersion?: string | null;
  progress?: { done: number; total?: number } | null;
  watcher?: Watcher;
}

/** The answer of `daemon/status`. `cpuMs` is there if the server adds it. */
export interface DaemonStatus {
  healthy: boolean;
  pid: number;
  version: string;
  build: string;
  uptimeMs: number;
  stateDir: string;
  memory: { resident: number; private: number };
  cpuMs?: number;
  warnings: string[];
  repos: StatusRepo[];
}

export interface RepoStatus {
  repoId: string;
  rootPath: string;
  ledgerVersion?: string;
  head?: { branch?: string; commit?: string; commitTime?: number };
  gitProblem?: string;
  state: string;
  progress?: { done: number; total?: number };
  files?: number;
  generated?: number;
  symbols?: number;
  edges?: number;
  skipped?: Record<string, number>;
  failed?: number;
  languages?: Record<string, number>;
  watcher: Watcher;
  resolution?: Record<"exact" | "inferred" | "ambiguous" | "external" | "unresolved", number>;
  health: string;
  healthReason?: string;
  filesWithoutFacts?: { file: string; reason: string }[];
  freshness: Freshness;
}

export interface SymbolRow {
  symbolId: string;
  name: string;
  kind: string;
  file: string;
  line: number;
}

export interface Hotspot extends SymbolRow {
  fanIn: number;
  fanOut: number;
  churn30d?: number;
  reason: string;
}

export interface RepoOverview {
  directories?: { path: string; files: number; symbols: number; exported: number; languages: Record<string, number> }[];
  hotspots?: Hotspot[];
  entryPoints?: Hotspot[];
  clusters?: { label: string; files: number; hub?: string; cohesion: number; dependsOn: string[] }[];
  layers?: { level: number; directories: string[] }[];
}

export interface SearchAnswer {
  results: (SymbolRow & { qualifiedName?: string; exported: boolean; score: number })[];
  total: number;
  nearMisses?: (SymbolRow & { qualifiedName?: string })[];
  freshness: Freshness;
}

export interface Dep {
  symbolId: string;
  name: string;
  confidence: number;
  resolution: string;
}

export interface Param {
  name: string;
  type?: string;
  optional?: boolean;
}

export interface Card {
  symbolId: string;
  name: string;
  qualifiedName?: string;
  kind: string;
  exported: boolean;
  file: string;
  range: { startLine: number; endLine: number };
  signature?: { params?: Param[]; returns?: string; generics?: string; header?: string };
  summary?: string;
  deps?: { calls?: Dep[]; imports?: Dep[]; implements?: Dep[]; refs?: Dep[]; omitted?: number };
  invariants?: string[];
  sideEffects?: { kind: string; what: string }[];
  metrics?: { fanIn: number; fanOut: number; churn30d?: number; testRefs?: number };
  cluster?: string;
  processes?: string[];
  etag: string;
}

export interface CardAnswer {
  card?: Card;
  outside?: { name: string; package: string; version?: string; signature: string; at: number }[];
  freshness: Freshness;
}

export interface RelatedRow extends SymbolRow {
  depth: number;
  of?: string;
  at?: number;
  sites?: number;
  text?: string;
  test?: boolean;
  edge?: string;
  resolution?: string;
  strategy?: string;
  confidence?: number;
  through?: string;
}

export interface RelatedAnswer {
  of: SymbolRow[];
  want: string;
  related: RelatedRow[];
  total: number;
  completeness: string;
  unresolvedFiles?: string[];
  freshness: Freshness;
}

export interface Hop extends SymbolRow {
  at?: number;
  text?: string;
  edge: string;
  resolution: string;
  strategy: string;
  confidence: number;
  through?: string;
}

export interface PathAnswer {
  ways: { from: SymbolRow; hops: Hop[]; confidence: number }[];
  edges: string;
  remark?: string;
  freshness: Freshness;
}

export interface Dependent extends SymbolRow {
  distance: number;
  rank: number;
  exported: boolean;
  test: boolean;
  towards: string;
  edge: string;
  resolution: string;
  confidence: number;
  through?: string;
}

export interface ImpactAnswer {
  changed: SymbolRow[];
  counts: Record<"changed" | "direct" | "transitive" | "exported" | "files" | "tests" | "guessed", number>;
  processes?: string[];
  dependents?: Dependent[];
  tests?: { id: string; file: string; line: number; distance: number; way: string[] }[];
  commands?: string[];
  total: number;
  completeness: string;
  freshness: Freshness;
}
