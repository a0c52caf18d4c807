import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import * as MemorySecretSource from "../../adapters/memory/vault/MemorySecretSource.ts"
import * as HttpSources from "../../adapters/secrets/HttpSources.ts"
import * as SecretStoreRequest from "../../adapters/secrets/SecretStoreRequest.ts"
import {
  type Access,
  AccessRefused,
  type Connection,
  ItemNotFound,
  type ProvidedSecrets,
  type SecretSource,
  SecretSources,
  SourceUnavailable
} from "../../core/vault/providers/SecretSource.ts"
import * as Contract from "../kit/contracts/Contract.ts"
import * as SecretSourceContract from "../kit/contracts/vault/SecretSourceContract.ts"
import type { StandIn } from "../support/fakeServer.ts"
import { connectServer, id, vaultServer } from "../support/secretServers.ts"

const { otpauth } = SecretSourceContract

const connection = (access: Access): Connection => ({ id: "1", name: "Safe", access: Redacted.make(access) })

const onePassword = Effect.gen(function* () {
  const field = (purpose: string, value: string) => ({ id: purpose.toLowerCase(), type: "STRING", purpose, value })
  const item = (title: string, ...fields: ReadonlyArray<Readonly<Record<string, unknown>>>) => ({
    id: id(title),
    title,
    fields
  })
  const plain = item("plain", field("USERNAME", "bob"), field("PASSWORD", "canary-plain"))
  const code = { id: "TOTP_1", type: "OTP", label: "one-time password", value: otpauth, totp: "123456" }
  const full = item("full", field("USERNAME", "bob"), field("PASSWORD", "canary-full"), code)
  const empty = item("empty", field("USERNAME", "bob"), field("NOTES", "canary-notes"))
  const server = yield* connectServer([{ id: id("vault"), name: "Robots", items: [full, plain, empty] }])
  const ref = (title: string) => `op://${id("vault")}/${id(title)}`
  return {
    server,
    connection: connection({ url: server.url, token: server.token }),
    wrong: connection({ url: server.url, token: "canary-wrong" }),
    refs: { full: ref("full"), plain: ref("plain"), empty: ref("empty"), missing: ref("missing") },
    change: (password: string) =>
      Effect.sync(() => {
        plain.fields = [field("PASSWORD", password)]
      })
  }
})

/** By a token, or by the role of an application, which the source signs in with. */
const hashiCorp = (byRole: boolean) =>
  Effect.gen(function* () {
    const server = yield* vaultServer(
      new Map([
        ["full", { username: "bob", password: "canary-full", totp: otpauth }],
        ["plain", { username: "bob", password: "canary-plain" }],
        ["empty", { username: "bob", note: "canary-note" }]
      ])
    )
    const { role, token, url } = server
    return {
      server,
      connection: connection(byRole ? { url, ...role } : { url, token }),
      wrong: connection(byRole ? { url, ...role, secret_id: "canary-wrong" } : { url, token: "canary-wrong" }),
      refs: { full: "secret/full", plain: "secret/plain", empty: "secret/empty", missing: "secret/missing" },
      change: (password: string) => Effect.sync(() => void server.secrets.set("plain", { password }))
    }
  })

/** A store behind a server. */
const served = (
  type: string,
  each: Effect.Effect<SecretSourceContract.Store & { readonly server: StandIn }, never, Scope.Scope>
) =>
  Layer.merge(
    Layer.succeed(SecretSourceContract.SecretStore, { type, store: each }),
    Layer.succeed(SecretSourceContract.Outages, {
      silent: Effect.map(each, ({ server, ...store }) => {
        server.instead(...Array.from({ length: 8 }, () => () => undefined))
        return { ...store, asked: Effect.asVoid(server.next) }
      }),
      gone: Effect.scoped(each)
    })
  )

const stores = {
  "1Password Connect": served("1password", onePassword),
  "HashiCorp Vault, by a token": served("hashicorp_vault", hashiCorp(false)),
  "HashiCorp Vault, by a role": served("hashicorp_vault", hashiCorp(true))
}

const overHttp = HttpSources.layer({ ...SecretStoreRequest.defaults, allowPrivateNetworks: true, retryMillis: 0 })

/** The sources, of which the one of the given type does one thing otherwise. */
const otherwise = (fault: (source: SecretSource) => Partial<SecretSource>) =>
  Layer.effect(
    SecretSources,
    Effect.map(
      SecretSources,
      (sources) => new Map([...sources].map(([type, one]) => [type, { ...one, ...fault(one) }]))
    )
  ).pipe(Layer.provide(overHttp))

const brokenBy = (sources: Layer.Layer<never>, store = stores["HashiCorp Vault, by a token"]) =>
  Effect.map(
    Contract.broken(
      [...SecretSourceContract.promises, ...SecretSourceContract.outside],
      Effect.provide(Layer.merge(Layer.fresh(sources), store))
    ),
    (broken) => broken.map(({ title }) => title.replace("a source of secrets ", ""))
  )

const failing = (message: string) => Effect.fail(new SourceUnavailable({ provider: "Safe", reason: message }))

const titles = {
  reads: "reads what an item holds, as it is now",
  lists: "lists items by references that read them, and no secret",
  missing: "distinguishes a missing item from an unusable one, and repeats no secret",
  refused: "says when the access is refused, whatever is asked",
  many: "answers many questions at once, each its own",
  shown: "keeps what it reads from being shown",
  gone: "says that a store cannot be reached",
  late: "waits 10 seconds at most for a store",
  interrupted: "ends promptly when it is interrupted"
}

/** Each fault, and the promises that it breaks. */
const faults: Readonly<Record<string, readonly [() => Layer.Layer<never>, ReadonlyArray<string>]>> = {
  "that keeps what it has read": [
    () => {
      const read = new Map<string, ProvidedSecrets>()
      return otherwise((source) => ({
        read: (connection, ref) => {
          const key = `${Redacted.value(connection.access).url} ${Redacted.value(connection.access).token} ${ref}`
          const known = read.get(key)
          return known === undefined
            ? Effect.tap(source.read(connection, ref), (found) => Effect.sync(() => void read.set(key, found)))
            : Effect.succeed(known)
        }
      }))
    },
    [titles.reads]
  ],
  "that lists what it cannot read": [
    () =>
      otherwise(({ items }) => ({
        items: (connection) =>
          Effect.map(items(connection), (all) => all.map((one) => ({ ...one, ref: `x/${one.ref}` })))
      })),
    [titles.lists]
  ],
  "that takes an unusable item for a missing one": [
    () =>
      otherwise(({ read }) => ({
        read: (connection, ref) =>
          Effect.catchTag(read(connection, ref), "ItemIncomplete", ({ provider, reason }) =>
            Effect.fail(new ItemNotFound({ provider, reason }))
          )
      })),
    [titles.missing]
  ],
  "that repeats the access that was refused": [
    () =>
      otherwise(({ check }) => ({
        check: (connection) =>
          Effect.catchTag(check(connection), "AccessRefused", ({ provider }) =>
            Effect.fail(new AccessRefused({ provider, reason: `${Redacted.value(connection.access).token} is wrong` }))
          )
      })),
    [titles.refused]
  ],
  "that lets everyone in whom it has let in before": [
    () => {
      let known: Connection | null = null
      return otherwise(({ read }) => ({
        read: (connection, ref) => {
          const { url } = Redacted.value(connection.access)
          const isKnown = known !== null && Redacted.value(known.access).url === url
          return Effect.tap(read(isKnown && known !== null ? known : connection, ref), () =>
            Effect.sync(() => {
              known = isKnown ? known : connection
            })
          )
        }
      }))
    },
    [titles.refused]
  ],
  "that shows what it reads": [
    () =>
      otherwise(({ read }) => ({
        read: (connection, ref) =>
          Effect.map(read(connection, ref), (found) =>
            Object.assign({}, found, { toString: () => String(found.password && Redacted.value(found.password)) })
          )
      })),
    [titles.shown]
  ],
  "that takes a store that is away for one that refuses": [
    () =>
      otherwise(({ check }) => ({
        check: (connection) =>
          Effect.catchTag(check(connection), "SourceUnavailable", ({ provider, reason }) =>
            Effect.fail(new AccessRefused({ provider, reason }))
          )
      })),
    [titles.gone]
  ],
  "that waits for longer": [
    () =>
      HttpSources.layer({
        ...SecretStoreRequest.defaults,
        allowPrivateNetworks: true,
        retryMillis: 0,
        budgetMillis: 10_001
      }),
    [titles.late]
  ],
  "that cannot be interrupted": [
    () => otherwise(({ read }) => ({ read: (...asked) => Effect.onInterrupt(read(...asked), () => Effect.never) })),
    [titles.interrupted]
  ],
  "that answers one question at a time, and gives the others up": [
    () => {
      let asked = 0
      return otherwise(({ read }) => ({
        read: (...question) =>
          Effect.suspend(() => {
            asked++
            return asked > 2 ? failing("busy") : read(...question)
          }).pipe(Effect.ensuring(Effect.sync(() => void asked--)))
      }))
    },
    [titles.many]
  ]
}

const inMemory = Layer.unwrap(
  Effect.sync(() => {
    const item = (
      title: string,
      secrets: Partial<Record<keyof ProvidedSecrets, string>>
    ): MemorySecretSource.StoredItem => {
      const of = (name: keyof ProvidedSecrets) => (secrets[name] === undefined ? null : Redacted.make(secrets[name]))
      const all = { userName: of("userName"), password: of("password"), tfaSecret: of("tfaSecret"), oneTimeCode: null }
      return { id: title, title, vaultName: null, secrets: all }
    }
    const items = new Map<string, MemorySecretSource.StoredItem>()
    const store = Effect.sync(() => {
      items.set("full", item("full", { userName: "bob", password: "canary-full", tfaSecret: otpauth }))
      items.set("plain", item("plain", { userName: "bob", password: "canary-plain" }))
      items.set("empty", item("empty", { userName: "bob" }))
      return {
        connection: connection({ token: "canary-token" }),
        wrong: connection({ token: "canary-wrong" }),
        refs: { full: "full", plain: "plain", empty: "empty", missing: "missing" },
        change: (password: string) => Effect.sync(() => void items.set("plain", item("plain", { password })))
      }
    })
    return Layer.merge(
      Layer.succeed(SecretSources, new Map([["memory", MemorySecretSource.make("canary-token", items)]])),
      Layer.succeed(SecretSourceContract.SecretStore, { type: "memory", store })
    )
  })
)

describe("the contract of sources of secrets", () => {
  it.live("is kept in memory", () =>
    Effect.map(Contract.broken(SecretSourceContract.promises, Effect.provide(Layer.fresh(inMemory))), (broken) =>
      assert.deepStrictEqual(broken, [])
    )
  )

  it.live.each(Object.entries(stores))("is kept by %s", ([, store]) =>
    Effect.map(brokenBy(overHttp, store), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live.each(Object.keys(faults))("finds one %s", (fault) =>
    Effect.gen(function* () {
      const [sources, titled] = faults[fault] ?? [() => overHttp, []]
      const hangs = titled.includes(titles.late) || titled.includes(titles.interrupted)
      const broken = brokenBy(sources())
      assert.deepStrictEqual(yield* hangs ? Effect.provideService(broken, Contract.Patience, 2_000) : broken, [
        ...titled
      ])
    })
  )
})
