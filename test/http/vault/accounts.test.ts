import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as HttpSources from "../../../adapters/secrets/HttpSources.ts"
import * as SecretStoreRequest from "../../../adapters/secrets/SecretStoreRequest.ts"
import * as RunAccounts from "../../../core/execution/RunAccounts.ts"
import * as SavedSession from "../../../core/execution/SavedSession.ts"
import type { Run } from "../../../core/run/Run.ts"
import type { Outcome } from "../../../core/run/Transition.ts"
import { Accounts } from "../../../core/vault/Accounts.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { SecretConnections } from "../../../core/vault/providers/SecretConnections.ts"
import { SecretProviders } from "../../../core/vault/providers/SecretProviders.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import { vaultServer } from "../../support/secretServers.ts"

const layer = Layer.mergeAll(Accounts.layer, SecretConnections.layer, Vault.layer).pipe(
  Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(
    Layer.mergeAll(
      Memory.layer,
      Crypto.layer,
      HttpSources.layer({ ...SecretStoreRequest.defaults, allowPrivateNetworks: true, retryMillis: 0 })
    )
  )
)

const site = { domain: "https://app.example.com", alias: "LOGIN" }

/** A workspace with a connection to its own Vault, and credentials that are bound to its secrets. */
const bound = Effect.fnUntraced(function* (cacheTtlSeconds: number | null) {
  const caller = yield* makeWorkspace("Owner")
  const accounts = yield* Accounts
  const connections = yield* SecretConnections
  const vault = yield* Vault
  const server = yield* vaultServer(new Map([["login", { username: "bob", password: "one", otp: "JBSWY3DPEHPK3PXP" }]]))
  const token = yield* (yield* Sealing).seal(caller.workspaceId, Redacted.make(server.token))
  const body = {
    provider_type: "hashicorp_vault",
    name: "Vault",
    config: { url: server.url, token },
    cache_ttl_seconds: cacheTtlSeconds
  }
  const provider = yield* connections.create(caller, body, { tried: false })
  const bind = (user: string, ref: string, more: object = {}) =>
    vault.create(caller, {
      permissioned_user_id: user,
      domain: site.domain,
      secret_provider_id: provider.id,
      secret_ref: ref,
      ...more
    })
  const open = (user: string) => accounts.open(caller.workspaceId, { ...site, permissionedUserId: user })
  /** The password that a run that begins now signs in with. */
  const password = (user: string) =>
    Effect.flatMap(open(user), ({ secrets }) =>
      Effect.map(secrets, ({ password }) => (password === null ? null : Redacted.value(password)))
    )
  return { accounts, bind, caller, connections, open, password, provider, server, vault }
})

it.layer(Layer.fresh(layer))("a credential that is bound to a secret provider", (it) => {
  it.effect("is read when something asks for it, and the same for the whole of a run", () =>
    Effect.gen(function* () {
      const { bind, open, server } = yield* bound(null)
      yield* bind("robot", "secret/login")
      const account = yield* open("robot")
      assert.strictEqual(server.asked.length, 0)
      const secrets = yield* account.secrets
      assert.deepStrictEqual(
        [secrets.userName, secrets.password, secrets.tfaSecret].map((one) => one && Redacted.value(one)),
        ["bob", "one", "JBSWY3DPEHPK3PXP"]
      )
      server.secrets.set("login", { password: "two" })
      assert.strictEqual(yield* account.secrets, secrets)
      assert.strictEqual(server.asked.length, 1)
      const next = yield* (yield* open("robot")).secrets
      assert.strictEqual(next.password && Redacted.value(next.password), "two")
      assert.isNull(next.tfaSecret)
      assert.isDefined(account.providedCode)
      assert.isNull(yield* account.providedCode ?? Effect.succeed("none"))
    })
  )

  it.effect("is used again for as long as its connection says, or the entry itself", () =>
    Effect.gen(function* () {
      const { bind, password, server } = yield* bound(60)
      yield* bind("usual", "secret/login")
      yield* bind("never", "secret/login", { secret_cache_ttl_seconds: 0 })
      yield* bind("brief", "secret/login", { secret_cache_ttl_seconds: 10 })
      assert.strictEqual(yield* password("usual"), "one")
      server.secrets.set("login", { password: "two" })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([yield* password("usual"), yield* password("brief")], ["one", "one"])
      assert.strictEqual(yield* password("never"), "two")
      yield* TestClock.adjust("54999 millis")
      assert.strictEqual(yield* password("usual"), "one")
      yield* TestClock.adjust("1 millis")
      server.instead([503, {}], [503, {}])
      const error = yield* Effect.flip(password("usual"))
      assert.strictEqual(error._tag, "AccountUnavailable")
      assert.strictEqual(yield* password("usual"), "two")
    })
  )

  it.effect("is used again after a run has kept its session", () =>
    Effect.gen(function* () {
      const { bind, caller, open, password, server } = yield* bound(3_600)
      yield* bind("robot", "secret/login", { persist_cookies: true })
      assert.strictEqual(yield* password("robot"), "one")
      server.secrets.set("login", { password: "two" })
      yield* TestClock.adjust("1 seconds")
      const { entry } = yield* open("robot")
      const keep = SavedSession.kept(entry, { cookies: "sealed" }, yield* Clock.currentTimeMillis)
      yield* (yield* VaultEntries).change(caller.workspaceId, entry.id, (before) => Result.succeed(keep(before)))
      assert.strictEqual((yield* open("robot")).entry.fields.cookies, "sealed")
      assert.strictEqual(yield* password("robot"), "one")
    })
  )

  it.effect("is read again after a login with it failed, or the entry or the connection was changed", () =>
    Effect.gen(function* () {
      const { accounts, bind, caller, connections, open, password, provider, server, vault } = yield* bound(3_600)
      yield* bind("robot", "secret/login")
      assert.strictEqual(yield* password("robot"), "one")
      const changes = [
        Effect.flatMap(open("robot"), ({ entry }) => accounts.forget(entry)),
        vault.update(caller, { permissioned_user_id: "robot", domain: site.domain, user_alias: "Bob" }),
        connections.change(caller, provider.id, { name: "Another" }, { tried: false })
      ]
      for (const [index, change] of changes.entries()) {
        server.secrets.set("login", { password: `changed ${index}` })
        yield* TestClock.adjust("1 seconds")
        assert.notStrictEqual(yield* password("robot"), `changed ${index}`)
        yield* change
        assert.strictEqual(yield* password("robot"), `changed ${index}`)
      }
    })
  )

  it.effect("is read again by the runs after one that could not sign in with it", () =>
    Effect.gen(function* () {
      const { bind, caller, password, server } = yield* bound(3_600)
      yield* bind("robot", "secret/login")
      assert.strictEqual(yield* password("robot"), "one")
      server.secrets.set("login", { password: "two" })
      const forget = yield* RunAccounts.forgetting
      const credentials = [{ alias: site.alias, domain: site.domain, permissionedUserIds: ["robot"] }]
      const run = { workspaceId: caller.workspaceId, credentials } as unknown as Run
      const failed: Outcome = { _tag: "Failed", data: {}, errors: [] }
      for (const outcome of [{ _tag: "Success", data: {} } as const, failed, { ...failed, failedLogin: "OTHER" }]) {
        yield* forget(run, outcome)
        assert.strictEqual(yield* password("robot"), "one")
      }
      yield* forget(run, { ...failed, failedLogin: site.alias })
      assert.strictEqual(yield* password("robot"), "two")
    })
  )

  it.effect("says why it cannot be used, and repeats no secret", () =>
    Effect.gen(function* () {
      const { bind, caller, password, provider, server } = yield* bound(60)
      server.secrets.set("half", { username: "canary-user" })
      for (const user of ["missing", "half"]) yield* bind(user, `secret/${user}`)
      yield* bind("robot", "secret/login")
      const reason = (user: string) =>
        Effect.map(Effect.flip(password(user)), ({ _tag, message }) => {
          assert.strictEqual(_tag, "AccountUnavailable")
          assert.notInclude(message, "canary")
          return message
        })
      assert.include(yield* reason("missing"), 'no secret "missing"')
      assert.include(yield* reason("half"), "neither a password")
      server.state.sealed = true
      assert.include(yield* reason("robot"), "sealed")
      server.state.sealed = false
      server.instead([403, { errors: ["canary"] }])
      assert.include(yield* reason("robot"), "does not accept the token")
      // The connection disappears without the service noticing.
      yield* (yield* SecretProviders).remove(caller.workspaceId, provider.id)
      assert.include(yield* reason("robot"), "no longer has such a connection")
    })
  )

  it.effect("is asked for once by runs that begin together", () =>
    Effect.gen(function* () {
      const { bind, password, server } = yield* bound(null)
      for (const user of ["a", "b", "c"]) yield* bind(user, "secret/login")
      const all = yield* Effect.all(["a", "b", "c", "a"].map(password), { concurrency: "unbounded" })
      assert.deepStrictEqual(all, ["one", "one", "one", "one"])
      assert.strictEqual(server.asked.length, 1)
    })
  )
})
