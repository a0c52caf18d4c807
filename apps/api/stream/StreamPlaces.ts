/**
 * How many streams one process serves at once: in all of one API key, and of one workspace.
 *
 * A place is taken when a stream is asked for, and is free again when its answer or its connection is closed for any
 * reason. Every process counts for itself.
 */
import { Context } from "effect"

/** How many streams may be open at once in one process. */
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
export interface Holder {
  readonly workspaceId: string
  /** The key that it was asked for with, or what it is counted by where there is none. */
  readonly key: string
}

/** The limit that leaves no place. */
export interface Full {
  readonly scope: "key" | "workspace"
  readonly limit: number
}

export interface Places {
  /** Takes a place and returns what frees it, any number of times; or the limit that leaves none. */
  readonly take: (holder: Holder) => (() => void) | Full
}

/** The places of a process, all of them free. */
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
