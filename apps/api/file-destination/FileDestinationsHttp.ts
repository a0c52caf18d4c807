/** Answers the endpoints of destinations of files. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Access, FileDestination, OnConflict } from "../../../core/run/delivery/FileDestination.ts"
import { type DestinationFields, FileDestinations } from "../../../core/run/delivery/FileDestinations.ts"
import { type Caller, permits } from "../../../core/workspace/Workspace.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"
import { deliveryRecord } from "./FileDeliveryJson.ts"
import type { FileDestinationRecord } from "./FileDestinationsApi.ts"

const defaultLimit = 100

export const layer = HttpApiBuilder.group(
  Api,
  "fileDestinations",
  Effect.fn(function* (handlers) {
    const destinations = yield* FileDestinations
    return handlers.handleAll({
      listDestinations: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        return (yield* destinations.list(caller)).map((one) => record(one, caller))
      }),
      createDestination: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { name, type, url } = payload
        return record(yield* destinations.create(caller, { ...fields(payload), name, type, url }), caller)
      }),
      getDestination: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return record(yield* destinations.get(caller, params.destination_id), caller)
      }),
      changeDestination: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        return record(yield* destinations.change(caller, params.destination_id, fields(payload)), caller)
      }),
      removeDestination: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return record(yield* destinations.remove(caller, params.destination_id), caller)
      }),
      listFileDeliveries: Effect.fn(function* ({ query }) {
        const limit = query.limit ?? defaultLimit
        const found = yield* destinations.deliveries(yield* CurrentCaller, {
          limit: limit + 1,
          ...(query.status === undefined ? {} : { status: query.status }),
          ...(query.session_id === undefined ? {} : { runId: query.session_id }),
          ...(query.cursor === undefined ? {} : { before: query.cursor })
        })
        const last = found.length > limit ? found[limit - 1] : undefined
        return {
          deliveries: found.slice(0, limit).map(({ delivery }) => deliveryRecord(delivery)),
          next_cursor: last === undefined ? null : String(last.position)
        }
      }),
      retryFileDelivery: Effect.fn(function* ({ params }) {
        return deliveryRecord(yield* destinations.retry(yield* CurrentCaller, params.file_delivery_id))
      })
    })
  })
)

interface Sent {
  readonly name?: string
  readonly url?: string
  readonly host_key?: string | null
  readonly on_conflict?: OnConflict
  readonly access?: SentAccess | null
}

interface SentAccess {
  readonly username?: string | null
  readonly password?: string | null
  readonly private_key?: string | null
  readonly token?: string | null
  readonly region?: string | null
}

/** The fields that a body gives. */
const fields = ({ access, host_key, name, on_conflict, url }: Sent): DestinationFields => ({
  ...(name === undefined ? {} : { name }),
  ...(url === undefined ? {} : { url }),
  ...(host_key == null ? {} : { hostKey: host_key }),
  ...(on_conflict === undefined ? {} : { onConflict: on_conflict }),
  ...(access === undefined ? {} : { access: access === null ? null : Redacted.make(given(access)) })
})

const given = ({ password, private_key, region, token, username }: SentAccess): Access => ({
  ...(username == null ? {} : { username }),
  ...(password == null ? {} : { password }),
  ...(private_key == null ? {} : { privateKey: private_key }),
  ...(token == null ? {} : { token }),
  ...(region == null ? {} : { region })
})

/** Who does not manage destinations sees no more of an address than where it leads, as the rest may hold a token. */
const record = (destination: FileDestination, caller: Caller): typeof FileDestinationRecord.Type => ({
  id: destination.id,
  name: destination.name,
  type: destination.type,
  url: permits(caller, "manage") ? destination.url : originOf(new URL(destination.url)),
  host_key: destination.hostKey ?? null,
  on_conflict: destination.onConflict,
  has_access: destination.sealedAccess !== null,
  created_at: iso(destination.createdAt),
  created_by: destination.createdBy,
  updated_at: iso(destination.updatedAt)
})

/** The `origin` of a URL is `null` for schemes that browsers do not know, such as `sftp`. */
const originOf = ({ host, protocol }: URL): string => `${protocol}//${host}`
