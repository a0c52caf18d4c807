/**
 * Exchanges the master key: wraps every key anew that is not under the present one, and seals anew what was once sealed
 * under a master key itself. Each step stands by itself, so this may be stopped anywhere, and run again or twice at once.
 */
import { Effect, Result } from "effect"
import { WebhookStore } from "../../event/webhook/Webhook.ts"
import { WebhookSecrets } from "../../event/webhook/WebhookSecrets.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { KeyWrapping, type WrappedKey, WrappedKeys } from "./WrappedKeys.ts"

export interface Rotated {
  /** How many keys were wrapped anew. */
  readonly rewrapped: number
  /** How many were under the present master key already. */
  readonly kept: number
  /** How many secrets of webhooks were sealed anew. */
  readonly resealed: number
  /** The secrets of webhooks that no master key of this process opens: each must be set anew by its owner. */
  readonly unreadable: ReadonlyArray<string>
}

export const run = Effect.fn("MasterRotation.run")(function* () {
  const stored = yield* WrappedKeys
  const wrapping = yield* KeyWrapping
  const { resealed, unreadable } = yield* resealSecrets
  const isOld = ({ under }: WrappedKey) => under !== wrapping.present
  let rewrapped = 0
  let kept = 0
  while (true) {
    const known = yield* stored.list
    if (rewrapped === 0) kept = known.filter((key) => !isOld(key)).length
    const old = known.filter(isOld)
    if (old.length === 0) return { rewrapped, kept, resealed, unreadable } satisfies Rotated as Rotated
    // By the installation's key processes tell what new keys are to be wrapped with.
    for (const key of old.toSorted((a, b) => rank(a) - rank(b))) {
      const opened = yield* Effect.orDie(wrapping.unwrap(key))
      const wrapped = yield* wrapping.wrap(key, opened.key, wrapping.present)
      if (yield* stored.rewrap(key, { wrapped, under: wrapping.present })) rewrapped++
    }
  }
})

const rank = ({ owner }: WrappedKey) => (owner === "installation" ? 0 : 1)

/** Secrets of webhooks that are older than the installation's key go under that one. */
const resealSecrets = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const webhooks = yield* WebhookStore
  const secrets = yield* WebhookSecrets
  const unreadable: Array<string> = []
  let resealed = 0
  for (const workspace of yield* workspaces.list) {
    for (const { id, sealedSecret } of yield* webhooks.list(workspace.id)) {
      const renewed = yield* Effect.option(secrets.renew(sealedSecret))
      if (renewed._tag === "None") unreadable.push(id)
      else if (renewed.value !== sealedSecret) {
        yield* webhooks
          .change(workspace.id, id, (before) =>
            Result.succeed(before.sealedSecret === sealedSecret ? { ...before, sealedSecret: renewed.value } : before)
          )
          .pipe(Effect.catchTag("KeyTaken", Effect.die))
        resealed++
      }
    }
  }
  return { resealed, unreadable }
})
