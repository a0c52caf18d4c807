import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as HashiCorpVault from "../../../adapters/secrets/HashiCorpVault.ts"
import * as OnePasswordConnect from "../../../adapters/secrets/OnePasswordConnect.ts"
import * as SecretStoreRequest from "../../../adapters/secrets/SecretStoreRequest.ts"
import type { Access, Connection, ProvidedSecrets, SecretSource } from "../../../core/vault/providers/SecretSource.ts"
import { type ConnectItem, connectServer, id, vaultServer } from "../../support/secretServers.ts"

const asking = SecretStoreRequest.make({ ...SecretStoreRequest.defaults, allowPrivateNetworks: true, retryMillis: 0 })
const connection = (access: Access): Connection => ({ id: "1", name: "Safe", access: Redacted.make(access) })

const opened = ({ oneTimeCode, password, tfaSecret, userName }: ProvidedSecrets) =>
  [userName, password, tfaSecret, oneTimeCode].map((one) => (one === null ? null : Redacted.value(one)))

/** Reads a reference: its value, or the failure. */
const reading = (source: SecretSource, mine: Connection) => (ref: string) =>
  source.read(mine, ref).pipe(
    Effect.map(opened),
    Effect.catch(({ _tag }) => Effect.succeed(_tag))
  )

describe("1Password Connect", () => {
  const item = (name: string, title: string, password: string): ConnectItem => ({
    id: id(name),
    title,
    fields: [{ id: "password", purpose: "PASSWORD", type: "CONCEALED", label: "password", value: password }]
  })
  const login: ConnectItem = {
    id: id("login"),
    title: 'The "Login"',
    sections: [{ id: "s1", label: "Second" }],
    fields: [
      { id: "username", purpose: "USERNAME", type: "STRING", label: "username", value: "bob" },
      { id: "password", purpose: "PASSWORD", type: "CONCEALED", label: "password", value: "one" },
      { id: "f1", type: "CONCEALED", label: "PIN", value: "1234" },
      { id: "f2", section: { id: "s1" }, type: "CONCEALED", label: "PIN", value: "5678" },
      { id: "f3", section: { id: "s1" }, type: "OTP", label: "one-time password", totp: "654321" },
      { id: "f4", type: "STRING", label: "nothing" }
    ]
  }
  const store = Effect.gen(function* () {
    const server = yield* connectServer([
      {
        id: id("robots"),
        name: "Robots",
        items: [
          login,
          item("twin1", "Twin", "a"),
          item("twin2", "Twin", "b"),
          { ...item("old", "Old", "c"), state: "ARCHIVED" }
        ]
      },
      { id: id("people"), name: "People", items: [item("mail", "Mail", "d")] },
      { id: id("double1"), name: "Double", items: [] },
      { id: id("double2"), name: "Double", items: [] }
    ])
    const source = OnePasswordConnect.make(asking)
    return {
      source,
      mine: (more: Access = {}) => connection({ url: server.url, token: server.token, ...more }),
      server
    }
  })

  it.effect("finds items by names, by ids, by an id alone, in upper or lower case", () =>
    Effect.gen(function* () {
      const { mine, source } = yield* store
      const read = reading(source, mine())
      const whole = ["bob", "one", null, "654321"]
      for (const ref of [
        'op://Robots/The "Login"',
        'op://robots/The "Login"',
        `op://${id("robots")}/${id("login")}`,
        `op://Robots/${id("login")}`,
        `op://${id("robots")}/The "Login"`,
        id("login")
      ]) {
        assert.deepStrictEqual(yield* read(ref), whole, ref)
      }
      for (const ref of [
        "op://Robots/Twin",
        "op://Double/Mail",
        "op://Robots/Mail",
        "op://Nowhere/Mail",
        id("nowhere"),
        `op://${id("nowhere")}/${id("login")}`,
        "op://Robots",
        "op://Robots//Login",
        "op://a/b/c/d/e",
        "Login",
        ""
      ]) {
        assert.strictEqual(yield* read(ref), "ItemNotFound", ref)
      }
    })
  )

  it.effect("takes a single field of an item, also of one section", () =>
    Effect.gen(function* () {
      const { mine, source } = yield* store
      const read = reading(source, mine())
      const base = `op://Robots/${id("login")}`
      assert.deepStrictEqual(yield* read(`${base}/pin`), [null, "1234", null, null])
      assert.deepStrictEqual(yield* read(`${base}/second/PIN`), [null, "5678", null, null])
      assert.deepStrictEqual(yield* read(`${base}/s1/PIN`), "ItemNotFound")
      assert.deepStrictEqual(yield* read(`${base}/f2`), [null, "5678", null, null])
      assert.deepStrictEqual(yield* read(`${base}/one-time password?attribute=otp`), [null, null, null, "654321"])
      assert.deepStrictEqual(yield* read(`${base}/nothing`), "ItemIncomplete")
      assert.deepStrictEqual(yield* read(`${base}/none`), "ItemNotFound")
    })
  )

  it.effect("stays within the vault that the connection names, and lists what is not archived", () =>
    Effect.gen(function* () {
      const { mine, source } = yield* store
      const titles = (more: Access) =>
        Effect.map(source.items(mine(more)), (items) => items.map(({ title, vaultName }) => `${vaultName}/${title}`))
      assert.deepStrictEqual(yield* titles({}), ['Robots/The "Login"', "Robots/Twin", "Robots/Twin", "People/Mail"])
      for (const vault of ["People", id("people")]) {
        const read = reading(source, mine({ vault }))
        assert.deepStrictEqual(yield* titles({ vault }), ["People/Mail"])
        assert.deepStrictEqual(yield* read("op://People/Mail"), [null, "d", null, null])
        assert.deepStrictEqual(yield* read(id("mail")), [null, "d", null, null])
        for (const ref of ["op://Robots/Twin", id("twin1"), `op://${id("robots")}/${id("twin1")}`]) {
          assert.strictEqual(yield* read(ref), "ItemNotFound", ref)
        }
      }
      assert.strictEqual((yield* Effect.flip(source.check(mine({ vault: "Nowhere" }))))._tag, "ItemNotFound")
    })
  )
})

describe("HashiCorp Vault", () => {
  const store = Effect.gen(function* () {
    const server = yield* vaultServer(
      new Map<string, Record<string, unknown> | null>([
        [
          "app/login",
          { user: "bob", password: 1234, otp: "JBSWY3DPEHPK3PXP", pin: "5678", seed: "otpauth://totp/a?secret=AA" }
        ],
        ["app/deep/er/login", { password: "x" }],
        ["odd name ✓/a%b", { password: "odd" }],
        ["gone", null],
        ["object", { password: { a: 1 } }]
      ])
    )
    const source = HashiCorpVault.make(asking)
    return {
      source,
      server,
      mine: (more: Access = {}) => connection({ url: server.url, token: server.token, ...more })
    }
  })
  const roleOf = ({ role, url }: { readonly role: Access; readonly url: string }) => connection({ url, ...role })

  it.effect("finds secrets with or without their mount, and takes the keys that a reference names", () =>
    Effect.gen(function* () {
      const { mine, source } = yield* store
      const read = reading(source, mine())
      const whole = ["bob", "1234", "JBSWY3DPEHPK3PXP", null]
      for (const ref of ["secret/app/login", "secret/data/app/login", "app/login", "/app/login"]) {
        assert.deepStrictEqual(yield* read(ref), whole, ref)
      }
      assert.deepStrictEqual(yield* read("app/login#pin"), [null, "5678", null, null])
      assert.deepStrictEqual(yield* read("app/login#seed"), [null, null, "otpauth://totp/a?secret=AA", null])
      assert.deepStrictEqual(yield* read("app/login#password=pin&user_name=none"), [
        null,
        "5678",
        "JBSWY3DPEHPK3PXP",
        null
      ])
      assert.deepStrictEqual(yield* read("odd name ✓/a%b"), [null, "odd", null, null])
      assert.strictEqual(yield* read("app/login#none"), "ItemNotFound")
      assert.strictEqual(yield* read("object"), "ItemIncomplete")
      for (const ref of ["gone", "app", "app/../gone", "app//login", "#pin", "secret/", "kv/app/login", "\ud800"]) {
        assert.strictEqual(yield* read(ref), "ItemNotFound", ref)
      }
    })
  )

  it.effect("lists secrets in folders below folders", () =>
    Effect.gen(function* () {
      const { mine, server, source } = yield* store
      const items = yield* source.items(mine())
      assert.deepStrictEqual(
        items.map(({ ref }) => ref).sort(),
        [...server.secrets.keys()].map((path) => `secret/${path}`).sort()
      )
      server.secrets.clear()
      assert.deepStrictEqual(yield* source.items(mine()), [])
    })
  )

  it.effect("asks within its namespace and mount", () =>
    Effect.gen(function* () {
      const server = yield* vaultServer(new Map([["a", { password: "x" }]]), "team/kv")
      server.state.namespace = "robots"
      const source = HashiCorpVault.make(asking)
      const access = { url: server.url, token: server.token, mount: "team/kv" }
      const read = (more: Access) => reading(source, connection({ ...access, ...more }))("team/kv/data/a")
      assert.deepStrictEqual(yield* read({ namespace: "robots" }), [null, "x", null, null])
      assert.strictEqual(yield* read({}), "AccessRefused")
      assert.strictEqual(yield* read({ namespace: "robots", mount: "secret" }), "AccessRefused")
    })
  )

  it.effect("logs in by its role once for many questions, and again before the token ends", () =>
    Effect.gen(function* () {
      const { server, source } = yield* store
      const mine = roleOf(server)
      const logins = () => server.asked.filter(({ method }) => method === "POST").length
      yield* source.check(mine)
      yield* Effect.all(
        Array.from({ length: 5 }, () => source.read(mine, "app/login")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(logins(), 1)
      yield* TestClock.adjust("17 minutes")
      yield* source.read(mine, "app/login")
      assert.strictEqual(logins(), 1)
      yield* TestClock.adjust("1 minute")
      yield* source.read(mine, "app/login")
      assert.strictEqual(logins(), 2)
    })
  )

  it.effect("logs in again when the token is worthless before its time, and gives up when that does not help", () =>
    Effect.gen(function* () {
      const { server, source } = yield* store
      const mine = roleOf(server)
      const read = reading(source, mine)
      const whole = ["bob", "1234", "JBSWY3DPEHPK3PXP", null]
      assert.deepStrictEqual(yield* read("app/login"), whole)
      server.revoke()
      assert.deepStrictEqual(yield* read("app/login"), whole)
      assert.strictEqual(server.asked.length, 5)
      server.instead([403, { errors: ["permission denied"] }])
      assert.deepStrictEqual(yield* read("app/login"), whole)
      // The old token, a login, and the new one.
      const denied = [403, { errors: ["permission denied"] }] as const
      server.instead(denied, [200, { auth: { client_token: "another", lease_duration: 0 } }], denied)
      assert.strictEqual(yield* read("app/login"), "AccessRefused")
      const wrong = connection({ url: server.url, ...server.role, secret_id: "canary" })
      const error = yield* Effect.flip(source.check(wrong))
      assert.strictEqual(error._tag, "AccessRefused")
      assert.notInclude(error.message, "canary")
    })
  )

  it.effect("says of a store that is sealed that it is", () =>
    Effect.gen(function* () {
      const { mine, server, source } = yield* store
      server.state.sealed = true
      const error = yield* Effect.flip(source.read(mine(), "app/login"))
      assert.strictEqual(error._tag, "SourceUnavailable")
      assert.include(error.message, "sealed")
    })
  )
})
