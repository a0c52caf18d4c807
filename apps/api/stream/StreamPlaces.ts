/**
 * Limits the number of open streams of one process, per API key and per workspace.
 *
 * A slot is taken when a stream is requested, and freed when its answer or its connection closes. Every process counts
 * separately.
 */
import { Context } from "effect"

/** Maximum numbers of open streams in one process. */
export interface Limits {
  readonly perKey: number
  readonly perWorkspace: number
}

export const defaultLimits: Limits = { perKey: 200, perWorkspace: 1_000 }

/** The limits of the installation. */
export const StreamLimits: Context.Reference<Limits> = Context.Reference("sluice/apps/api/stream/StreamLimits", {
  defaultValue: () => defaultLimits
})

/** The key that a stream is served for. */
export interface StreamOwner {
  readonly workspaceId: string
  /** The API key of the request, or another identity without a key. */
  readonly key: string
}

/** The exhausted limit. */
export interface ExhaustedLimit {
  readonly scope: "key" | "workspace"
  readonly limit: number
}

export interface Places {
  /** Takes a slot and returns an idempotent function that frees it; or the exhausted limit. */
  readonly take: (holder: StreamOwner) => (() => void) | ExhaustedLimit
}

/** The slots of a process, all free. */
export const make = ({ perKey, perWorkspace }: Limits): Places => {
  const open = { key: new Map<string, number>(), workspace: new Map<string, number>() }

  const change = (counts: Map<string, number>, name: string, by: 1 | -1) => {
    const count = (counts.get(name) ?? 0) + by
    if (count === 0) counts.delete(name)
    else counts.set(name, count)
  }

  return {
    take: ({ key: bare, workspaceId }) => {
      const key = `${workspaceId} ${bare}`
      if ((open.key.get(key) ?? 0) >= perKey) return { scope: "key", limit: perKey }
      if ((open.workspace.get(workspaceId) ?? 0) >= perWorkspace) return { scope: "workspace", limit: perWorkspace }
      let isTaken = true
      change(open.key, key, 1)
      change(open.workspace, workspaceId, 1)
      return () => {
        if (!isTaken) return
        isTaken = false
        change(open.key, key, -1)
        change(open.workspace, workspaceId, -1)
      }
    }
  }
}
