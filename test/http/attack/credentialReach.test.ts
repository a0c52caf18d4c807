/** A Member who points a credential of others at what is theirs: a proxy, a site, a secret of a provider, a saved login. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { asMember, cookies, makeSecretProvider, pair, query } from "../../support/credentials.ts"
import { layerInMemory } from "../../support/service.ts"

it.layer(layerInMemory)("a Member", (it) => {
  const made = (more: object = {}, throughProxy = false) =>
    Effect.gen(function* () {
      const owner = yield* asMember("Owner")
      const member = yield* asMember("Member", owner.me)
      const secrets = { user_name: owner.sealed("ada"), password: owner.sealed("canary-password") }
      const own = { proxy_setting: "custom", proxy_value: owner.sealed("socks5://ours.example:1080") }
      const sent = { ...pair, ...secrets, ...more, ...(throughProxy ? own : {}) }
      const { body, status } = yield* owner.ask("POST", "/vault", sent)
      assert.strictEqual(status, 201, JSON.stringify(body))
      return { owner, member, body }
    })
  const mine = "socks5://mallory.example:1080"

  it.effect("sends a credential through no proxy, nor past the one that it has", () =>
    Effect.gen(function* () {
      const { member } = yield* made()
      const custom = { proxy_setting: "custom", proxy_value: member.sealed(mine) }
      for (const proxy of [
        custom,
        { proxy_setting: "country", proxy_value: "DE" },
        { proxy_setting: "random" },
        { proxy: { enable: true } },
        { proxy: { enable: true, target_ip: "203.0.113.9" } }
      ]) {
        for (const path of ["/vault", "/authentication"]) {
          const refused = yield* member.ask("PUT", path, { ...pair, ...proxy })
          assert.strictEqual(refused.status, 403, `${path} ${JSON.stringify(proxy)}`)
          assert.match(String(refused.body.message), /proxy_setting.*Member.*Owner/)
        }
      }
      const other = { ...pair, permissioned_user_id: "other" }
      assert.strictEqual((yield* member.ask("POST", "/vault", { ...other, ...custom })).status, 403)
      assert.strictEqual((yield* member.ask("POST", "/vault", { ...other, proxy_setting: null })).status, 201)

      const { body, member: second } = yield* made({}, true)
      for (const proxy of [
        { proxy_setting: null },
        { proxy: { enable: false } },
        { proxy_value: second.sealed(mine) },
        { proxy_setting: "custom", proxy_value: second.sealed(mine) }
      ]) {
        const refused = yield* second.ask("PUT", "/vault", { ...pair, ...proxy })
        assert.strictEqual(refused.status, 403, JSON.stringify(proxy))
      }
      // The answer can be sent back, and other fields can be changed.
      const shown = yield* second.ask("GET", `/vault${query(pair)}`)
      assert.strictEqual(shown.body.proxy_value, body.proxy_value)
      const again = yield* second.ask("PUT", "/vault", { ...shown.body, user_alias: "Robot" })
      assert.deepStrictEqual([again.status, again.body.proxy_value], [200, body.proxy_value])
    })
  )

  it.effect("takes no secret of a provider for a site of theirs", () =>
    Effect.gen(function* () {
      const { member, owner } = yield* made()
      const secret_provider_id = yield* makeSecretProvider(owner.me.caller.workspaceId)
      const bound = { secret_provider_id, secret_ref: "bank/robot" }
      const evil = { ...pair, domain: "https://evil.test" }
      const refused = yield* member.ask("POST", "/vault", { ...evil, ...bound })
      assert.strictEqual(refused.status, 403)
      assert.match(String(refused.body.message), /secret_provider_id and secret_ref/)
      assert.strictEqual((yield* owner.ask("POST", "/vault", { ...evil, ...bound })).status, 201)
      assert.strictEqual((yield* member.ask("PUT", "/vault", { ...evil, secret_ref: "bank/admin" })).status, 403)
      assert.strictEqual((yield* member.ask("PUT", "/vault", { ...evil, ...bound, user_alias: "x" })).status, 200)
    })
  )

  it.effect("is not shown a saved login, and keeps it when they send back what they are shown", () =>
    Effect.gen(function* () {
      const state = {
        cookies,
        local_storage: { token: "canary-local" },
        session_storage: { token: "canary-session" },
        headers: [{ name: "authorization", value: "canary-header" }]
      }
      const { member, owner } = yield* made(state)
      for (const path of [`/vault${query(pair)}`, "/vault", `/authentication${query(pair)}`]) {
        assert.notInclude((yield* member.ask("GET", path)).text, "canary", path)
      }
      const { body } = yield* member.ask("GET", `/vault${query(pair)}`)
      const changed = yield* member.ask("PUT", "/vault", { ...body, user_alias: "Robot" })
      assert.strictEqual(changed.status, 200)
      assert.notInclude(changed.text, "canary")
      assert.deepInclude((yield* owner.ask("GET", `/vault${query(pair)}`)).body, { ...state, user_alias: "Robot" })
      // They may end it.
      assert.strictEqual((yield* member.ask("PATCH", "/vault/clear-browser-state", pair)).status, 200)
      assert.strictEqual((yield* owner.ask("GET", `/vault${query(pair)}`)).body.cookies, null)
    })
  )

  it.effect("does not take a secret to the http of its own site", () =>
    Effect.gen(function* () {
      const { body, member } = yield* made()
      const plain = { ...pair, domain: "http://app.example.com", password: body.password }
      assert.strictEqual((yield* member.ask("POST", "/vault", plain)).status, 400)
    })
  )
})
