/**
 * Registering and changing the destinations of files of a workspace, and retrying deliveries to them.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { Signals } from "../../runtime/Signals.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import * as AuditedChange from "../../workspace/audit/AuditedChange.ts"
import type { KeyTaken } from "../../workspace/Collection.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import { FileDeliveries, type FileDeliveryFilter, type ListedDelivery } from "./FileDeliveries.ts"
import type { FileDelivery, FileDeliveryNotFailed, FileDeliveryNotFound } from "./FileDelivery.ts"
import {
  type Access,
  DestinationNotFound,
  type DestinationType,
  type FileDestination,
  FileDestinationStore,
  InvalidDestination,
  misfit,
  type OnConflict
} from "./FileDestination.ts"
import { FileSink } from "./FileSink.ts"

/** What a person sets of a destination. An omitted field is not changed. */
export interface DestinationFields {
  readonly name?: string
  readonly url?: string
  readonly hostKey?: string
  readonly onConflict?: OnConflict
  /** `null` removes it. */
  readonly access?: Redacted.Redacted<Access> | null
}

export class FileDestinations extends Context.Service<
  FileDestinations,
  {
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<FileDestination>, StoreUnavailable>

    readonly get: (caller: Caller, id: string) => Effect.Effect<FileDestination, DestinationNotFound | StoreUnavailable>

    readonly create: (
      caller: Caller,
      fields: DestinationFields & { readonly name: string; readonly type: DestinationType; readonly url: string }
    ) => Effect.Effect<FileDestination, InvalidDestination | KeyTaken | RoleForbids | StoreUnavailable>

    /** Changes a destination. Pending deliveries go to its address at the time of sending. */
    readonly change: (
      caller: Caller,
      id: string,
      fields: DestinationFields
    ) => Effect.Effect<
      FileDestination,
      InvalidDestination | DestinationNotFound | KeyTaken | RoleForbids | StoreUnavailable
    >

    /** Removes a destination and answers what it was. Its pending deliveries fail. */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<FileDestination, DestinationNotFound | RoleForbids | StoreUnavailable>

    readonly deliveries: (
      caller: Caller,
      filter: FileDeliveryFilter
    ) => Effect.Effect<ReadonlyArray<ListedDelivery>, StoreUnavailable>

    /** Tries a failed delivery again, and returns its new state. */
    readonly retry: (
      caller: Caller,
      deliveryId: string
    ) => Effect.Effect<FileDelivery, FileDeliveryNotFound | FileDeliveryNotFailed | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/run/delivery/FileDestinations") {
  static readonly layer = Layer.effect(
    FileDestinations,
    Effect.gen(function* () {
      const store = yield* FileDestinationStore
      const deliveries = yield* FileDeliveries
      const audit = yield* Audit
      const identifiers = yield* Identifiers
      const sealing = yield* Sealing
      const sink = yield* FileSink
      const signals = yield* Signals

      const permitted = (type: DestinationType, { access, hostKey, url }: DestinationFields) => {
        const misfitting = misfit(type, {
          ...(url === undefined ? {} : { url }),
          ...(hostKey === undefined ? {} : { hostKey }),
          ...(access === undefined ? {} : { access: access === null ? null : Redacted.value(access) })
        })
        const reason = url === undefined ? null : sink.refusal(type, url)
        const problem = misfitting ?? (reason === null ? null : { path: "url", reason })
        return problem === null ? Effect.void : Effect.fail(new InvalidDestination(problem))
      }

      const sealed = ({ workspaceId }: Caller, access: Redacted.Redacted<Access> | null) =>
        access === null ? Effect.succeed(null) : sealing.seal(workspaceId, access)

      const get = Effect.fn("FileDestinations.get")((caller: Caller, id: string) =>
        found(store.get(caller.workspaceId, id), id)
      )

      return FileDestinations.of({
        list: Effect.fn("FileDestinations.list")((caller) => store.list(caller.workspaceId)),
        get,
        create: Effect.fn("FileDestinations.create")(function* (caller, fields) {
          const { access = null, hostKey, name, onConflict, type, url } = fields
          yield* permitted(type, { ...fields, access })
          if (type === "sftp" && hostKey === undefined) {
            const reason = "Expected the fingerprint of the host key of the server, such as ssh-keygen -l prints it"
            return yield* new InvalidDestination({ path: "host_key", reason })
          }
          const now = yield* Clock.currentTimeMillis
          const destination: FileDestination = {
            id: yield* identifiers.uuid,
            name,
            type,
            url,
            ...(hostKey === undefined ? {} : { hostKey }),
            onConflict: onConflict ?? "rename",
            sealedAccess: yield* sealed(caller, access),
            createdAt: now,
            createdBy: caller.userId,
            updatedAt: now
          }
          yield* audit.recording(caller, store.insert(caller.workspaceId, destination), () => [
            auditOfChange(null, destination)
          ])
          return destination
        }),
        change: Effect.fn("FileDestinations.change")(function* (caller, id, { access, ...fields }) {
          const { type } = yield* get(caller, id)
          yield* permitted(type, { ...fields, ...(access === undefined ? {} : { access }) })
          const changes = {
            ...fields,
            ...(access === undefined ? {} : { sealedAccess: yield* sealed(caller, access) }),
            updatedAt: yield* Clock.currentTimeMillis
          }
          const changed = AuditedChange.change(
            audit,
            caller,
            store,
            id,
            (before) => Result.succeed({ ...before, ...changes }),
            auditOfChange
          )
          return yield* found(changed, id)
        }),
        remove: Effect.fn("FileDestinations.remove")((caller, id) =>
          found(AuditedChange.remove(audit, caller, store, id, auditOfRemoval), id)
        ),
        deliveries: Effect.fn("FileDestinations.deliveries")((caller, filter) =>
          deliveries.list(caller.workspaceId, filter)
        ),
        retry: Effect.fn("FileDestinations.retry")((caller, id) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => deliveries.retry(caller.workspaceId, id, now)).pipe(
            // Wakes who delivers.
            Effect.tap(signals.publish({ _tag: "events" }))
          )
        )
      })
    }).pipe(
      Permissions.checked<FileDestinations["Service"]>({
        list: "read",
        get: "read",
        create: "manage",
        change: "manage",
        remove: "manage",
        deliveries: "read",
        retry: "edit"
      })
    )
  )
}

const found = <E, R>(effect: Effect.Effect<Option.Option<FileDestination>, E, R>, id: string) =>
  Effect.flatMap(
    effect,
    Option.match({
      onNone: (): Effect.Effect<FileDestination, DestinationNotFound> =>
        Effect.fail(new DestinationNotFound({ destinationId: id })),
      onSome: (destination) => Effect.succeed(destination)
    })
  )

/** The audit entry of a destination. Of its address only the host is shown, as the rest may hold a token. */
const auditOfChange = (before: FileDestination | null, after: FileDestination): Draft => ({
  action: before === null ? "file_destination.create" : "file_destination.change",
  resourceId: after.id,
  resourceName: after.name,
  before: before === null ? null : audited(before),
  after: {
    ...audited(after),
    url_changed: before?.url !== after.url,
    access_changed: (before?.sealedAccess ?? null) !== after.sealedAccess
  }
})

const auditOfRemoval = (before: FileDestination): Draft => ({
  action: "file_destination.delete",
  resourceId: before.id,
  resourceName: before.name,
  before: audited(before),
  after: null
})

const audited = ({ hostKey, name, onConflict, type, url }: FileDestination) => ({
  name,
  type,
  host: URL.parse(url)?.host ?? null,
  ...(hostKey === undefined ? {} : { host_key: hostKey }),
  on_conflict: onConflict
})
