import type { Freshness } from "./types";

export interface ListDiff {
  added: unknown[];
  removed: unknown[];
}

export interface ChangedSymbol {
  symbolId: string;
  changeType: string;
  name: string;
  kind: string;
  file: string;
  range?: { startLine: number; endLine: number };
  previousName?: string;
  previousFile?: string;
  signatureDiff?: { before: string; after: string };
  invariantDiff?: ListDiff;
  sideEffectDiff?: ListDiff;
  bodyChanged: boolean;
  docChanged?: boolean;
  tiers?: Record<"interfaceStable" | "behaviorStable" | "sideEffectsStable" | "dependenciesStable", boolean>;
}

export interface AffectedSymbol {
  symbolId: string;
  name: string;
  file: string;
  reason: string;
  distance: number;
  rank: number;
  fanInTrend?: { previous: number; current: number };
}

export interface Truncation {
  droppedCards: number;
  droppedEdges: number;
  howToResume: string;
}

export interface DeltaAnswer {
  delta: {
    fromVersion: string;
    toVersion: string;
    changedSymbols: ChangedSymbol[];
    blastRadius: AffectedSymbol[];
    truncation?: Truncation;
  };
  amplifiers: { symbolId: string; name: string; growthRate: number; previous: number; current: number }[];
  freshness: Freshness;
}

export interface NamedPlace {
  symbolId: string;
  name: string;
  file: string;
  line?: number;
}

export interface RiskAnswer {
  analysis: {
    fromVersion: string;
    toVersion: string;
    riskScore: number;
    riskLevel: string;
    parts: { name: string; weight: number; value: number; points: number; why: string }[];
    findings: { type: string; severity: string; score: number; message: string; affectedSymbols: NamedPlace[] }[];
    recommendedTests: { type: string; priority: string; description: string; targetSymbols: NamedPlace[] }[];
    changedSymbolsCount: number;
    blastRadiusCount: number;
  };
  escalationRequired: boolean;
  policyDecision: { decision: string; deniedReasons: string[]; auditHash: string };
  freshness: Freshness;
}
