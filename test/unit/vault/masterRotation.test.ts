import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { Tables } from "../../../adapters/memory/Tables.ts"
import { WebhookStore } from "../../../core/event/webhook/Webhook.ts"
import { WebhookSecrets } from "../../../core/event/webhook/WebhookSecrets.ts"
import { EncryptionKeys } from "../../../core/vault/keys/EncryptionKeys.ts"
import { InstallationKey } from "../../../core/vault/keys/InstallationKey.ts"
import * as MasterRotation from "../../../core/vault/keys/MasterRotation.ts"
import { dying, fresh, newer, older, started } from "../../support/exchange.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import { webhook } from "../../support/webhooks.ts"

it.effect(
  "the master key is exchanged, killed before or after any write whatsoever: every start with both keys opens all",
  () =>
    Effect.gen(function* () {
      let ended = false
      let halves = 0
      for (let at = 0; !ended; at++) {
        for (const after of [false, true]) {
          ended = yield* fresh(
            Effect.gen(function* () {
              const workspaces = [yield* makeWorkspace(), yield* makeWorkspace(), yield* makeWorkspace()]
              const keysOf = Effect.gen(function* () {
                const keys = yield* EncryptionKeys
                const own = yield* Effect.forEach(workspaces, ({ workspaceId }) => keys.of(workspaceId))
                return [...own, (yield* InstallationKey).key].map(Redacted.value)
              })
              const before = yield* started(keysOf)
              const hook = yield* started(
                Effect.gen(function* () {
                  const [caller] = workspaces
                  if (caller === undefined) throw new Error("Expected a workspace")
                  const sealedSecret = yield* (yield* WebhookSecrets).seal(Redacted.make("sekrit"))
                  const one = { ...webhook(), id: randomUUID(), sealedSecret }
                  yield* (yield* WebhookStore).insert(caller.workspaceId, one)
                  return one
                })
              )
              // Nothing changes for processes that know the former key alone until the exchange begins.
              const late = yield* makeWorkspace()
              workspaces.push(late)
              const lateKey = yield* started(
                Effect.flatMap(EncryptionKeys, (keys) => keys.of(late.workspaceId)),
                newer,
                older
              )
              before.splice(3, 0, Redacted.value(lateKey))
              assert.deepStrictEqual(yield* started(keysOf), before)

              const killed = yield* started(
                Effect.exit(Effect.provide(MasterRotation.run(), yield* dying(at, after))),
                newer,
                older
              )
              assert.deepStrictEqual(yield* started(keysOf, newer, older), before)
              const wrapped = [...(yield* Tables).wrappedKeys.values()]
              if (new Set(wrapped.map(({ under }) => under)).size > 1) {
                for (const one of [older, newer]) {
                  const alone = yield* Effect.exit(started(keysOf, one))
                  assert.match(String(alone), /Cannot start with this master key/, "one key alone opens only a part")
                }
                halves++
              }
              const text = JSON.stringify([...(yield* Tables).wrappedKeys.values()])
              for (const key of [...before, ...[older, newer].map(Redacted.value)]) assert.notInclude(text, key)
              const rest = yield* started(MasterRotation.run(), newer, older)
              if (Exit.isSuccess(killed)) assert.strictEqual(rest.rewrapped, 0)
              assert.deepStrictEqual(yield* started(keysOf, newer), before)
              const old = yield* Effect.exit(started(keysOf))
              assert.isTrue(Exit.isFailure(old), "the former key opens nothing any more")
              assert.match(String(old), /Cannot start with this master key/)
              yield* started(
                Effect.flatMap(WebhookSecrets, (secrets) => secrets.sign(hook.sealedSecret, "{}")),
                newer
              )
              return Exit.isSuccess(killed)
            })
          )
        }
        assert.isBelow(at, 50)
      }
      assert.isAbove(halves, 0)
    })
)
