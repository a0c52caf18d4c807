import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { asMember, makeSecretProvider, pair, query } from "../../support/credentials.ts"
import { connectServer, id, vaultServer } from "../../support/secretServers.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import * as SetClock from "../../support/setClock.ts"

const clock = SetClock.make()

const seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

const connect = connectServer([
  {
    id: id("robots"),
    name: "Robots",
    items: [
      {
        id: id("login"),
        title: "Login",
        fields: [
          { id: "username", purpose: "USERNAME", type: "STRING", value: "bob" },
          { id: "password", purpose: "PASSWORD", type: "CONCEALED", value: "canary-password" },
          { id: "otp", type: "OTP", label: "one-time password", value: `otpauth://totp/a?secret=${seed}`, totp: "1" }
        ]
      },
      { id: id("code"), title: "Code", fields: [{ id: "otp", type: "OTP", label: "otp", totp: "424242" }] },
      { id: id("none"), title: "None", fields: [{ id: "password", purpose: "PASSWORD", value: "x" }] },
      {
        id: id("counting"),
        title: "Counting",
        fields: [{ id: "otp", type: "OTP", label: "otp", value: `otpauth://hotp/a?secret=${seed}&counter=0` }]
      }
    ]
  }
])

const paths = (body: Readonly<Record<string, unknown>>) =>
  (body.errors as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path)

/** An Owner with a connection to a Connect server of their own. */
const connected = Effect.gen(function* () {
  const server = yield* connect
  const owner = yield* asMember("Owner")
  const config = { url: server.url, token: owner.sealed(server.token) }
  const body = { provider_type: "1password", name: "Safe", config, cache_ttl_seconds: 60 }
  const made = yield* owner.ask("POST", "/secret-providers", body)
  return { ...owner, server, made, body, path: `/secret-providers/${made.body.id}`, id: String(made.body.id) }
})

const service = Layer.fresh(layerInMemory).pipe(Layer.provide(clock.layer))

it.layer(service)("secret providers", (it) => {
  it.effect("are connected, shown without their access, tried, changed and removed by Owners", () =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const { ask, made, me, path, sealed, server } = yield* connected
      assert.strictEqual(made.status, 201, made.text)
      const { host } = new URL(server.url)
      const { created_at, id: madeId, updated_at, ...rest } = made.body
      assert.deepStrictEqual(rest, {
        workspace_id: me.caller.workspaceId,
        provider_type: "1password",
        name: "Safe",
        config_hint: { host },
        cache_ttl_seconds: 60
      })
      assert.strictEqual(created_at, updated_at)
      assert.deepStrictEqual(JSON.parse((yield* ask("GET", "/secret-providers")).text), [made.body])
      const items = JSON.parse((yield* ask("GET", `${path}/items`)).text)
      assert.deepStrictEqual(items[0], {
        id: id("login"),
        title: "Login",
        ref: `op://${id("robots")}/${id("login")}`,
        vaultName: "Robots"
      })
      assert.deepStrictEqual((yield* ask("POST", `${path}/test`)).body, { success: true, error: "" })

      const renamed = yield* ask("PATCH", path, { name: "Safer", cache_ttl_seconds: null, provider_type: null })
      assert.deepInclude(renamed.body, { id: madeId, name: "Safer", cache_ttl_seconds: null, config_hint: { host } })
      assert.isAbove(Date.parse(String(renamed.body.updated_at)), Date.parse(String(updated_at)))
      const limited = yield* ask("PATCH", path, { config: { vault: "Robots" } })
      assert.deepStrictEqual([limited.status, limited.body.config_hint], [200, { host, vault: "Robots" }])
      const again = yield* ask("PATCH", path, { config: { vault: null, token: sealed(server.token) } })
      assert.deepStrictEqual([again.status, again.body.config_hint], [200, { host }])
      assert.strictEqual((yield* ask("POST", `${path}/test`)).body.success, true)

      const stored = yield* dump
      assert.notInclude(stored, server.token)
      assert.notInclude(stored, "canary")
      const removed = yield* ask("DELETE", path)
      assert.deepStrictEqual([removed.status, removed.body.name], [200, "Safer"])
      assert.strictEqual((yield* ask("GET", `${path}/items`)).status, 404)
      assert.strictEqual((yield* ask("DELETE", path)).status, 404)
    })
  )

  it.effect("list every problem of a body at its path, and repeat nothing", () =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const { ask, body, me, path, sealed, server } = yield* connected
      const stranger = yield* asMember("Owner")
      const before = yield* dump
      const post = (more: object, config: object | null = {}) =>
        ask("POST", "/secret-providers", {
          ...body,
          name: randomUUID(),
          config: config === null ? null : { ...body.config, ...config },
          ...more
        })
      const refusals: ReadonlyArray<
        readonly [
          Effect.Effect<{ status: number; text: string; body: Readonly<Record<string, unknown>> }>,
          ReadonlyArray<string>
        ]
      > = [
        [ask("POST", "/secret-providers", {}), ["provider_type", "name"]],
        [
          ask("POST", "/secret-providers", { provider_type: "canary", name: "", cache_ttl_seconds: -1, config: 7 }),
          ["provider_type", "name", "config", "cache_ttl_seconds"]
        ],
        [post({}, null), ["config.url", "config.token"]],
        [post({}, { token: "canary-in-clear" }), ["config.token"]],
        [post({}, { token: 7, url: 8 }), ["config.url", "config.token"]],
        [post({}, { token: stranger.sealed(server.token) }), ["config.token"]],
        [post({}, { token: sealed("canary\r\nX-Evil: 1") }), ["config.token"]],
        [post({}, { token: sealed({ canary: 1 }) }), ["config.token"]],
        [post({}, { url: "ftp://canary" }), ["config.url"]],
        [post({}, { url: "https://canary:canary@example.com" }), ["config.url"]],
        [post({}, { url: "http://connect.example.com" }), []],
        [post({}, { mount: "secret" }), ["config.mount"]],
        [post({ provider_type: "hashicorp_vault" }, { role_id: "r" }), ["config.token"]],
        [post({ provider_type: "hashicorp_vault" }, { token: null, role_id: "r" }), ["config.secret_id"]],
        [post({ provider_type: "hashicorp_vault" }, { token: null, secret_id: sealed("s") }), ["config.role_id"]],
        [post({ provider_type: "hashicorp_vault" }, { mount: "a/../b" }), ["config.mount"]],
        [post({ provider_type: "hashicorp_vault" }, { namespace: "caf\u00e9 \ud83d\udc27" }), ["config.namespace"]],
        [ask("PATCH", path, { provider_type: "hashicorp_vault" }), ["provider_type"]],
        [ask("PATCH", path, { config: { url: "http://127.0.0.1:1" } }), ["config.token"]],
        [ask("PATCH", path, { config: { token: null } }), ["config.token"]]
      ]
      for (const [asked, expected] of refusals) {
        const { body, status, text } = yield* asked
        if (expected.length === 0) assert.isTrue(status === 400 || status === 422, text)
        else assert.deepStrictEqual([status, paths(body)], [400, expected], text)
        assert.notInclude(text, "canary")
      }
      const taken = yield* ask("POST", "/secret-providers", body)
      assert.deepStrictEqual([taken.status, taken.body.error], [409, "Conflict"])
      assert.strictEqual(yield* dump, before)
      assert.notInclude(me.key, "canary")
    })
  )

  it.effect("that do not work are not kept, unless the caller skips the test", () =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const { ask, body, path, sealed, server } = yield* connected
      const before = yield* dump
      const wrong = { ...body, name: "Wrong", config: { ...body.config, token: sealed("canary-wrong") } }
      const refused = yield* ask("POST", "/secret-providers", wrong)
      assert.deepInclude(refused.body, { statusCode: 422, code: "PROVIDER_ACCESS_REFUSED" })
      const nobody = { ...wrong, config: { ...wrong.config, url: "http://127.0.0.1:1" } }
      assert.deepInclude((yield* ask("POST", "/secret-providers", nobody)).body, {
        statusCode: 422,
        code: "PROVIDER_UNAVAILABLE"
      })
      const changed = yield* ask("PATCH", path, { config: { token: sealed("canary-wrong") } })
      assert.deepInclude(changed.body, { statusCode: 422, code: "PROVIDER_ACCESS_REFUSED" })
      assert.strictEqual(yield* dump, before)
      const kept = yield* ask("POST", "/secret-providers?test=false", wrong)
      assert.strictEqual(kept.status, 201)
      const trial = yield* ask("POST", `/secret-providers/${kept.body.id}/test`)
      assert.deepInclude(trial.body, { success: false, code: "PROVIDER_ACCESS_REFUSED" })
      assert.notInclude(trial.text + refused.text, "canary")
      const items = yield* ask("GET", `/secret-providers/${kept.body.id}/items`)
      assert.deepInclude(items.body, { statusCode: 422, code: "PROVIDER_ACCESS_REFUSED" })
      server.instead([503, {}], [503, {}], (response) => response.end("<canary>"))
      const down = yield* ask("GET", `${path}/items`)
      assert.deepInclude(down.body, { statusCode: 503, code: "PROVIDER_UNAVAILABLE" })
      const odd = yield* ask("GET", `${path}/items`)
      assert.deepInclude(odd.body, { statusCode: 503, code: "PROVIDER_ANSWER_MALFORMED" })
    })
  )

  it.effect("whose access cannot be unsealed take a whole new one", () =>
    Effect.gen(function* () {
      const { ask, body, me } = yield* connected
      const path = `/secret-providers/${yield* makeSecretProvider(me.caller.workspaceId, "1password")}`
      assert.deepInclude((yield* ask("POST", `${path}/test`)).body, { success: false, code: "PROVIDER_ACCESS_REFUSED" })
      const partly = yield* ask("PATCH", path, { config: { url: body.config.url } })
      assert.deepStrictEqual([partly.status, paths(partly.body)], [400, ["config.token"]])
      assert.strictEqual((yield* ask("PATCH", path, { config: body.config })).status, 200)
      assert.strictEqual((yield* ask("POST", `${path}/test`)).body.success, true)
    })
  )

  it.effect("of HashiCorp Vault are connected by a role", () =>
    Effect.gen(function* () {
      const server = yield* vaultServer(new Map([["app/login", { password: "canary" }]]), "kv")
      const { ask, sealed } = yield* asMember("Owner")
      const { role_id, secret_id } = server.role
      const made = yield* ask("POST", "/secret-providers", {
        provider_type: "hashicorp_vault",
        name: "Vault",
        config: { url: `${server.url}/`, mount: "/kv/", role_id, secret_id: sealed(secret_id) }
      })
      assert.deepStrictEqual(
        [made.status, made.body.config_hint],
        [201, { host: new URL(server.url).host, mount: "kv" }]
      )
      assert.strictEqual(made.body.cache_ttl_seconds, null)
      assert.deepStrictEqual(JSON.parse((yield* ask("GET", `/secret-providers/${made.body.id}/items`)).text), [
        { id: "app/login", title: "app/login", ref: "kv/app/login", vaultName: "kv" }
      ])
    })
  )

  it.effect("show the namespace of HashiCorp Vault, which null takes away again", () =>
    Effect.gen(function* () {
      const server = yield* vaultServer(new Map())
      const { ask, sealed } = yield* asMember("Owner")
      const host = new URL(server.url).host
      server.state.namespace = "team/a"
      const config = { url: server.url, namespace: "/team/a/", token: sealed(server.token) }
      const made = yield* ask("POST", "/secret-providers", {
        ...{ provider_type: "hashicorp_vault", name: "Vault", config }
      })
      const hint = { host, mount: "secret", namespace: "team/a" }
      assert.deepStrictEqual([made.status, made.body.config_hint], [201, hint])
      const path = `/secret-providers/${made.body.id}`
      const refused = yield* ask("PATCH", path, { config: { namespace: null } })
      assert.strictEqual(refused.status, 422, "it is tried without the namespace")
      server.state.namespace = null
      const cleared = yield* ask("PATCH", path, { config: { namespace: null } })
      assert.deepStrictEqual([cleared.status, cleared.body.config_hint], [200, { host, mount: "secret" }])
      assert.strictEqual((yield* ask("POST", `${path}/test`)).body.success, true)
      const [listed] = JSON.parse((yield* ask("GET", "/secret-providers")).text)
      assert.deepStrictEqual(listed.config_hint, { host, mount: "secret" })
    })
  )

  it.effect("are kept while credentials are bound to them", () =>
    Effect.gen(function* () {
      const { ask, id: secret_provider_id, path } = yield* connected
      const binding = { secret_provider_id, secret_ref: "op://Robots/Login", tfa_method: "AUTHENTICATOR" }
      assert.strictEqual((yield* ask("POST", "/vault", { ...pair, ...binding })).status, 201)
      assert.strictEqual((yield* ask("POST", "/vault", { ...pair, domain: "b.example", ...binding })).status, 201)
      const refused = yield* ask("DELETE", path)
      assert.strictEqual(refused.status, 409)
      assert.include(String(refused.body.message), "2 credentials")
      for (const domain of [pair.domain, "b.example"]) yield* ask("DELETE", "/vault", { ...pair, domain })
      assert.strictEqual((yield* ask("DELETE", path)).status, 200)
    })
  )

  it.effect("give the one-time codes of the credentials that are bound to them", () =>
    Effect.gen(function* () {
      const { ask, id: secret_provider_id, server } = yield* connected
      const bind = (name: string, more: object = {}) =>
        Effect.gen(function* () {
          const mine = { ...pair, permissioned_user_id: name }
          const secret_ref = `op://Robots/${name}`
          const made = yield* ask("POST", "/vault", { ...mine, secret_provider_id, secret_ref, ...more })
          assert.strictEqual(made.status, 201, made.text)
          return yield* ask("GET", `/vault/tfa-code${query(mine)}`)
        })
      yield* clock.set(1_111_111_109_000)
      const code = yield* bind("Login", { tfa_method: "AUTHENTICATOR" })
      assert.deepStrictEqual(code.body, { type: "authenticator", code: "081804", expires_in_seconds: 1 })
      assert.strictEqual(code.headers.get("cache-control"), "no-store")
      // Without a method, too: the provider is asked what there is.
      assert.deepStrictEqual((yield* bind("Code")).body, { type: "authenticator", code: "424242" })
      for (const [name, message] of [
        ["None", "has none"],
        ["Counting", "counter-based"],
        ["Missing", "no item"]
      ] as const) {
        const refused = yield* bind(name)
        assert.strictEqual(refused.status, 422, refused.text)
        assert.include(String(refused.body.message), message)
        assert.notInclude(refused.text, "canary")
      }
      // Within the time of the connection the secret is not asked for again, and beyond it no old one is used.
      server.instead([500, {}], [500, {}], [500, {}], [500, {}])
      const mine = query({ ...pair, permissioned_user_id: "Login" })
      yield* clock.set(1_111_111_168_999)
      assert.strictEqual((yield* ask("GET", `/vault/tfa-code${mine}`)).status, 200)
      yield* clock.set(1_111_111_169_000)
      assert.deepInclude((yield* ask("GET", `/vault/tfa-code${mine}`)).body, {
        statusCode: 422,
        code: "PROVIDER_UNAVAILABLE"
      })
    })
  )
})
