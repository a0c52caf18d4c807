/**
 * Addresses of artifacts that work without a key, for a while.
 */

import { Context, type Effect } from "effect"
import type { Links } from "../../event/EventJson.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"

export class ArtifactLinks extends Context.Service<
  ArtifactLinks,
  {
    /**
     * Makes addresses of artifacts under `origin`: `/artifacts/{id}` with `expires` and `signature`. Each works from this
     * call for as long as the workspace has set.
     */
    readonly under: (origin: string, workspaceId: WorkspaceId) => Effect.Effect<Links, StoreUnavailable>
    /** The same with another validity, in milliseconds. */
    readonly lasting: (origin: string, millis: number) => Effect.Effect<Links>
    /** Returns whether a signature is that of this artifact and this expiry, and the expiry is not over. */
    readonly verify: (id: string, expires: string, signature: string) => Effect.Effect<boolean>
  }
>()("sluice/core/run/artifact/ArtifactLinks") {}
