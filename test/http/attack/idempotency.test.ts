import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { graph } from "../../support/fixtures.ts"
import { layer, type Member, Service } from "../../support/service.ts"

const workflow = { name: "Nightly", ...graph() }

/** Sends the same request with the same Idempotency-Key in the name of several members. */
const repeating = (path: string, json: unknown) =>
  Effect.map(
    Service,
    ({ send }) =>
      ({ key }: Pick<Member, "key">) =>
        send({ method: "POST", path, key, json, headers: { "idempotency-key": "same" } })
  )

it.layer(layer)("an Idempotency-Key", (it) => {
  it.effect("of an Owner tells a Viewer, a Member and another Owner nothing of the answer", () =>
    Effect.gen(function* () {
      const { dump, member } = yield* Service
      const owner = yield* member("Owner")
      const ask = yield* repeating("/workflows", workflow)
      const first = yield* ask(owner)
      assert.strictEqual(first.status, 201)
      for (const role of ["Viewer", "Member", "Owner"] as const) {
        const other = yield* member(role, owner)
        const before = yield* dump
        const answer = yield* ask(other)
        assert.deepStrictEqual([answer.status, answer.body.error], [409, "Conflict"])
        assert.notInclude(answer.text, String(first.body.id))
        assert.isNull(answer.headers.get("idempotency-replayed"))
        assert.strictEqual(yield* dump, before)
      }
      const again = yield* ask(owner)
      assert.deepStrictEqual([again.status, again.text], [201, first.text])
    })
  )

  it.effect("under which a Viewer was refused is free for those who may", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const owner = yield* member("Owner")
      const viewer = yield* member("Viewer", owner)
      const ask = yield* repeating("/workflows", workflow)
      for (let time = 0; time < 2; time++) {
        const refused = yield* ask(viewer)
        assert.strictEqual(refused.status, 403)
        assert.isNull(refused.headers.get("idempotency-replayed"))
      }
      assert.strictEqual((yield* ask(owner)).status, 201)
      assert.strictEqual((yield* ask(viewer)).status, 409)
    })
  )

  it.effect("with an invalid or revoked key is 401 every time, and keeps nothing", () =>
    Effect.gen(function* () {
      const { dump, member, revoke } = yield* Service
      const owner = yield* member("Owner")
      const revoked = yield* member("Owner", owner)
      const ask = yield* repeating("/workflows", workflow)
      assert.strictEqual((yield* ask(revoked)).status, 201)
      yield* revoke(revoked)
      const before = yield* dump
      for (const sender of [revoked, revoked, { key: "sk_unknown" }]) {
        const answer = yield* ask(sender)
        assert.strictEqual(answer.status, 401)
        assert.isNull(answer.headers.get("idempotency-replayed"))
      }
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect("does not keep the 403 of an endpoint for Owners from a Member", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const other = yield* member("Member", owner)
      const ask = yield* repeating("/webhook-endpoints", { url: "https://example.com/hook" })
      assert.strictEqual((yield* ask(other)).status, 403)
      assert.strictEqual((yield* ask(owner)).status, 201)
      const path = "/webhook-endpoints"
      assert.lengthOf((yield* send({ method: "GET", path, key: owner.key })).body as never, 1)
    })
  )
})
