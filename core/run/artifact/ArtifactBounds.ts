/**
 * How much a run may keep.
 */
import type { ArtifactUsage, Kind } from "./ArtifactStore.ts"

const mebibyte = 1_048_576

/** The largest artifact of each kind, in bytes. */
export const maxBytes: Readonly<Record<Kind, number>> = {
  screenshot: 25 * mebibyte,
  snapshot: 25 * mebibyte,
  video: 200 * mebibyte,
  file: 100 * mebibyte
}

/** How many of each kind a run keeps, over all its attempts. */
export const maxCount: Readonly<Record<Kind, number>> = { screenshot: 5_000, snapshot: 5_000, video: 50, file: 1_000 }

/** How many bytes a run keeps, over all its attempts. */
export const maxBytesOfRun = 2_048 * mebibyte

/** Why a run cannot keep another artifact of this size beside what it has; `null` when it can. */
export const refusal = (used: ArtifactUsage, kind: Kind, bytes: number): string | null => {
  if (bytes > maxBytes[kind]) return `it is larger than ${maxBytes[kind]} bytes, the most that a ${kind} may have`
  if (used.count[kind] >= maxCount[kind])
    return `the run has ${maxCount[kind]} of its kind already, the most it may keep`
  if (used.bytes + bytes > maxBytesOfRun)
    return `the artifacts of the run would be more than ${maxBytesOfRun} bytes together`
  return null
}

/** The totals of a run with another artifact. */
export const beside = (used: ArtifactUsage, kind: Kind, bytes: number): ArtifactUsage => ({
  bytes: used.bytes + bytes,
  count: { ...used.count, [kind]: used.count[kind] + 1 }
})
