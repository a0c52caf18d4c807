/**
 * Which limit keeps a run that may start from a place of a worker.
 */
import { Schema } from "effect"
import type { WorkerPlaces } from "../../gate/WorkerCapacity.ts"

/**
 * `workspace_runs`: its workspace has all places that it may have of each worker with a free one. `concurrency`: no worker
 * has a free place.
 */
export const PlaceLimit = Schema.Literals(["workspace_runs", "concurrency"])
export type PlaceLimit = typeof PlaceLimit.Type

/** The runs in progress of one worker. */
export interface InProgress {
  /** Its name in leases. */
  readonly worker: string
  readonly runs: number
  /** Those of the workspace that asks. */
  readonly own: number
}

/** The limit that a run of a workspace waits for; `null` where a worker has a place for it, and where there is none. */
export const of = (workers: ReadonlyArray<WorkerPlaces>, inProgress: ReadonlyArray<InProgress>): PlaceLimit | null => {
  const used = new Map(inProgress.map((one) => [one.worker, one]))
  const free = workers.filter(({ capacity, name }) => (used.get(name)?.runs ?? 0) < capacity)
  if (free.length === 0) return workers.length === 0 ? null : "concurrency"
  return free.every(({ name, workspaceRuns }) => (used.get(name)?.own ?? 0) >= workspaceRuns) ? "workspace_runs" : null
}
