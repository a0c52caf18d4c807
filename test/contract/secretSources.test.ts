import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import * as MemorySecretSource from "../../adapters/memory/vault/MemorySecretSource.ts"
import * as HashiCorpVault from "../../adapters/secrets/HashiCorpVault.ts"
import * as OnePasswordConnect from "../../adapters/secrets/OnePasswordConnect.ts"
import * as SecretStoreRequest from "../../adapters/secrets/SecretStoreRequest.ts"
import type { Access, Connection, ProvidedSecrets, SecretSource } from "../../core/vault/providers/SecretSource.ts"
import { connectServer, id, vaultServer } from "../support/secretServers.ts"

const otpauth = "otpauth://totp/Site:robot?secret=JBSWY3DPEHPK3PXP"

/** A store with the items `full`, `plain` (no way to codes) and `empty` (nothing to sign in with), as each store has them. */
interface Store {
  readonly source: SecretSource
  readonly access: Access
  /** The references of the items. */
  readonly refs: Readonly<Record<"full" | "plain" | "empty" | "missing", string>>
  /** Changes the password of the item `plain`. */
  readonly change: (password: string) => void
}

const asking = SecretStoreRequest.make({ ...SecretStoreRequest.defaults, allowPrivateNetworks: true, retryMillis: 0 })

const onePassword = Effect.gen(function* () {
  const field = (purpose: string, value: string) => ({ id: purpose.toLowerCase(), type: "STRING", purpose, value })
  const item = (title: string, ...fields: ReadonlyArray<Readonly<Record<string, unknown>>>) => ({
    id: id(title),
    title,
    fields
  })
  const plain = item("plain", field("USERNAME", "bob"), field("PASSWORD", "canary-plain"))
  const server = yield* connectServer([
    {
      id: id("vault"),
      name: "Robots",
      items: [
        item("full", field("USERNAME", "bob"), field("PASSWORD", "canary-full"), {
          id: "TOTP_1",
          type: "OTP",
          label: "one-time password",
          value: otpauth,
          totp: "123456"
        }),
        plain,
        item("empty", field("USERNAME", "bob"), field("NOTES", "canary-notes"))
      ]
    }
  ])
  const ref = (title: string) => `op://${id("vault")}/${id(title)}`
  return {
    source: OnePasswordConnect.make(asking),
    access: { url: server.url, token: server.token },
    refs: { full: ref("full"), plain: ref("plain"), empty: ref("empty"), missing: ref("missing") },
    change: (password) => {
      plain.fields = [field("PASSWORD", password)]
    }
  } satisfies Store
})

const hashiCorp = Effect.gen(function* () {
  const server = yield* vaultServer(
    new Map([
      ["full", { username: "bob", password: "canary-full", totp: otpauth }],
      ["plain", { username: "bob", password: "canary-plain" }],
      ["empty", { username: "bob", note: "canary-note" }]
    ])
  )
  return {
    source: HashiCorpVault.make(asking),
    access: { url: server.url, token: server.token },
    refs: { full: "secret/full", plain: "secret/plain", empty: "secret/empty", missing: "secret/missing" },
    change: (password) => void server.secrets.set("plain", { password })
  } satisfies Store
})

const memory = Effect.sync(() => {
  const held = (
    title: string,
    secrets: Partial<Record<keyof ProvidedSecrets, string>>
  ): MemorySecretSource.StoredItem => {
    const of = (name: keyof ProvidedSecrets) => (secrets[name] === undefined ? null : Redacted.make(secrets[name]))
    const all = { userName: of("userName"), password: of("password"), tfaSecret: of("tfaSecret"), oneTimeCode: null }
    return { id: title, title, vaultName: null, secrets: all }
  }
  const items = new Map([
    ["full", held("full", { userName: "bob", password: "canary-full", tfaSecret: otpauth })],
    ["plain", held("plain", { userName: "bob", password: "canary-plain" })],
    ["empty", held("empty", { userName: "bob" })]
  ])
  return {
    source: MemorySecretSource.make("canary-token", items),
    access: { token: "canary-token" },
    refs: { full: "full", plain: "plain", empty: "empty", missing: "missing" },
    change: (password) => void items.set("plain", held("plain", { password }))
  } satisfies Store
})

const opened = ({ oneTimeCode, password, tfaSecret, userName }: ProvidedSecrets) =>
  [userName, password, tfaSecret, oneTimeCode].map((one) => (one === null ? null : Redacted.value(one)))

/** The promises of every source of secrets, for each kind of store. */
const suite = (name: string, make: Effect.Effect<Store, never, Scope.Scope>) =>
  describe(`a source of secrets (${name})`, () => {
    const connection = (access: Access): Connection => ({ id: "1", name: "Safe", access: Redacted.make(access) })

    it.effect("reads what an item holds, as it is now", () =>
      Effect.gen(function* () {
        const { access, change, refs, source } = yield* make
        const mine = connection(access)
        yield* source.check(mine)
        assert.deepStrictEqual(opened(yield* source.read(mine, refs.full)), ["bob", "canary-full", otpauth, null])
        assert.deepStrictEqual(opened(yield* source.read(mine, refs.plain)), ["bob", "canary-plain", null, null])
        change("canary-new")
        assert.deepStrictEqual(opened(yield* source.read(mine, refs.plain)), [null, "canary-new", null, null])
      })
    )

    it.effect("lists items by references that read them", () =>
      Effect.gen(function* () {
        const { access, source } = yield* make
        const items = yield* source.items(connection(access))
        assert.deepStrictEqual(items.map(({ title }) => title).sort(), ["empty", "full", "plain"])
        assert.strictEqual(new Set(items.map(({ id }) => id)).size, 3)
        const full = items.find(({ title }) => title === "full")
        const read = yield* source.read(connection(access), full?.ref ?? "")
        assert.deepStrictEqual(opened(read), ["bob", "canary-full", otpauth, null])
      })
    )

    it.effect("distinguishes a missing item from an unusable one, and repeats no secret", () =>
      Effect.gen(function* () {
        const { access, refs, source } = yield* make
        const missing = yield* Effect.flip(source.read(connection(access), refs.missing))
        const senseless = yield* Effect.flip(source.read(connection(access), "../"))
        const empty = yield* Effect.flip(source.read(connection(access), refs.empty))
        assert.deepStrictEqual(
          [missing._tag, senseless._tag, empty._tag],
          ["ItemNotFound", "ItemNotFound", "ItemIncomplete"]
        )
        for (const { message } of [missing, senseless, empty]) {
          assert.include(message, "Safe")
          assert.notInclude(message, "canary")
        }
      })
    )

    it.effect("says when the access is refused, whatever is asked", () =>
      Effect.gen(function* () {
        const { access, refs, source } = yield* make
        const wrong = connection({ ...access, token: "canary-wrong" })
        const failures = [
          yield* Effect.flip(source.check(wrong)),
          yield* Effect.flip(source.items(wrong)),
          yield* Effect.flip(source.read(wrong, refs.full))
        ]
        for (const { _tag, message } of failures) {
          assert.strictEqual(_tag, "AccessRefused")
          assert.notInclude(message, "canary")
        }
      })
    )
  })

suite("1Password Connect", onePassword)
suite("HashiCorp Vault", hashiCorp)
suite("memory", memory)
