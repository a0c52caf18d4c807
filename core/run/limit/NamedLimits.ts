/** Making, changing, pausing and overriding the named limits of a workspace. */
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { Signals } from "../../runtime/Signals.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { VaultEntries } from "../../vault/VaultEntries.ts"
import { inOneSentence } from "../../window/Problems.ts"
import { WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import * as AuditedChange from "../../workspace/audit/AuditedChange.ts"
import type { KeyTaken } from "../../workspace/Collection.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { WorkflowId } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import { type NamedLimit, NamedLimitStore, type UsedLimit } from "./NamedLimit.ts"

/** What a person sets of a limit. An omitted field is not changed. */
export type LimitFields = Partial<
  Pick<NamedLimit, "name" | "maxRunning" | "maxStartsPerMinute" | "workflowIds" | "credentialIds" | "tags">
>

/** The numbers of an override, and its end. */
export type Override = Omit<NonNullable<NamedLimit["override"]>, "by">

/** Raised for a limit that does not exist in the workspace. */
export class LimitNotFound extends Schema.TaggedError<LimitNotFound>()("LimitNotFound", { limitId: Schema.String }) {
  override get message() {
    return `Limit "${this.limitId.slice(0, 80)}" not found in this workspace`
  }
}

/** Raised for a limit that cannot be kept, with every problem at its path. */
export class InvalidLimit extends Schema.TaggedError<InvalidLimit>()("InvalidLimit", {
  problems: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {
  override get message() {
    return inOneSentence(this.problems)
  }
}

type Problems = InvalidLimit["problems"]

/** What is wrong with the numbers of a limit or of an override. */
const numbersProblems = ({
  maxRunning,
  maxStartsPerMinute
}: Pick<NamedLimit, "maxRunning" | "maxStartsPerMinute">): Problems =>
  maxRunning === null && maxStartsPerMinute === null
    ? [{ path: "max_running", message: "Expected a number here or in max_starts_per_minute, got none in both" }]
    : []

type Edit = Effect.Effect<NamedLimit, InvalidLimit | LimitNotFound | KeyTaken | RoleForbids | StoreUnavailable>

export class NamedLimits extends Context.Service<
  NamedLimits,
  {
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<UsedLimit>, StoreUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<UsedLimit, LimitNotFound | StoreUnavailable>
    readonly create: (
      caller: Caller,
      fields: LimitFields & { readonly name: string }
    ) => Effect.Effect<NamedLimit, InvalidLimit | KeyTaken | RoleForbids | StoreUnavailable>
    /** Changes a limit. After its answer no run starts that it does not allow; no running run is stopped. */
    readonly change: (caller: Caller, id: string, fields: LimitFields) => Edit
    /** Removes a limit and answers what it was. */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<NamedLimit, LimitNotFound | RoleForbids | StoreUnavailable>
    /** Pauses a limit: no run that draws on it starts until it is resumed. */
    readonly pause: (caller: Caller, id: string, reason: string) => Edit
    readonly resume: (caller: Caller, id: string) => Edit
    /** Puts other numbers in the place of those of a limit until an instant; `null` ends that. */
    readonly override: (caller: Caller, id: string, override: Override | null) => Edit
  }
>()("sluice/core/run/limit/NamedLimits") {
  static readonly layer = Layer.effect(
    NamedLimits,
    Effect.gen(function* () {
      const store = yield* NamedLimitStore
      const workflows = yield* WorkflowStore
      const entries = yield* VaultEntries
      const audit = yield* Audit
      const identifiers = yield* Identifiers
      const signals = yield* Signals

      /** Wakes the scheduler and the workers: runs may start now, or at another instant than before. */
      const announced = <A, E, R>(changed: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.tap(changed, Effect.andThen(signals.publish({ _tag: "due" }), signals.publish({ _tag: "work" })))

      /** What of the workflows and credentials of a limit is not in the workspace. */
      const unknown = Effect.fnUntraced(function* (
        { workspaceId }: Caller,
        { credentialIds = [], workflowIds = [] }: LimitFields
      ) {
        const ofWorkflows = yield* Effect.forEach(workflowIds, (id, index) =>
          workflows.get(workspaceId, WorkflowId.make(id)).pipe(
            Effect.as<Problems>([]),
            Effect.catchTag("WorkflowNotFound", () =>
              Effect.succeed<Problems>([
                {
                  path: `workflow_ids[${index}]`,
                  message: `Expected the id of a workflow of this workspace, got "${id}"`
                }
              ])
            )
          )
        )
        const ofEntries = yield* Effect.forEach(credentialIds, (id, index) =>
          Effect.map(
            entries.get(workspaceId, id),
            (found): Problems =>
              Option.isSome(found)
                ? []
                : [
                    {
                      path: `credential_ids[${index}]`,
                      message: `Expected the id of a credential of this workspace, got "${id}"`
                    }
                  ]
          )
        )
        return [...ofWorkflows, ...ofEntries].flat()
      })

      const edit = Effect.fnUntraced(function* (
        caller: Caller,
        id: string,
        action: "change" | "pause" | "resume" | "override",
        decide: (before: NamedLimit) => NamedLimit,
        problems: Problems = []
      ) {
        const updatedAt = yield* Clock.currentTimeMillis
        const changed = AuditedChange.change(
          audit,
          caller,
          store,
          id,
          (before) => {
            const after = { ...decide(before), updatedAt }
            const all = [...problems, ...numbersProblems(after)]
            return all.length === 0 ? Result.succeed(after) : Result.fail(new InvalidLimit({ problems: all }))
          },
          (before, after) => draft(action, before, after)
        )
        return yield* found(changed, id)
      })

      return NamedLimits.of({
        list: Effect.fn("NamedLimits.list")((caller) => store.used(caller.workspaceId)),
        get: Effect.fn("NamedLimits.get")(function* (caller, id) {
          const [used] = yield* store.used(caller.workspaceId, id)
          return used ?? (yield* new LimitNotFound({ limitId: id }))
        }),
        create: Effect.fn("NamedLimits.create")(function* (caller, fields) {
          const now = yield* Clock.currentTimeMillis
          const limit: NamedLimit = {
            maxRunning: null,
            maxStartsPerMinute: null,
            workflowIds: [],
            credentialIds: [],
            tags: [],
            ...fields,
            id: yield* identifiers.uuid,
            pause: null,
            override: null,
            createdAt: now,
            createdBy: caller.userId,
            updatedAt: now
          }
          const problems = [...numbersProblems(limit), ...(yield* unknown(caller, fields))]
          if (problems.length > 0) return yield* new InvalidLimit({ problems })
          yield* audit.recording(caller, store.insert(caller.workspaceId, limit), () => [draft("create", null, limit)])
          return limit
        }, announced),
        change: Effect.fn("NamedLimits.change")(function* (caller, id, fields) {
          const problems = yield* unknown(caller, fields)
          return yield* edit(caller, id, "change", (before) => ({ ...before, ...fields }), problems)
        }, announced),
        remove: Effect.fn("NamedLimits.remove")(
          (caller, id) =>
            found(
              AuditedChange.remove(audit, caller, store, id, (before) => draft("delete", before, null)),
              id
            ),
          announced
        ),
        pause: Effect.fn("NamedLimits.pause")(function* (caller, id, reason) {
          const since = yield* Clock.currentTimeMillis
          const pause = { since, by: caller.userId, reason }
          return yield* edit(caller, id, "pause", (before) => ({ ...before, pause }))
        }, announced),
        resume: Effect.fn("NamedLimits.resume")(
          (caller, id) => edit(caller, id, "resume", (before) => ({ ...before, pause: null })),
          announced
        ),
        override: Effect.fn("NamedLimits.override")(function* (caller, id, override) {
          const now = yield* Clock.currentTimeMillis
          const problems: Problems =
            override === null
              ? []
              : [
                  ...numbersProblems(override),
                  ...(override.until > now
                    ? []
                    : [{ path: "until", message: "Expected an instant in the future such as 2027-01-31T08:00:00Z" }])
                ]
          const kept = override === null ? null : { ...override, by: caller.userId }
          return yield* edit(caller, id, "override", (before) => ({ ...before, override: kept }), problems)
        }, announced)
      })
    }).pipe(
      Permissions.checked<NamedLimits["Service"]>({
        list: "read",
        get: "read",
        create: "edit",
        change: "edit",
        remove: "edit",
        pause: "edit",
        resume: "edit",
        override: "edit"
      })
    )
  )
}

const found = <E, R>(effect: Effect.Effect<Option.Option<NamedLimit>, E, R>, id: string) =>
  Effect.flatMap(
    effect,
    Option.match({
      onNone: (): Effect.Effect<NamedLimit, LimitNotFound> => Effect.fail(new LimitNotFound({ limitId: id })),
      onSome: (limit) => Effect.succeed(limit)
    })
  )

type Action = "create" | "change" | "pause" | "resume" | "override" | "delete"

const draft = (action: Action, before: NamedLimit | null, after: NamedLimit | null): Draft => ({
  action: `limit.${action}`,
  resourceId: (after ?? before)?.id ?? "",
  resourceName: (after ?? before)?.name ?? "",
  before: before === null ? null : audited(before),
  after: after === null ? null : audited(after)
})

const audited = (limit: NamedLimit) => ({
  name: limit.name,
  max_running: limit.maxRunning,
  max_starts_per_minute: limit.maxStartsPerMinute,
  workflow_ids: limit.workflowIds,
  credential_ids: limit.credentialIds,
  tags: limit.tags,
  paused: limit.pause !== null,
  pause_reason: limit.pause?.reason ?? null,
  override:
    limit.override === null
      ? null
      : {
          max_running: limit.override.maxRunning,
          max_starts_per_minute: limit.override.maxStartsPerMinute,
          until: new Date(limit.override.until).toISOString()
        }
})
