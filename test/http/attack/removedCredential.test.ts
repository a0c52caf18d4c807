/** A Member who takes the sealed secret of a credential that is gone, or has another one by now, to a site of theirs. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { asMember, pair, query } from "../../support/credentials.ts"
import { layerInMemory } from "../../support/service.ts"

it.layer(layerInMemory)("the sealed secret of a former credential", (it) => {
  const secrets = ["password", "tfa_secret"] as const
  const evil = { permissioned_user_id: "mallory", domain: "https://evil.test" }

  const made = Effect.gen(function* () {
    const owner = yield* asMember("Owner")
    const member = yield* asMember("Member", owner.me)
    const sent = { password: owner.sealed("canary-password"), tfa_secret: owner.sealed("JBSWY3DPEHPK3PXP") }
    assert.strictEqual((yield* owner.ask("POST", "/vault", { ...pair, ...sent })).status, 201)
    const shown = (yield* member.ask("GET", `/vault${query(pair)}`)).body
    const refusesCopies = Effect.gen(function* () {
      for (const taken of secrets) {
        for (const field of ["user_name", ...secrets]) {
          const refused = yield* member.ask("POST", "/vault", { ...evil, [field]: shown[taken] })
          assert.strictEqual(refused.status, 400, `${taken} as ${field}`)
          assert.include(refused.text, "https://app.example.com")
          assert.notInclude(refused.text, "canary")
        }
      }
      assert.strictEqual((yield* member.ask("POST", "/vault", { ...evil, user_alias: "mine" })).status, 201)
      const changed = yield* member.ask("PUT", "/vault", { ...evil, password: shown.password })
      assert.strictEqual(changed.status, 400)
    })
    return { owner, member, shown, refusesCopies }
  })

  it.effect("goes to no other site after the credential is removed", () =>
    Effect.gen(function* () {
      const { member, owner, refusesCopies, shown } = yield* made
      assert.strictEqual((yield* member.ask("DELETE", "/vault", pair)).status, 200)
      yield* refusesCopies
      // Its own site takes it back, by a new name as well, and an Owner may move it.
      const again = { ...pair, permissioned_user_id: "another", password: shown.password }
      assert.strictEqual((yield* member.ask("POST", "/vault", again)).status, 201)
      const moved = { ...pair, domain: "https://moved.test", password: shown.password }
      assert.strictEqual((yield* owner.ask("POST", "/vault", moved)).status, 201)
      // What an Owner has moved can be sent back there, and is stored there by everyone.
      assert.strictEqual((yield* member.ask("PUT", "/vault", moved)).status, 200)
      assert.strictEqual((yield* member.ask("DELETE", "/vault", moved)).status, 200)
      assert.strictEqual((yield* member.ask("POST", "/vault", moved)).status, 201)
    })
  )

  it.effect("goes to no other site after it was replaced", () =>
    Effect.gen(function* () {
      const { member, refusesCopies } = yield* made
      const renewed = { ...pair, password: member.sealed("another"), tfa_secret: member.sealed("KRSXG5CTMVRXEZLU") }
      assert.strictEqual((yield* member.ask("PUT", "/vault", renewed)).status, 200)
      yield* refusesCopies
    })
  )

  it.effect("goes to no other site while keys are exchanged, under either key", () =>
    Effect.gen(function* () {
      const { member, owner, refusesCopies } = yield* made
      const former = yield* member.ask("GET", `/vault${query(pair)}`)
      assert.strictEqual((yield* owner.ask("POST", "/encryption-key/rotation", {})).status, 201)
      yield* refusesCopies
      const { domain, ...user } = pair
      // What is stored again is under the new key, and answered under the former one.
      const again = yield* member.ask("PUT", "/vault", { ...pair, password: former.body.password })
      assert.strictEqual(again.status, 200)
      assert.notStrictEqual(again.body.password, former.body.password)
      for (const removed of [false, true]) {
        if (removed) assert.strictEqual((yield* member.ask("DELETE", "/vault", { ...user, domain })).status, 200)
        for (const password of [former.body.password, again.body.password]) {
          const refused = yield* member.ask("POST", "/vault", { ...evil, permissioned_user_id: "eve", password })
          assert.strictEqual(refused.status, 400)
          assert.include(refused.text, domain)
        }
      }
    })
  )

  it.effect("is no copy where a Member who knows it has sealed it", () =>
    Effect.gen(function* () {
      const { member } = yield* made
      assert.strictEqual((yield* member.ask("DELETE", "/vault", pair)).status, 200)
      const known = { ...evil, user_name: member.sealed("ada"), password: member.sealed("canary-password") }
      assert.strictEqual((yield* member.ask("POST", "/vault", known)).status, 201)
    })
  )

  it.effect("does not follow a request that names the credential by its host alone", () =>
    Effect.gen(function* () {
      const { member, owner, shown } = yield* made
      const plain = { permissioned_user_id: "plain", domain: "http://app.example.com" }
      assert.strictEqual((yield* owner.ask("POST", "/vault", plain)).status, 201)
      const byHost = { ...plain, domain: "https://app.example.com", password: shown.password }
      assert.strictEqual((yield* member.ask("PUT", "/vault", byHost)).status, 400)
    })
  )
})
