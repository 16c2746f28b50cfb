import type { Json } from "./types";

export interface UsageRow {
  name: string;
  calls: number;
  tokensServed: number;
  tokensOfFilesRead: number;
}

export interface UsageStats {
  scope: string;
  calls: number;
  failedCalls: number;
  tokensServed: number;
  filesRead: number;
  tokensOfFilesRead: number;
  saved: number;
  byAction: UsageRow[];
  byRung: UsageRow[];
}

export interface SessionRow {
  sessionId: string;
  agent?: string;
  client: string;
  repoIds: string[];
  task?: string;
  since: number;
  lastCallMs: number;
  ended?: boolean;
  touched?: string[];
  dispatches?: string[];
}

export interface DispatchRow {
  dispatchId: string;
  title: string;
  state: string;
  to?: string;
  from: string;
  holder?: string;
  leaseUntil?: number;
  percent?: number;
  note?: string;
  updatedAt: number;
}

/** A held slice, if the server can list them. */
export interface SliceLease {
  sliceHandle: string;
  repoId: string;
  cards: number;
  version: string;
  expiresAt: number;
}

export interface AuditRow {
  seq: number;
  atMs: number;
  repoId: string;
  client: string;
  principal?: string;
  action: string;
  decision: string;
  breakGlass: boolean;
  version: string;
  why: string[];
  details: { [key: string]: Json };
}

export interface AuditShow {
  rows: { row: AuditRow; hash: string; holds: boolean }[];
}

export interface AuditVerified {
  ok: boolean;
  rows: number;
  head: string;
  faults: string[];
  acknowledged?: string[];
}

export interface Policy {
  maxWindowLines: number;
  maxWindowTokens: number;
  requireIdentifiers: boolean;
  allowBreakGlass: boolean;
  defaultDenyRaw: boolean;
  utilityThreshold: number;
  redactSecrets: boolean;
  budgetCaps: { maxCards: number; maxEstimatedTokens: number };
}

export interface PolicyAnswer {
  policy: Policy;
  ceiling: Policy;
  clamped?: string[];
  warnings?: string[];
}
