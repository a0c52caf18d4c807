/**
 * What processes say of the runs that they execute: their name in leases, and how many they give one workspace. Processes
 * of the version before say neither.
 */
export const workerShares: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  "alter table processes add column worker text, add column workspace_runs integer"
]
