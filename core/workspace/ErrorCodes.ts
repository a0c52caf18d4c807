/**
 * The error codes of a workspace: names for failures of workflows, and the consequences of each.
 *
 * A code is identified by its name, regardless of case and surrounding spaces. Nodes of workflows refer to codes by id.
 */

import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { isOther, otherwiseDie, type StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import { Audit, type Draft as AuditDraft } from "./audit/Audit.ts"
import type { AuditAction } from "./audit/AuditAction.ts"
import * as AuditedChange from "./audit/AuditedChange.ts"
import type { Collection, KeyTaken, Kind } from "./Collection.ts"
import { Identifiers } from "./Identifiers.ts"
import * as Permissions from "./Permissions.ts"
import type { Caller, RoleForbids } from "./Workspace.ts"

/**
 * The consequences of a failure with a code: `alert` and `cancel` end the run, `pause` also pauses its workflow until a
 * user unpauses it, and `retry` tries the run again. `input_required` is accepted and ends the run like `alert`.
 */
export const ErrorAction = Schema.Literals(["alert", "cancel", "pause", "retry", "input_required"])
export type ErrorAction = typeof ErrorAction.Type

/** An error code. Instants are epoch milliseconds. */
export const ErrorCode = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  enrichedDescription: Schema.NullOr(Schema.String),
  action: ErrorAction,
  /** Maximum number of retries after a failure with this code; `null` for the limit of the workflow. */
  retries: Schema.NullOr(Schema.Int),
  /** The delay before a retry, in seconds; `null` for the default of the service. */
  retryAfterSeconds: Schema.NullOr(Schema.Finite),
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite
})
export type ErrorCode = typeof ErrorCode.Type

/** The fields of a code that a person sets. */
export type Draft = Omit<ErrorCode, "id" | "createdAt" | "updatedAt">

export const kind: Kind<ErrorCode> = {
  name: "error_codes",
  schema: ErrorCode,
  key: ({ name }) => keyOf(name)
}

/** The normalised name that identifies a code within its workspace. */
const keyOf = (name: string): string => name.trim().toLowerCase()

export class ErrorCodeStore extends Context.Service<ErrorCodeStore, Collection<ErrorCode>>()(
  "sluice/core/workspace/ErrorCodeStore"
) {}

/** Raised for an error code that does not exist in the workspace. */
export class ErrorCodeNotFound extends Schema.TaggedError<ErrorCodeNotFound>()("ErrorCodeNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `Error code "${this.id}" not found in this workspace`
  }
}

export class ErrorCodes extends Context.Service<
  ErrorCodes,
  {
    /** All codes of the workspace, oldest first. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<ErrorCode>, StoreUnavailable>

    readonly get: (caller: Caller, id: string) => Effect.Effect<ErrorCode, ErrorCodeNotFound | StoreUnavailable>

    /** Returns the code with the name of the draft, unchanged; creates it from the draft if there is none. */
    readonly findOrCreate: (
      caller: Caller,
      draft: Draft
    ) => Effect.Effect<{ readonly code: ErrorCode; readonly created: boolean }, RoleForbids | StoreUnavailable>

    /** Changes the given fields. A name that another code has is refused with `KeyTaken`. */
    readonly change: (
      caller: Caller,
      id: string,
      fields: Partial<Draft>
    ) => Effect.Effect<ErrorCode, ErrorCodeNotFound | KeyTaken | RoleForbids | StoreUnavailable>

    /**
     * Removes a code and returns it. Afterwards nodes that name it fail with the code of the service, and their
     * workflow cannot be saved until they name another code.
     */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<ErrorCode, ErrorCodeNotFound | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/workspace/ErrorCodes") {
  static readonly layer = Layer.effect(
    ErrorCodes,
    Effect.gen(function* () {
      const store = yield* ErrorCodeStore
      const audit = yield* Audit
      const identifiers = yield* Identifiers

      const existing = Effect.fnUntraced(function* (id: string, found: Option.Option<ErrorCode>) {
        return Option.isSome(found) ? found.value : yield* new ErrorCodeNotFound({ id })
      })

      const findOrCreate = Effect.fn("ErrorCodes.findOrCreate")(function* (caller: Caller, draft: Draft) {
        const at = yield* Clock.currentTimeMillis
        const code = { ...draft, name: draft.name.trim(), id: yield* identifiers.uuid, createdAt: at, updatedAt: at }
        const attempt = Effect.gen(function* () {
          const found = yield* store.find(caller.workspaceId, kind.key(code))
          if (Option.isSome(found)) return { code: found.value, created: false }
          yield* audit.recording(caller, store.insert(caller.workspaceId, code), () => [creationOf(code)])
          return { code, created: true }
        })
        // If a concurrent request creates the same name first, the retry finds its code, unless that is removed or
        // renamed meanwhile.
        return yield* attempt.pipe(Effect.retry({ times: 10, while: isOther }), otherwiseDie)
      })

      const change = Effect.fn("ErrorCodes.change")(function* (caller: Caller, id: string, fields: Partial<Draft>) {
        const updatedAt = yield* Clock.currentTimeMillis
        const decide = (before: ErrorCode) => {
          const after = { ...before, ...fields, updatedAt }
          return Result.succeed({ ...after, name: after.name.trim() })
        }
        const changed = yield* AuditedChange.change(audit, caller, store, id, decide, (before, after) =>
          auditOf("error_code.change", before, after)
        )
        return yield* existing(id, changed)
      })

      return ErrorCodes.of({
        findOrCreate,
        change,
        list: Effect.fn("ErrorCodes.list")((caller) => store.list(caller.workspaceId)),
        get: Effect.fn("ErrorCodes.get")(function* (caller, id) {
          return yield* existing(id, yield* store.get(caller.workspaceId, id))
        }),
        remove: Effect.fn("ErrorCodes.remove")(function* (caller, id) {
          const removed = AuditedChange.remove(audit, caller, store, id, (code) =>
            auditOf("error_code.delete", code, null)
          )
          return yield* existing(id, yield* removed)
        })
      })
    }).pipe(
      Permissions.checked<ErrorCodes["Service"]>({
        list: "read",
        get: "read",
        findOrCreate: "edit",
        change: "edit",
        remove: "edit"
      })
    )
  )
}

/** The audit entry of a new code. */
export const creationOf = (code: ErrorCode): AuditDraft => auditOf("error_code.create", null, code)

const auditOf = (action: AuditAction, before: ErrorCode | null, after: ErrorCode | null): AuditDraft => ({
  action,
  resourceId: (after ?? before)?.id ?? null,
  resourceName: (after ?? before)?.name ?? null,
  before: before === null ? null : audited(before),
  after: after === null ? null : audited(after)
})

const audited = ({ action, description, name, retries, retryAfterSeconds }: ErrorCode) => ({
  name,
  description,
  action,
  retries,
  retry_after_seconds: retryAfterSeconds
})
