/**
 * What workspaces have of their storage, as a process knows it: looked up at most once a minute for a workspace, with what
 * the process itself kept since. Without a share nothing is looked up.
 */
import { Clock, Effect } from "effect"
import { inBrackets, SettingNames } from "../../runtime/SettingNames.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { ArtifactStore } from "./ArtifactStore.ts"

/** Why a workspace cannot keep so many bytes more; `null` when it can. */
export type IsFull = (bytes: number) => string | null

/** How long a look is taken for true, in milliseconds. */
const freshMillis = 60_000

export const make = Effect.fnUntraced(function* (share: number | null) {
  const store = yield* ArtifactStore
  const setting = inBrackets(yield* SettingNames, "workspaceStorage")
  const uses = new Map<WorkspaceId, { bytes: number; readonly at: number }>()

  const of = Effect.fnUntraced(function* (workspaceId: WorkspaceId): Effect.fn.Return<IsFull, StoreUnavailable> {
    if (share === null) return () => null
    const now = yield* Clock.currentTimeMillis
    for (const [id, { at }] of uses) if (now - at >= freshMillis) uses.delete(id)
    const use = uses.get(workspaceId) ?? { bytes: yield* store.usedBy(workspaceId), at: now }
    uses.set(workspaceId, use)
    return (bytes: number) =>
      use.bytes + bytes > share
        ? `the artifacts of its workspace would be more than ${share} bytes together${setting}`
        : null
  })

  return {
    /** Whether a workspace is full, until the next look. */
    of,
    /** Counts bytes that were kept. */
    add: (workspaceId: WorkspaceId, bytes: number): void => {
      const use = uses.get(workspaceId)
      if (use !== undefined) use.bytes += bytes
    }
  }
})
