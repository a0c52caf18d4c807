import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { VaultClient } from "cloudcruise/dist/vault/VaultClient.js"
import { Effect, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import { SecretProviders } from "../../../core/vault/providers/SecretProviders.ts"
import { Fields } from "../../../core/vault/VaultEntry.ts"
import { graphOf } from "../../support/browser.ts"
import { asMember, cookies, pair, query } from "../../support/credentials.ts"
import { scale } from "../../support/scale.ts"
import { layerInMemory, Service } from "../../support/service.ts"

/** Every field that callers may set. */
const fields = Object.keys(Fields.fields)

it.layer(layerInMemory)("credentials", (it) => {
  it.effect("binds entries to secret providers of the workspace only, and lists what these hold", () =>
    Effect.gen(function* () {
      const { ask, me, sealed } = yield* asMember("Owner")
      assert.strictEqual((yield* ask("GET", "/secret-providers")).text, "[]")
      assert.strictEqual((yield* ask("GET", `/secret-providers/${randomUUID()}/items`)).status, 404)
      const id = randomUUID()
      const binding = { secret_provider_id: id, secret_ref: "op://vault/item", secret_cache_ttl_seconds: 30 }
      const early = yield* ask("POST", "/vault", { ...pair, ...binding })
      assert.deepStrictEqual(
        (early.body.errors as ReadonlyArray<{ path: string }>).map(({ path }) => path),
        ["secret_provider_id"]
      )
      const kept = {
        id,
        workspaceId: me.caller.workspaceId,
        providerType: "test",
        name: "Safe",
        configHint: { account: "ops" },
        sealedAccess: sealed("canary-access"),
        cacheTtlSeconds: null,
        createdAt: 0,
        updatedAt: 0
      }
      yield* (yield* SecretProviders).insert(me.caller.workspaceId, kept)
      const bound = yield* ask("POST", "/vault", { ...pair, ...binding })
      assert.strictEqual(bound.status, 201)
      assert.deepInclude(bound.body, { ...binding, user_name: null, password: null, tfa_secret: null })
      assert.strictEqual((yield* (yield* asMember("Owner")).ask("POST", "/vault", { ...pair, ...binding })).status, 400)
      const listed = yield* ask("GET", "/secret-providers")
      assert.deepStrictEqual(JSON.parse(listed.text), [
        {
          id,
          workspace_id: me.caller.workspaceId,
          provider_type: "test",
          name: "Safe",
          config_hint: { account: "ops" },
          cache_ttl_seconds: null,
          created_at: "1970-01-01T00:00:00.000Z",
          updated_at: "1970-01-01T00:00:00.000Z"
        }
      ])
      const items = yield* ask("GET", `/secret-providers/${id}/items`)
      assert.deepStrictEqual([items.status, items.body.error], [503, "Service Unavailable"])
    })
  )

  describe("the older interface", () => {
    it.effect("creates, changes and shows the same entries", () =>
      Effect.gen(function* () {
        const { ask, me, sealed } = yield* asMember("Owner")
        const secrets = { user_name: sealed("bob"), password: sealed("x"), tfa_secret: sealed("JBSWY3DPEHPK3PXP") }
        const sent = {
          ...pair,
          ...secrets,
          user_alias: "Bob",
          cookies,
          ip_address: "10.0.0.1",
          persist_cookies: true,
          cookie_domain_to_store: "example.com"
        }
        const made = yield* ask("POST", "/authentication", sent)
        assert.strictEqual(made.status, 201)
        assert.deepStrictEqual(made.body, {
          ...sent,
          user_id: me.caller.userId,
          local_storage: null,
          persist_local_storage: false,
          persist_session_storage: false,
          allow_multiple_sessions: false,
          created_at: "1970-01-01T00:00:00.000Z"
        })
        assert.strictEqual((yield* ask("POST", "/authentication", sent)).status, 409)
        const changed = yield* ask("PUT", "/authentication", { ...pair, user_alias: "Robert" })
        assert.deepStrictEqual(
          [changed.status, changed.body],
          [200, { message: "Authentication details successfully updated", permissioned_user_id: "robot" }]
        )
        const expected = { ...made.body, user_alias: "Robert" }
        assert.deepStrictEqual((yield* ask("GET", `/authentication${query(pair)}`)).body, expected)
        assert.deepStrictEqual((yield* ask("GET", "/authentication/robot")).body, expected)
        assert.deepStrictEqual(
          (yield* ask("GET", `/authentication/robot${query({ domain: "app.example.com" })}`)).body,
          expected
        )
        assert.deepStrictEqual(JSON.parse((yield* ask("GET", "/authentication")).text), [expected])
        assert.deepInclude((yield* ask("GET", `/vault${query(pair)}`)).body, secrets)
        for (const path of ["/authentication/nobody", `/authentication/robot${query({ domain: "b.example" })}`]) {
          assert.strictEqual((yield* ask("GET", path)).status, 404)
        }
        assert.strictEqual((yield* ask("PUT", "/authentication", { ...pair, domain: "b.example" })).status, 404)
      })
    )

    it.effect("tells each problem of a body with its place", () =>
      Effect.gen(function* () {
        const { ask } = yield* asMember()
        for (const method of ["POST", "PUT"]) {
          const { body, status } = yield* ask(method, "/authentication", {
            domain: "",
            cookies: [{ name: "a", value: 1 }]
          })
          assert.strictEqual(status, 400)
          assert.deepInclude(body, { statusCode: 400, error: "Bad Request" })
          const detail = body.detail as ReadonlyArray<{ loc: ReadonlyArray<string>; msg: string; type: string }>
          assert.sameDeepMembers(
            detail.map(({ loc }) => loc),
            [
              ["body", "permissioned_user_id"],
              ["body", "domain"],
              ["body", "cookies", "0", "value"]
            ]
          )
          for (const { msg, type } of detail) assert.isTrue(msg !== "" && type === "value_error")
        }
      })
    )
  })

  it.effect("serves the published client, which seals and unseals itself", () =>
    Effect.gen(function* () {
      const { url } = yield* Service
      const { me } = yield* asMember()
      const makeRequest = async (method: string, path: string, body?: unknown) => {
        const answer = await fetch(`${url}${path}`, {
          method,
          headers: { "content-type": "application/json", "cc-key": me.key },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        if (!answer.ok) throw new Error(await answer.text())
        return await answer.json()
      }
      const client = new VaultClient(makeRequest, me.encryptionKey)
      yield* Effect.promise(async () => {
        const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        const made = await client.create(pair.domain, "sdk", { user_name: "bob", password: "pw ✓", tfa_secret: secret })
        assert.deepInclude(made as object, { user_name: "bob", password: "pw ✓", tfa_secret: secret })
        assert.lengthOf(await client.get(), 1)
        const [one] = await client.get({ permissioned_user_id: "sdk", domain: pair.domain })
        assert.deepInclude(one as object, { user_name: "bob", password: "pw ✓" })
        const updated = await client.update({
          permissioned_user_id: "sdk",
          domain: pair.domain,
          user_name: "eve",
          password: "pw2"
        })
        assert.deepInclude(updated as object, { user_name: "eve", password: "pw2", tfa_secret: secret })
        assert.match((await client.getTfaCode("sdk", pair.domain)).code, /^\d{6}$/)
        await client.delete({ permissioned_user_id: "sdk", domain: pair.domain })
        assert.deepStrictEqual(await client.get(), [])
      })
    })
  )

  it.effect("are not kept under names that no address can hold, nor is anything else", () =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const { ask, sealed } = yield* asMember("Owner")
      const half = "robot\ud800"
      const provider = { provider_type: "1password", name: "Safe" }
      const config = { url: "https://vault.example", token: sealed("t"), vault: "Ops" }
      const workflow = { name: "Login", ...graphOf("https://app.example.com", []) }
      const credential = { type: "credential", domain: pair.domain }
      const before = yield* dump
      for (const [path, body, ...places] of [
        ["/vault", { ...pair, permissioned_user_id: half }, "permissioned_user_id"],
        ["/vault", { ...pair, domain: `${pair.domain}/${half}` }, "domain"],
        ["/vault", { ...pair, secret_ref: half }, "secret_ref"],
        ["/secret-providers", { ...provider, name: half, config }, "name"],
        ["/secret-providers", { ...provider, config: { ...config, vault: half } }, "config.vault"],
        ["/workflows", { ...workflow, folder_path: `a/${half}` }, "folder_path"],
        ["/workflows", { ...workflow, vault_schema: { [half]: credential } }, "vault_schema.robot\ufffd"]
      ] as const) {
        const { body: refusal, status } = yield* ask("POST", path, body)
        assert.strictEqual(status, 400, `${path} ${JSON.stringify(body)}`)
        const errors = refusal.errors as ReadonlyArray<{ path: string; message: string }>
        assert.sameMembers(
          errors.map((error) => error.path),
          places
        )
        assert.include(errors.map(({ message }) => message).join(), "lone surrogate")
      }
      assert.strictEqual(yield* dump, before)
      const whole = { ...pair, permissioned_user_id: "robot 🤖" }
      assert.strictEqual((yield* ask("POST", "/vault", whole)).status, 201)
      assert.deepInclude((yield* ask("GET", `/vault${query(whole)}`)).body, whole)
    })
  )

  const field = Schema.Literals([...fields, "permissioned_user_id", "domain", "proxy", "id"])

  it.effect.prop(
    "are kept whole or not at all with garbage in any field, and are answered as they were kept",
    [field, Schema.Json],
    ([name, value]) =>
      Effect.gen(function* () {
        const { dump } = yield* Service
        const { ask } = yield* asMember()
        assert.strictEqual((yield* ask("POST", "/vault", { ...pair, permissioned_user_id: "other" })).status, 201)
        for (const [method, path, names] of [
          ["POST", "/vault", pair],
          ["PUT", "/vault", { ...pair, permissioned_user_id: "other" }],
          ["PUT", "/authentication", { ...pair, permissioned_user_id: "other" }],
          ["PATCH", "/vault/clear-browser-state", { ...pair, permissioned_user_id: "other" }]
        ] as const) {
          const before = yield* dump
          const { body, status } = yield* ask(method, path, { ...names, [name]: value })
          assert.isTrue([200, 201, 400, 404].includes(status), `${method} ${path} ${name}: ${status}`)
          if (status >= 400) {
            assert.strictEqual(body.statusCode, status)
            assert.strictEqual(yield* dump, before)
          } else if (path === "/vault") {
            const names = { permissioned_user_id: String(body.permissioned_user_id), domain: String(body.domain) }
            const found = yield* ask("GET", `/vault${query(names)}`)
            assert.deepStrictEqual(found.body, body)
          }
        }
      }),
    { arbitrary: { runs: 60 * scale, size: 20 } }
  )

  it.effect("are described as they are taken and answered", () =>
    Effect.gen(function* () {
      const { paths, components } = OpenApi.fromApi(Api)
      const references = JSON.stringify(paths).match(/#\/[^"]+/g) ?? []
      for (const reference of references) {
        assert.property(components.schemas, reference.replace("#/components/schemas/", ""), reference)
      }
      const body = paths["/vault"]?.post?.requestBody?.content["application/json"]?.schema
      assert(body !== undefined && "$ref" in body)
      const taken = components.schemas[String(body.$ref).replace("#/components/schemas/", "")] as { properties: object }
      assert.containsAllKeys(taken.properties, fields)
      const answered = components.schemas.VaultEntry as { properties: object }
      assert.containsAllKeys(answered.properties, fields)
      const parameters = paths["/vault/tfa-code"]?.get?.parameters.map(({ name, required }) => [name, required])
      assert.deepStrictEqual(parameters, [
        ["permissioned_user_id", true],
        ["domain", true],
        ["uncertain", false]
      ])
    })
  )
})
