/**
 * Links to artifacts, signed with a secret of the installation.
 */
import { Clock, Effect, Layer, Option } from "effect"
import type { Links } from "../../core/event/EventJson.ts"
import { ArtifactLinks } from "../../core/run/artifact/ArtifactLinks.ts"
import { InstallationKey } from "../../core/vault/keys/InstallationKey.ts"
import { signedUrlTtlSeconds } from "../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as Signatures from "./Signatures.ts"
import * as Tickets from "./Tickets.ts"

/** Lifetime of the live view address in the start event of a run, in milliseconds. */
const liveMillis = 3_600_000

/** Signs links with a key that is derived from the key of the installation. */
export const layer = Layer.effect(
  ArtifactLinks,
  Effect.gen(function* () {
    const { key } = yield* InstallationKey
    const workspaces = yield* WorkspaceStore
    const tickets = Tickets.make(key)
    const { matches, sign } = Signatures.make(key, "sluice artifact links")

    const lasting = (origin: string, millis: number) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now): Links => ({
          artifact: (id) => {
            const expires = String(now + millis)
            const url = `${origin}/artifacts/${id}?expires=${expires}&signature=${sign(`${id}.${expires}`)}`
            return { url, expires: new Date(now + millis).toISOString() }
          },
          liveView: (id) => `${origin}/live/${id}#view=${tickets.issue(id, now + liveMillis)}`
        })
      )

    return ArtifactLinks.of({
      lasting,
      under: Effect.fnUntraced(function* (origin, workspaceId) {
        const workspace = Option.getOrUndefined(yield* workspaces.get(workspaceId))
        return yield* lasting(origin, (workspace?.signedUrlTtlSeconds ?? signedUrlTtlSeconds.minimum) * 1_000)
      }),
      verify: (id, expires, signature) =>
        Effect.map(Clock.currentTimeMillis, (now) => matches(`${id}.${expires}`, signature) && Number(expires) > now)
    })
  })
)
