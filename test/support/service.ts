/**
 * A real HTTP server on a free port with the stores on an embedded database, and plain requests to it.
 *
 * It shares the event loop and the heap with the tests, so its event loop is not measured as a whole.
 * `test/http/attack/bodies.test.ts` measures it while each endpoint receives the most expensive bodies.
 */
import { randomUUID } from "node:crypto"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Exit, Layer, Option, Redacted, References, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as BundleSigning from "../../adapters/crypto/BundleSigning.ts"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as SignedLinks from "../../adapters/crypto/SignedLinks.ts"
import * as HttpSender from "../../adapters/http/HttpSender.ts"
import * as HttpSink from "../../adapters/http/HttpSink.ts"
import * as MailClient from "../../adapters/mail/MailClient.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { Tables } from "../../adapters/memory/Tables.ts"
import type { Probe } from "../../adapters/postgres/server/Probe.ts"
import type { WriteProbe } from "../../adapters/postgres/server/WriteProbe.ts"
import * as HttpSources from "../../adapters/secrets/HttpSources.ts"
import * as SecretAsking from "../../adapters/secrets/SecretStoreRequest.ts"
import * as ThreadSandbox from "../../adapters/threads/ThreadSandbox.ts"
import * as LiveTickets from "../../apps/api/live/LiveTickets.ts"
import { Readiness } from "../../apps/api/Readiness.ts"
import * as Server from "../../apps/api/Server.ts"
import { EncryptionKeys } from "../../core/vault/keys/EncryptionKeys.ts"
import { UserId, WorkspaceId } from "../../core/workspace/Ids.ts"
import { Keys } from "../../core/workspace/Keys.ts"
import type { Limit } from "../../core/workspace/request/RateLimit.ts"
import { InstallationRetention } from "../../core/workspace/retention/RetentionDays.ts"
import type { Caller, Scope as KeyScope } from "../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as Embedded from "./embedded.ts"
import { emptied } from "./emptiedStores.ts"
import { emptyDatabase } from "./emptyDatabase.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, which must be JSON where its type says so. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly key?: string | null
  readonly json?: unknown
  readonly raw?: BodyInit
  readonly headers?: Record<string, string>
}

export interface Member {
  readonly caller: Caller
  readonly key: string
  readonly keyId: string
  /** The key that seals the credentials of the workspace: 64 hexadecimal digits. */
  readonly encryptionKey: string
}

export class Service extends Context.Service<
  Service,
  {
    readonly url: string
    readonly send: (request: Request) => Effect.Effect<Answer>
    /** A key of a new workspace, or of the workspace of another key. */
    readonly member: (role: Caller["role"], beside?: Member, scopes?: ReadonlyArray<KeyScope>) => Effect.Effect<Member>
    readonly revoke: (member: Member) => Effect.Effect<void>
    /** All stored rows, for comparison and search. */
    readonly dump: Effect.Effect<string>
    /** Removes all stored rows, so that a later dump is short. */
    readonly empty: Effect.Effect<void>
  }
>()("test/Service") {}

/** The first piece of a stream, which is then closed. */
const firstOf = async (answer: Response) => {
  const reader = answer.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}

const masterKey = Redacted.make("00".repeat(32))

const service = Layer.effect(
  Service,
  Effect.gen(function* () {
    const url = yield* Server.address
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    const inMemory = yield* Effect.serviceOption(Tables)
    const tables = Effect.sync(() => Option.getOrThrow(inMemory))
    const keys = yield* Keys
    const encryptionKeys = yield* EncryptionKeys
    const workspaces = yield* WorkspaceStore

    const send = ({ headers = {}, json, key = null, method, path, raw }: Request) =>
      Effect.promise(async () => {
        const body = raw ?? (json === undefined ? null : JSON.stringify(json))
        const answer = await fetch(`${url}${path}`, {
          method,
          headers: {
            ...(key === null ? {} : { "cc-key": key }),
            ...(json === undefined ? {} : { "content-type": "application/json" }),
            ...headers
          },
          body,
          redirect: "manual",
          ...(body instanceof ReadableStream ? { duplex: "half" } : {})
        } as RequestInit)
        const text = await (answer.headers.get("content-type") === "text/event-stream"
          ? firstOf(answer)
          : answer.text())
        const isJson = method !== "HEAD" && (answer.headers.get("content-type") ?? "").includes("application/json")
        return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : {} } as Answer
      })

    const member = Effect.fnUntraced(function* (
      role: Caller["role"],
      beside?: Member,
      scopes?: ReadonlyArray<KeyScope>
    ) {
      const workspaceId = beside?.caller.workspaceId ?? WorkspaceId.make(randomUUID())
      if (beside === undefined) {
        yield* workspaces.create({
          id: workspaceId,
          name: "Test",
          createdAt: 0,
          waitingTtlMillis: null,
          inputRequiredTimeoutSeconds: 15,
          signedUrlTtlSeconds: 604_800
        })
      }
      const caller = { workspaceId, userId: UserId.make(randomUUID()), role }
      const key = yield* keys.make
      const keyId = randomUUID()
      yield* workspaces.addKey({
        id: keyId,
        hash: yield* keys.hash(key),
        name: null,
        ...caller,
        createdAt: 0,
        revokedAt: null,
        ...(scopes === undefined ? {} : { scopes })
      })
      const encryptionKey = Redacted.value(yield* encryptionKeys.of(workspaceId))
      return { caller, key: Redacted.value(key), keyId, encryptionKey }
    }, Effect.orDie)

    return Service.of({
      url,
      send,
      member,
      revoke: ({ caller, keyId }) => Effect.orDie(Effect.asVoid(workspaces.revokeKey(caller.workspaceId, keyId, 1))),
      dump: Option.match(sql, {
        onNone: () =>
          Effect.map(tables, (all) =>
            JSON.stringify(all, (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value))
          ),
        onSome: (client) => Effect.provideService(Embedded.dump, SqlClient.SqlClient, client)
      }),
      empty: Option.match(sql, {
        onNone: () => Effect.flatMap(tables, (all) => Effect.provideService(emptied, Tables, all)),
        onSome: (client) => Effect.provideService(emptyDatabase, SqlClient.SqlClient, client)
      })
    })
  })
)

/** The server alone, on the stores in the context. */
const server = (options: {
  readonly port: number
  readonly rateLimits: ReadonlyArray<Limit>
  readonly graceMillis: number
}) =>
  Server.layer({ ...options, host: "127.0.0.1", graceMillis: Effect.succeed(options.graceMillis) }).pipe(
    Layer.provide(Layer.succeed(Readiness, { reasons: Effect.succeed([]) })),
    Layer.provide(Layer.succeed(InstallationRetention, { artifacts: 30, runs: null }))
  )

/**
 * A second server on the stores in the context, until the scope closes. It can be stopped like the server of an ending
 * process, and started again on the same port, with the stored data alone.
 */
export const furtherServer = Effect.gen(function* () {
  let scope = yield* Scope.make()
  const begin = (port: number) =>
    Effect.gen(function* () {
      scope = yield* Scope.make()
      const built = yield* Layer.buildWithScope(
        Layer.fresh(Layer.provide(server({ port, rateLimits: [], graceMillis: 0 }), quiet)),
        scope
      )
      return yield* Effect.provide(Server.address, built)
    })
  const stop = Effect.suspend(() => Scope.close(scope, Exit.void))
  const url = yield* Effect.acquireRelease(begin(0), () => stop)
  return { url, stop, start: Effect.asVoid(begin(Number(new URL(url).port))) }
})

/** The services that the server and the dispatcher of webhooks need beside the stores. */
const layerOutside = (sending: HttpSender.Options) =>
  Layer.mergeAll(
    SignedLinks.layer,
    BundleSigning.layer,
    LiveTickets.layer,
    HttpSender.layer(sending),
    MailClient.layer({ allowPrivateNetworks: sending.allowPrivateNetworks }),
    HttpSink.layer({ ...HttpSink.defaults, allowPrivateNetworks: sending.allowPrivateNetworks }),
    HttpSources.layer({ ...SecretAsking.defaults, allowPrivateNetworks: true, retryMillis: 0 })
  )

type Stores = Layer.Layer<
  Exclude<Layer.Success<typeof Embedded.layer>, PgClient.PgClient | SqlClient.SqlClient | Probe | WriteProbe>
>

interface Options {
  readonly sandbox?: typeof ThreadSandbox.defaults
  readonly rateLimits?: ReadonlyArray<Limit>
  readonly sending?: HttpSender.Options
  readonly stores?: Stores
  /** The grace period of the server after the begin of its stop. */
  readonly graceMillis?: number
}

/** The log has no lines of requests, unless a test sets a level. */
const quiet = Layer.effect(
  References.MinimumLogLevel,
  Effect.map(References.MinimumLogLevel, (level) => (level === "Info" ? "Warn" : level))
)

/** The service, without limits on requests and with the usual bounds unless others are given. */
export const layerWith = ({
  graceMillis = 0,
  rateLimits = [],
  sandbox,
  sending = HttpSender.defaults,
  stores = Embedded.layer
}: Options) =>
  service.pipe(
    Layer.provideMerge(server({ port: 0, rateLimits, graceMillis })),
    Layer.provideMerge(layerOutside(sending)),
    Layer.provideMerge(ThreadSandbox.layer(sandbox)),
    Layer.provideMerge(Encryption.layer(masterKey)),
    Layer.provideMerge(Layer.mergeAll(stores, Crypto.layer)),
    Layer.provide(quiet)
  )

export const layer = layerWith({})

/** The service with its stores in memory. */
export const layerInMemory = layerWith({ stores: Memory.layer })
