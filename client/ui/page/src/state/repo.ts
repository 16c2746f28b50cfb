import { computed } from "@preact/signals";
import type { StatusRepo } from "../api/types";
import { versions } from "./live";
import { route } from "./route";
import { daemon } from "./session";

/** The repositories of the daemon. */
export const repos = computed<readonly StatusRepo[]>(() => daemon.value.status?.repos ?? []);

/** The repository at hand: the one of the address, else the first. */
export const repoId = computed(() => route.value.params["repo"] || repos.value[0]?.repoId || "");

/** Its newest version that is known; empty if none is. */
export const headVersion = computed(() => {
  const seen = versions.value.find((version) => version.repo === repoId.value)?.version ?? "";
  const told = repos.value.find((repo) => repo.repoId === repoId.value)?.ledgerVersion ?? "";
  return seen > told ? seen : told;
});
