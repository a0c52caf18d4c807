import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Reencryption from "../../../core/vault/keys/Reencryption.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { seal, unseal } from "../../support/sealed.ts"
import { layer, type Member, Service } from "../../support/service.ts"

const path = "/encryption-key/rotation"
const pair = { permissioned_user_id: "robot", domain: "https://app.example.com" }

/** The requests of one member, and the key of their clients. */
const requests = Effect.fnUntraced(function* (member: Member) {
  const { send } = yield* Service
  return (method: string, path: string, json?: unknown) =>
    send({ method, path, key: member.key, ...(json === undefined ? {} : { json }) })
})

/** Re-encrypts everything, as the scheduler does. */
const resealed = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
  while (yield* Reencryption.step(workspaceId)) {
    // The next step.
  }
})

const read = `/vault?${new URLSearchParams(pair)}`

it.layer(layer)("the encryption key of a workspace", (it) => {
  it.effect("is exchanged while clients with either key go on, until that is finished", () =>
    Effect.gen(function* () {
      const { dump, member } = yield* Service
      const owner = yield* member("Owner")
      const [asOwner, asOld] = [yield* requests(owner), yield* requests(yield* member("Member", owner))]
      const { workspaceId } = owner.caller
      const formerKey = owner.encryptionKey
      const before = yield* asOld("POST", "/vault", {
        ...pair,
        user_name: seal(formerKey, "bob"),
        cookies: [{ name: "c", value: "v" }]
      })
      assert.strictEqual(before.status, 201)
      const sealed = before.body.user_name

      yield* TestClock.adjust("1 second")
      const begun = yield* asOwner("POST", path, {})
      assert.strictEqual(begun.status, 201)
      assert.strictEqual(begun.headers.get("cache-control"), "no-store")
      assert.deepInclude(begun.body, { rotating: true, version: 2, former_version: 1, may_finish: false, checked: 0 })
      const presentKey = String(begun.body.encryption_key)
      assert.match(presentKey, /^[0-9a-f]{64}$/)
      assert.strictEqual((yield* asOwner("POST", path, {})).status, 409)
      const early = yield* asOwner("POST", `${path}/finish`)
      assert.strictEqual(early.status, 409)
      assert.match(String(early.body.message), /[1-9]\d* are left/)
      assert.notInclude((yield* asOwner("GET", path)).text, presentKey)

      // An API key made since then has the new key; an older one gets values that it can read.
      const made = yield* asOwner("POST", "/api-keys", { role: "Member" })
      const asNew = yield* requests({ ...owner, key: String(made.body.key) })
      const readBy = (ask: typeof asNew, key: string) =>
        Effect.map(ask("GET", read), ({ body }) => [unseal(key, String(body.user_name)), body.updated_at])
      const both = Effect.gen(function* () {
        assert.deepStrictEqual(yield* readBy(asOld, formerKey), ["bob", before.body.updated_at])
        assert.deepStrictEqual(yield* readBy(asNew, presentKey), ["bob", before.body.updated_at])
      })
      yield* both
      yield* resealed(workspaceId)
      yield* both
      assert.notInclude(yield* dump, String(sealed), "nothing is as it was")
      assert.deepInclude((yield* asOwner("GET", path)).body, { may_finish: true, left: 0, api_keys_on_former: 2 })

      // Both may write, and read each other's values.
      const password = (ask: typeof asNew, key: string, text: string) =>
        ask("PUT", "/vault", { ...pair, password: seal(key, text) })
      for (const [writer, key, text] of [
        [asOld, formerKey, "from the old"],
        [asNew, presentKey, "from the new"]
      ] as const) {
        const changed = yield* password(writer, key, text)
        assert.strictEqual(unseal(key, String(changed.body.password)), text)
        assert.strictEqual(unseal(formerKey, String((yield* asOld("GET", read)).body.password)), text)
        assert.strictEqual(unseal(presentKey, String((yield* asNew("GET", read)).body.password)), text)
      }
      assert.strictEqual((yield* password(asOld, "77".repeat(32), "x")).status, 400)

      // A client that was given the new key shows it by what it writes.
      yield* password(asOld, presentKey, "moved")
      assert.strictEqual(unseal(presentKey, String((yield* asOld("GET", read)).body.password)), "moved")
      assert.deepInclude((yield* asOwner("GET", path)).body, { may_finish: true, api_keys_on_former: 1 })

      const finished = yield* asOwner("POST", `${path}/finish`)
      assert.deepInclude(finished.body, { rotating: false, version: 2, former_version: null, api_keys_on_former: 0 })
      const refused = yield* password(asOld, formerKey, "too late")
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(unseal(presentKey, String((yield* asOwner("GET", read)).body.password)), "moved")
      assert.deepInclude((yield* asOwner("GET", read)).body, { cookies: [{ name: "c", value: "v" }] })
      assert.strictEqual((yield* asOwner("POST", `${path}/finish`)).status, 409)
      assert.notInclude(yield* dump, presentKey)
    })
  )

  it.effect("may be named, unless it is none or the workspace has it", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const owner = yield* member("Owner")
      const ask = yield* requests(owner)
      const key = "EF".repeat(32)
      for (const [status, given] of [
        [400, "ef"],
        [400, 7],
        [409, owner.encryptionKey],
        [201, key]
      ] as const) {
        const { body, status: got } = yield* ask("POST", path, { encryption_key: given })
        assert.strictEqual(got, status)
        if (got === 201) assert.strictEqual(body.encryption_key, key.toLowerCase())
      }
    })
  )

  it.effect("is not kept with the answer that shows it", () =>
    Effect.gen(function* () {
      const { dump, member, send } = yield* Service
      const { key } = yield* member("Owner")
      const begin = send({ method: "POST", path, key, json: {}, headers: { "idempotency-key": "one" } })
      const told = String((yield* begin).body.encryption_key)
      const again = yield* begin
      assert.strictEqual(again.status, 409)
      assert.match(String(again.body.message), /answered before with status 201/)
      assert.notInclude(yield* dump, told)
    })
  )

  it.effect("protects what is kept of named requests, whose answers are repeated under either key", () =>
    Effect.gen(function* () {
      const { dump, member, send } = yield* Service
      const owner = yield* member("Owner")
      const name = "canary-in-the-answer"
      const make = send({
        method: "POST",
        path: "/error-codes",
        key: owner.key,
        json: { error_code: name },
        headers: { "idempotency-key": "two" }
      })
      const first = yield* make
      // The workspaces of other tests have requests of their own.
      const kept = Effect.map(dump, (all) =>
        all.split("\n").find((line) => line.startsWith("idempotency_keys: ") && line.includes(owner.caller.workspaceId))
      )
      const sealed = yield* kept
      assert(sealed !== undefined)
      assert.notInclude(sealed, name)
      yield* send({ method: "POST", path, key: owner.key, json: {} })
      yield* resealed(owner.caller.workspaceId)
      assert.notStrictEqual(yield* kept, sealed)
      const again = yield* make
      assert.deepStrictEqual([again.status, again.text], [first.status, first.text])
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.include(yield* dump, name)
    })
  )
})
