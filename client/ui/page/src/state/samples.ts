import { signal } from "@preact/signals";
import type { DaemonStatus } from "../api/types";

/** What the daemon used at a moment. `cpu` is the share of one core since the sample before, or null if unknown. */
export interface Sample {
  at: number;
  privateBytes: number;
  cpu: number | null;
}

const MAX_SAMPLES = 120;

/** The newest samples, oldest first. */
export const samples = signal<readonly Sample[]>([]);
let lastCpuMs: number | null = null;

/** Adds what a state says to the samples. */
export function addSample(status: DaemonStatus, at: number): void {
  const before = samples.value.at(-1);
  const spent = status.cpuMs !== undefined && lastCpuMs !== null ? status.cpuMs - lastCpuMs : null;
  const cpu = spent !== null && before && at > before.at ? Math.max(0, spent) / (at - before.at) : null;
  lastCpuMs = status.cpuMs ?? null;
  samples.value = [...samples.value, { at, privateBytes: status.memory.private, cpu }].slice(-MAX_SAMPLES);
}
