/**
 * Making, changing and trying the connections of a workspace to outside stores of secrets.
 */

import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { inOneSentence } from "../../window/Problems.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import * as AuditedChange from "../../workspace/audit/AuditedChange.ts"
import type { KeyTaken } from "../../workspace/Collection.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import { Sealing } from "../keys/Sealing.ts"
import { VaultEntries } from "../VaultEntries.ts"
import { Problem } from "../VaultEntry.ts"
import { BoundSecrets } from "./BoundSecrets.ts"
import * as ConnectionAudit from "./ConnectionAudit.ts"
import * as ConnectionBody from "./ConnectionBody.ts"
import { type SecretProvider, SecretProviders } from "./SecretProviders.ts"
import { type Access, type ConnectionError, type SecretItem, type SecretSource, SecretSources } from "./SecretSource.ts"

/** Raised for a connection that cannot be kept. It lists every problem, and repeats no value. */
export class InvalidConnection extends Schema.TaggedError<InvalidConnection>()("InvalidConnection", {
  problems: Schema.Array(Problem)
}) {
  override get message() {
    return inOneSentence(this.problems)
  }
}

/** Raised for an id that no connection of the workspace has. */
export class ConnectionNotFound extends Schema.TaggedError<ConnectionNotFound>()("ConnectionNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `Secret provider "${this.id.slice(0, 80)}" not found in this workspace`
  }
}

/** Raised on the removal of a connection that credentials still need. */
export class ConnectionInUse extends Schema.TaggedError<ConnectionInUse>()("ConnectionInUse", {
  name: Schema.String,
  entries: Schema.Int
}) {
  override get message() {
    return `Cannot remove the secret provider "${this.name}": ${this.entries} ${this.entries === 1 ? "credential is" : "credentials are"} bound to it. Bind them to another one, or remove them, first`
  }
}

/** Raised when another caller changed the configuration of a connection at the same time. */
export class ConnectionChanged extends Schema.TaggedError<ConnectionChanged>()("ConnectionChanged", {
  name: Schema.String
}) {
  override get message() {
    return `Cannot change the secret provider "${this.name}": its configuration was changed at the same time. Read it again, then try again`
  }
}

/** Whether a connection is tried before it is kept. */
export interface TestOption {
  readonly tried: boolean
}

export class SecretConnections extends Context.Service<
  SecretConnections,
  {
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<SecretProvider>, StoreUnavailable>

    /** Keeps a new connection. One that is tried and does not work is not kept. */
    readonly create: (
      caller: Caller,
      body: unknown,
      trying: TestOption
    ) => Effect.Effect<SecretProvider, InvalidConnection | ConnectionError | KeyTaken | RoleForbids | StoreUnavailable>

    /**
     * Changes a connection. Fields that the body leaves out stay. A new configuration is tried like one of a new
     * connection.
     */
    readonly change: (
      caller: Caller,
      id: string,
      body: unknown,
      trying: TestOption
    ) => Effect.Effect<
      SecretProvider,
      | InvalidConnection
      | ConnectionNotFound
      | ConnectionChanged
      | ConnectionError
      | KeyTaken
      | RoleForbids
      | StoreUnavailable
    >

    /** Removes a connection that no entry is bound to, and answers what it was. */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<SecretProvider, ConnectionNotFound | ConnectionInUse | RoleForbids | StoreUnavailable>

    /** Fails when the store does not answer, or does not accept the access. */
    readonly check: (
      caller: Caller,
      id: string
    ) => Effect.Effect<void, ConnectionNotFound | ConnectionError | RoleForbids | StoreUnavailable>

    readonly items: (
      caller: Caller,
      id: string
    ) => Effect.Effect<ReadonlyArray<SecretItem>, ConnectionNotFound | ConnectionError | StoreUnavailable>
  }
>()("sluice/core/vault/providers/SecretConnections") {
  static readonly layer = Layer.effect(
    SecretConnections,
    Effect.gen(function* () {
      const bound = yield* BoundSecrets
      const entries = yield* VaultEntries
      const audit = yield* Audit
      const identifiers = yield* Identifiers
      const providers = yield* SecretProviders
      const sealing = yield* Sealing
      const sources = yield* SecretSources

      const get = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string) {
        const found = yield* providers.get(workspaceId, id)
        return Option.isSome(found) ? found.value : yield* new ConnectionNotFound({ id })
      })

      const opened = Effect.fnUntraced(function* (caller: Caller, id: string) {
        return yield* bound.open(yield* get(caller, id))
      })

      const read = (reading: Result.Result<ConnectionBody.Sent, ReadonlyArray<Problem>>) =>
        Effect.mapError(Effect.fromResult(reading), (problems) => new InvalidConnection({ problems }))

      /** The configuration that what was sent makes of the one before. */
      const settled = Effect.fnUntraced(function* (
        { workspaceId }: Caller,
        source: SecretSource,
        type: string,
        { config }: ConnectionBody.Sent,
        before: Access | null
      ) {
        const cipher = yield* sealing.cipher(workspaceId)
        const plain: { -readonly [name in keyof ConnectionBody.UnsealedFields]: ConnectionBody.UnsealedFields[name] } =
          {}
        for (const name of ConnectionBody.sealedNames) {
          const sealed = config?.[name]
          if (typeof sealed === "string") plain[name] = yield* Effect.result(cipher.unseal(sealed))
        }
        const access = yield* Effect.fromResult(
          ConnectionBody.settle(type, config ?? {}, plain, before, source.refusal)
        ).pipe(Effect.mapError((problems) => new InvalidConnection({ problems })))
        return { access, sealedAccess: yield* cipher.seal(access) }
      })

      return SecretConnections.of({
        list: Effect.fn("SecretConnections.list")(({ workspaceId }) => providers.list(workspaceId)),

        create: Effect.fn("SecretConnections.create")(function* (caller, body, { tried }) {
          const sent = yield* read(ConnectionBody.readNew(body))
          // A new connection has a name, which the type that changes share does not say.
          const { name = "", provider_type: type } = sent as ConnectionBody.Sent & { readonly name: string }
          const source = sources.get(type ?? "")
          if (source === undefined || type == null) {
            const message = "Expected a type of store that this service can ask"
            return yield* new InvalidConnection({ problems: [{ path: "provider_type", message }] })
          }
          const { access, sealedAccess } = yield* settled(caller, source, type, sent, null)
          const id = yield* identifiers.uuid
          if (tried) yield* source.check({ id, name, access })
          const now = yield* Clock.currentTimeMillis
          const provider: SecretProvider = {
            id,
            workspaceId: caller.workspaceId,
            providerType: type,
            name,
            configHint: ConnectionBody.hintOf(type, access),
            sealedAccess,
            cacheTtlSeconds: sent.cache_ttl_seconds ?? null,
            createdAt: now,
            updatedAt: now
          }
          yield* audit.recording(caller, providers.insert(caller.workspaceId, provider), () => [
            ConnectionAudit.ofChange(null, provider)
          ])
          return provider
        }),

        change: Effect.fn("SecretConnections.change")(function* (caller, id, body, { tried }) {
          const before = yield* get(caller, id)
          const sent = yield* read(ConnectionBody.readChange(body))
          if (sent.provider_type != null && sent.provider_type !== before.providerType) {
            const message = `Expected ${before.providerType}: the type of a connection does not change`
            return yield* new InvalidConnection({ problems: [{ path: "provider_type", message }] })
          }
          const name = sent.name ?? before.name
          const configured =
            sent.config == null
              ? null
              : yield* Effect.gen(function* () {
                  const { providerType } = before
                  // Replace an access that no key can decrypt as a whole.
                  const known = yield* Effect.catchTag(bound.open(before), "AccessRefused", () => Effect.succeed(null))
                  const source = known?.source ?? sources.get(providerType)
                  if (source === undefined) return yield* new ConnectionNotFound({ id })
                  const access = known === null ? null : Redacted.value(known.connection.access)
                  const made = yield* settled(caller, source, providerType, sent, access)
                  if (tried) yield* source.check({ id, name, access: made.access })
                  return {
                    configHint: ConnectionBody.hintOf(providerType, made.access),
                    sealedAccess: made.sealedAccess
                  }
                })
          const now = yield* Clock.currentTimeMillis
          const decide = (current: SecretProvider) =>
            configured !== null && current.sealedAccess !== before.sealedAccess
              ? Result.fail(new ConnectionChanged({ name: current.name }))
              : Result.succeed({
                  ...current,
                  ...configured,
                  name: sent.name ?? current.name,
                  cacheTtlSeconds:
                    sent.cache_ttl_seconds === undefined ? current.cacheTtlSeconds : sent.cache_ttl_seconds,
                  // Later than before in any case: what was read through the connection as it was is not used again.
                  updatedAt: Math.max(now, current.updatedAt + 1)
                })
          const after = yield* AuditedChange.change(audit, caller, providers, id, decide, ConnectionAudit.ofChange)
          return Option.isSome(after) ? after.value : yield* new ConnectionNotFound({ id })
        }),

        remove: Effect.fn("SecretConnections.remove")(function* (caller, id) {
          const { name } = yield* get(caller, id)
          const using = (yield* entries.list(caller.workspaceId)).filter(
            ({ fields }) => fields.secret_provider_id === id
          )
          if (using.length > 0) return yield* new ConnectionInUse({ name, entries: using.length })
          const removed = yield* AuditedChange.remove(audit, caller, providers, id, ConnectionAudit.ofRemoval)
          return Option.isSome(removed) ? removed.value : yield* new ConnectionNotFound({ id })
        }),

        check: Effect.fn("SecretConnections.check")(function* (caller, id) {
          const { connection, source } = yield* opened(caller, id)
          yield* source.check(connection)
        }),

        items: Effect.fn("SecretConnections.items")(function* (caller, id) {
          const { connection, source } = yield* opened(caller, id)
          return yield* source.items(connection)
        })
      })
    }).pipe(
      Permissions.checked<SecretConnections["Service"]>({
        list: "read",
        create: "manage",
        change: "manage",
        remove: "manage",
        check: "manage",
        items: "read"
      })
    )
  ).pipe(Layer.provide(BoundSecrets.layer))
}
