import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { asMember, cookies, pair, query } from "../../support/credentials.ts"
import { sealText } from "../../support/sealed.ts"
import { layerInMemory, Service } from "../../support/service.ts"

it.layer(layerInMemory)("the vault", (it) => {
  it.effect("answers a new entry complete, its secrets as they came", () =>
    Effect.gen(function* () {
      const { ask, me, sealed } = yield* asMember("Owner")
      const secrets = {
        user_name: sealed("bob"),
        password: sealed("pässwörd✓"),
        tfa_secret: sealed("JBSWY3DPEHPK3PXP")
      }
      const sent = {
        ...pair,
        ...secrets,
        tfa_method: "AUTHENTICATOR",
        user_alias: "Bob",
        cookies,
        local_storage: { theme: "dark" },
        headers: [
          { header_name: "X-Tenant", header_value: "7" },
          { name: "X-Site", value: "8" }
        ],
        expiry_time_from_session_data_set: "01:30:00",
        max_concurrency: 2,
        allow_multiple_sessions: true,
        id: "mine",
        tfa_email: "mine@example.com",
        surprise: 1
      }
      const { body, status } = yield* ask("POST", "/vault", sent)
      assert.strictEqual(status, 201)
      assert.deepStrictEqual(body, {
        id: body.id,
        permissioned_user_id: "robot",
        domain: "https://app.example.com",
        workspace_id: me.caller.workspaceId,
        organization_id: null,
        user_id: me.caller.userId,
        created_at: "1970-01-01T00:00:00.000Z",
        updated_at: "1970-01-01T00:00:00.000Z",
        site_identifier: "app-example-com",
        ...secrets,
        user_alias: "Bob",
        tfa_method: "AUTHENTICATOR",
        cookies,
        local_storage: { theme: "dark" },
        session_storage: null,
        headers: [
          { header_name: "X-Tenant", header_value: "7" },
          { name: "X-Site", value: "8" }
        ],
        persist_local_storage: false,
        persist_cookies: false,
        persist_session_storage: false,
        skip_csrf_cookies: false,
        allow_multiple_sessions: true,
        max_concurrency: 2,
        prevent_concurrency_during_login: false,
        expiry_time_from_last_use: null,
        expiry_time_from_session_data_set: "01:30:00",
        effective_expires_at: "1970-01-01T01:30:00.000Z",
        session_data_set_at: "1970-01-01T00:00:00.000Z",
        secret_provider_id: null,
        secret_ref: null,
        secret_cache_ttl_seconds: null,
        allowed_origins: null,
        health: {
          status: "unknown",
          last_success_at: null,
          last_check_at: null,
          session_ends_at: "1970-01-01T01:30:00.000Z",
          needs_person: false,
          last_result: null,
          last_session_id: null,
          failures: []
        }
      })
      assert.match(String(body.id), /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual((yield* ask("GET", `/vault${query(pair)}`)).body, body)
      // The answer can be sent back as it is.
      const again = yield* ask("PUT", "/vault", body)
      assert.deepStrictEqual([again.status, again.body], [200, body])
    })
  )

  it.effect("lets an Owner alone name where secrets may be used beside their site", () =>
    Effect.gen(function* () {
      const owner = yield* asMember("Owner")
      const member = yield* asMember("Member", owner.me)
      const allowed_origins = ["https://login.partner.example", "http://127.0.0.1:3000"]
      const ask = (who: typeof owner, method: string, body: object) => who.ask(method, "/vault", body)
      const refused = yield* ask(member, "POST", { ...pair, allowed_origins })
      assert.strictEqual(refused.status, 403)
      assert.match(String(refused.body.message), /allowed_origins.*Member.*Owner/)
      assert.strictEqual((yield* ask(member, "PUT", { ...pair, allowed_origins })).status, 404)

      const made = yield* ask(owner, "POST", { ...pair, allowed_origins })
      assert.strictEqual(made.status, 201)
      assert.deepStrictEqual(made.body.allowed_origins, allowed_origins)
      // A caller who may edit sends back the answer, or leaves it out, and changes nothing.
      for (const same of [{}, { allowed_origins }, { allowed_origins: [...allowed_origins].reverse() }]) {
        const changed = yield* ask(member, "PUT", { ...pair, user_alias: "Robot", ...same })
        assert.strictEqual(changed.status, 200)
        assert.sameMembers(changed.body.allowed_origins as Array<string>, allowed_origins)
      }
      for (const other of [null, [], ["https://evil.test"], [...allowed_origins, "https://evil.test"]]) {
        const sent = { ...pair, user_alias: "Mallory", allowed_origins: other }
        for (const path of ["/vault", "/authentication"]) {
          assert.strictEqual((yield* member.ask("PUT", path, sent)).status, 403, path)
        }
      }
      const { body } = yield* owner.ask("GET", `/vault${query(pair)}`)
      assert.sameMembers(body.allowed_origins as Array<string>, allowed_origins)
      assert.strictEqual(body.user_alias, "Robot")
      const removed = yield* ask(owner, "PUT", { ...pair, allowed_origins: null })
      assert.deepStrictEqual([removed.status, removed.body.allowed_origins], [200, null])
    })
  )

  it.effect("lets an Owner alone copy a sealed secret to a credential of another site", () =>
    Effect.gen(function* () {
      const owner = yield* asMember("Owner")
      const member = yield* asMember("Member", owner.me)
      const secrets = { user_name: owner.sealed("ada"), password: owner.sealed("canary-password") }
      assert.strictEqual((yield* owner.ask("POST", "/vault", { ...pair, ...secrets })).status, 201)
      const { body } = yield* member.ask("GET", `/vault${query(pair)}`)
      const evil = { ...pair, domain: "https://evil.test" }
      for (const [field, value] of [
        ["password", body.password],
        ["password", String(body.password).toUpperCase()],
        ["user_name", body.password]
      ] as const) {
        const copy = yield* member.ask("POST", "/vault", { ...evil, [field]: value })
        assert.strictEqual(copy.status, 400, field)
        assert.deepStrictEqual(
          (copy.body.errors as ReadonlyArray<{ path: string }>).map(({ path }) => path),
          [field]
        )
        assert.include(copy.text, pair.domain)
      }
      assert.strictEqual((yield* member.ask("POST", "/vault", evil)).status, 201)
      assert.strictEqual((yield* member.ask("PUT", "/vault", { ...evil, password: body.password })).status, 400)
      // A value sent back to the same site, or sealed by a caller who knows it, is not copied.
      assert.strictEqual((yield* member.ask("PUT", "/vault", body)).status, 200)
      const sibling = { ...pair, domain: "https://login.example.com", password: body.password }
      assert.strictEqual((yield* member.ask("POST", "/vault", sibling)).status, 201)
      const known = { ...evil, password: member.sealed("canary-password") }
      assert.strictEqual((yield* member.ask("PUT", "/vault", known)).status, 200)
      assert.strictEqual((yield* owner.ask("PUT", "/vault", { ...evil, password: body.password })).status, 200)
    })
  )

  it.effect("lists all entries, those of a user or of a site, and one by its pair", () =>
    Effect.gen(function* () {
      const { ask } = yield* asMember()
      const pairs: ReadonlyArray<readonly [string, string]> = [
        ["a", "https://one.example"],
        ["a", "two.example:8443"],
        ["b", "https://one.example"],
        ["b", "ONE.example"]
      ]
      for (const [permissioned_user_id, domain] of pairs) {
        assert.strictEqual((yield* ask("POST", "/vault", { permissioned_user_id, domain })).status, 201)
      }
      const list = (fields: Record<string, string>) =>
        Effect.map(ask("GET", `/vault${query(fields)}`), ({ text }) =>
          (JSON.parse(text) as ReadonlyArray<Record<string, string>>).map((one) => [
            one.permissioned_user_id,
            one.domain
          ])
        )
      assert.deepStrictEqual<unknown>(yield* list({}), pairs)
      assert.deepStrictEqual<unknown>(yield* list({ permissioned_user_id: "a" }), [pairs[0], pairs[1]])
      assert.deepStrictEqual<unknown>(yield* list({ domain: "http://one.example/login" }), [
        pairs[0],
        pairs[2],
        pairs[3]
      ])
      assert.deepStrictEqual(yield* list({ permissioned_user_id: "c" }), [])
      assert.deepStrictEqual(yield* list({ domain: "nowhere at all" }), [])

      const domainOf = (permissioned_user_id: string, domain: string) =>
        Effect.map(ask("GET", `/vault${query({ permissioned_user_id, domain })}`), ({ body, status }) => [
          status,
          body.domain
        ])
      assert.deepStrictEqual(yield* domainOf("b", "ONE.example"), [200, "ONE.example"])
      assert.deepStrictEqual(yield* domainOf("b", "one.example"), [200, "https://one.example"])
      assert.deepStrictEqual(yield* domainOf("a", "https://TWO.example:8443/x"), [200, "two.example:8443"])
      for (const [user, domain] of [
        ["a", "two.example"],
        ["A", "https://one.example"],
        ["c", "x"]
      ] as const) {
        const { body, status } = yield* ask("GET", `/vault${query({ permissioned_user_id: user, domain })}`)
        assert.deepStrictEqual([status, body.statusCode, body.error], [404, 404, "Not Found"])
      }
    })
  )

  it.effect("refuses a second entry of a pair, and lists every problem of a body at its path", () =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const { ask, me, sealed } = yield* asMember()
      assert.strictEqual((yield* ask("POST", "/vault", pair)).status, 201)
      const second = yield* ask("POST", "/vault", { ...pair, password: sealed("x") })
      assert.deepStrictEqual([second.status, second.body.error], [409, "Conflict"])
      const stranger = yield* asMember()
      const before = yield* dump
      const bad = {
        permissioned_user_id: "",
        domain: "no domain",
        user_name: stranger.sealed("bob"),
        password: sealText(me.encryptionKey, "canary-unquoted"),
        tfa_secret: "canary-in-clear",
        cookies: [{ name: "a" }],
        max_concurrency: 0,
        proxy_value: "x"
      }
      for (const method of ["POST", "PUT"]) {
        const { body, status, text } = yield* ask(method, "/vault", bad)
        assert.strictEqual(status, 400)
        assert.deepInclude(body, { statusCode: 400, error: "Bad Request", code: "VALIDATION_FAILED" })
        const errors = (body.errors as ReadonlyArray<Record<string, string>>).map(({ path }) => path)
        const form = ["cookies[0].value", "domain", "max_concurrency", "permissioned_user_id"]
        const rules = ["password", "proxy_setting", "tfa_secret", "user_name"]
        assert.deepStrictEqual(errors.sort(), [...form, ...(method === "POST" ? rules : [])].sort())
        assert.notMatch(text, /canary/)
      }
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect("changes what is sent, by any domain of the same host, and answers 404 for an unknown pair", () =>
    Effect.gen(function* () {
      const { ask, sealed } = yield* asMember()
      const first = yield* ask("POST", "/vault", { ...pair, user_name: sealed("bob"), user_alias: "Bob", cookies })
      const password = sealed("new")
      const after = yield* ask("PUT", "/vault", { ...pair, domain: "App.Example.com", password, user_alias: null })
      const { user_alias, ...others } = first.body
      assert.strictEqual(user_alias, "Bob")
      assert.deepStrictEqual(after.body, { ...others, password })
      const wrong = yield* ask("PUT", "/vault", { ...pair, password: "00" })
      assert.deepInclude(wrong.body, {
        statusCode: 400,
        errors: [{ path: "password", message: (wrong.body.errors as Array<{ message: string }>)[0]?.message }]
      })
      assert.deepStrictEqual((yield* ask("GET", `/vault${query(pair)}`)).body, after.body)
      for (const [method, path] of [
        ["PUT", "/vault"],
        ["DELETE", "/vault"],
        ["PATCH", "/vault/clear-browser-state"]
      ] as const) {
        const { body, status } = yield* ask(method, path, { ...pair, permissioned_user_id: "nobody" })
        assert.deepStrictEqual([status, body.statusCode, body.error], [404, 404, "Not Found"])
      }
    })
  )

  it.effect("clears the browser state, and removes an entry and answers what it was", () =>
    Effect.gen(function* () {
      const { ask, sealed } = yield* asMember("Owner")
      const password = sealed("x")
      const state = {
        cookies,
        local_storage: { a: 1 },
        session_storage: { b: [2] },
        headers: [{ name: "A", value: "b" }]
      }
      const made = yield* ask("POST", "/vault", { ...pair, ...state, password })
      assert.deepInclude(made.body, state)
      const cleared = yield* ask("PATCH", "/vault/clear-browser-state", pair)
      assert.deepStrictEqual([cleared.status, cleared.body], [200, { success: true }])
      const gone = { cookies: null, local_storage: null, session_storage: null, session_data_set_at: null }
      const removed = yield* ask("DELETE", "/vault", pair)
      assert.deepStrictEqual([removed.status, removed.body], [200, { ...made.body, ...gone }])
      assert.strictEqual((yield* ask("DELETE", "/vault", pair)).status, 404)
      assert.strictEqual((yield* ask("GET", "/vault")).text, "[]")
      assert.strictEqual((yield* ask("POST", "/vault", pair)).status, 201)
    })
  )

  it.effect("refuses to remove or to clear what is not named as it should be", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { ask, me } = yield* asMember()
      for (const [method, path] of [
        ["DELETE", "/vault"],
        ["PATCH", "/vault/clear-browser-state"]
      ] as const) {
        for (const json of [{}, [], 7, null, { domain: "https://app.example.com" }, { ...pair, domain: 1 }]) {
          const { body, status } = yield* ask(method, path, json)
          assert.deepStrictEqual([status, body.statusCode, body.error], [400, 400, "Bad Request"])
        }
        for (const raw of ["", "{", "x=1"]) {
          const headers = { "content-type": "application/json" }
          const { status } = yield* send({ method, path, key: me.key, raw, headers })
          assert.strictEqual(status, 400)
        }
      }
    })
  )

  it.effect("shows a Viewer no browser state, and secrets only sealed", () =>
    Effect.gen(function* () {
      const owner = yield* asMember("Owner")
      const password = owner.sealed("x")
      const made = yield* owner.ask("POST", "/vault", { ...pair, password, cookies, local_storage: {}, headers: [] })
      const viewer = yield* asMember("Viewer", owner.me)
      const nothing = { cookies: null, local_storage: null, session_storage: null, headers: null }
      assert.deepStrictEqual((yield* viewer.ask("GET", `/vault${query(pair)}`)).body, { ...made.body, ...nothing })
      const older = yield* viewer.ask("GET", `/authentication${query(pair)}`)
      assert.deepInclude(older.body, { password, cookies: null, local_storage: null })
    })
  )

  it.effect("marks every answer as not to be stored, refusals as well", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { ask, me } = yield* asMember()
      const answers = [
        yield* ask("GET", "/vault"),
        yield* ask("GET", "/vault/tfa-code"),
        yield* ask("GET", `/vault/tfa-code${query(pair)}`),
        yield* ask("POST", "/vault", {}),
        yield* ask("POST", "/vault/tfa-code", {}),
        yield* ask("GET", "/authentication?permissioned_user_id=unknown"),
        yield* ask("GET", "/secret-providers"),
        yield* send({ method: "GET", path: `/vault/tfa-code${query(pair)}` }),
        yield* send({
          method: "POST",
          path: "/vault",
          key: me.key,
          raw: "{",
          headers: { "content-type": "application/json" }
        })
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 400, 404, 400, 405, 200, 200, 401, 400]
      )
      assert.deepStrictEqual(
        answers.map(({ headers }) => headers.get("cache-control")),
        answers.map(() => "no-store")
      )
      assert.strictEqual((yield* ask("GET", "/workflows")).headers.get("cache-control"), "private, no-cache")
    })
  )

  it.effect("keeps no secret and no browser state in clear anywhere", () =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const { ask, me, sealed } = yield* asMember("Owner")
      const canaries = {
        user_name: sealed("canary-user"),
        password: sealed("canary-password"),
        tfa_secret: sealed("otpauth://totp/canary-site?secret=MNQW4YLSPEWXG5DPOJQWOZI"),
        proxy_setting: "custom",
        proxy_value: sealed("socks5://canary:canary@proxy.example:1080"),
        cookies,
        local_storage: { token: "canary-token" },
        session_storage: { token: "canary-session" },
        headers: [{ name: "Authorization", value: "canary-header" }]
      }
      const made = yield* ask("POST", "/vault", { ...pair, ...canaries })
      assert.strictEqual(made.status, 201)
      const entry = yield* (yield* VaultEntries).get(me.caller.workspaceId, String(made.body.id))
      assert.isTrue(Option.isSome(entry))
      const clear = /canary|MNQW4YLSPEWXG5DPOJQWOZI/
      const everything = yield* dump
      assert.include(everything, canaries.password)
      assert.notMatch(everything, clear)
      assert.notInclude(everything, me.encryptionKey)
      const { cookies: _, headers, local_storage, session_storage, ...rest } = made.body
      assert.notMatch(JSON.stringify(rest), clear)
      assert.deepStrictEqual(
        { headers, local_storage, session_storage },
        { headers: canaries.headers, local_storage: canaries.local_storage, session_storage: canaries.session_storage }
      )
    })
  )
})
