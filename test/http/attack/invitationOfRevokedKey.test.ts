/** An Owner who leaves takes no way back: what the key made ends with it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerInMemory, Service } from "../../support/service.ts"

it.layer(layerInMemory)("an invitation", (it) => {
  it.effect("is not accepted once the key that made it is revoked or has expired", () =>
    Effect.gen(function* () {
      const { member, revoke, send } = yield* Service
      const owner = yield* member("Owner")
      const leaving = yield* member("Owner", owner)
      const short = yield* send({
        method: "POST",
        path: "/api-keys",
        key: owner.key,
        json: { role: "Owner", expires_in_seconds: 60 }
      })
      const inviting = (key: string) =>
        Effect.map(
          send({ method: "POST", path: "/invitations", key, json: { role: "Owner" } }),
          ({ body }) => body.token
        )
      const accept = (token: unknown) =>
        Effect.map(send({ method: "POST", path: "/invitations/accept", json: { token } }), ({ status }) => status)
      const [kept, ended, expired] = [
        yield* inviting(owner.key),
        yield* inviting(leaving.key),
        yield* inviting(String(short.body.key))
      ]
      yield* revoke(leaving)
      yield* TestClock.adjust("61 seconds")
      assert.deepStrictEqual([yield* accept(ended), yield* accept(expired), yield* accept(kept)], [404, 404, 201])
    })
  )
})
