/** Answers the endpoints of named limits. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { NamedLimit, UsedLimit } from "../../../core/run/limit/NamedLimit.ts"
import { type LimitFields, NamedLimits } from "../../../core/run/limit/NamedLimits.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { parseInstant } from "../http/body/Query.ts"
import { iso } from "../run/RunRecord.ts"
import type { LimitRecord, UsedLimitRecord } from "./LimitsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "limits",
  Effect.fn(function* (handlers) {
    const limits = yield* NamedLimits
    return handlers.handleAll({
      listLimits: Effect.fn(function* () {
        return (yield* limits.list(yield* CurrentCaller)).map(usedRecord)
      }),
      createLimit: Effect.fn(function* ({ payload }) {
        return record(yield* limits.create(yield* CurrentCaller, { ...fieldsOf(payload), name: payload.name }))
      }),
      getLimit: Effect.fn(function* ({ params }) {
        return usedRecord(yield* limits.get(yield* CurrentCaller, params.limit_id))
      }),
      changeLimit: Effect.fn(function* ({ params, payload }) {
        return record(yield* limits.change(yield* CurrentCaller, params.limit_id, fieldsOf(payload)))
      }),
      removeLimit: Effect.fn(function* ({ params }) {
        return record(yield* limits.remove(yield* CurrentCaller, params.limit_id))
      }),
      pauseLimit: Effect.fn(function* ({ params, payload }) {
        return record(yield* limits.pause(yield* CurrentCaller, params.limit_id, payload.reason ?? ""))
      }),
      resumeLimit: Effect.fn(function* ({ params }) {
        return record(yield* limits.resume(yield* CurrentCaller, params.limit_id))
      }),
      overrideLimit: Effect.fn(function* ({ params, payload }) {
        const { max_running, max_starts_per_minute, until } = payload
        return record(
          yield* limits.override(yield* CurrentCaller, params.limit_id, {
            maxRunning: max_running,
            maxStartsPerMinute: max_starts_per_minute,
            // The schema of the body has read it.
            until: parseInstant(until) ?? 0
          })
        )
      }),
      endLimitOverride: Effect.fn(function* ({ params }) {
        return record(yield* limits.override(yield* CurrentCaller, params.limit_id, null))
      })
    })
  })
)

interface Sent {
  readonly name?: string
  readonly max_running?: number | null
  readonly max_starts_per_minute?: number | null
  readonly workflow_ids?: ReadonlyArray<string>
  readonly credential_ids?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
}

/** The fields that a body gives. */
const fieldsOf = ({
  credential_ids,
  max_running,
  max_starts_per_minute,
  name,
  tags,
  workflow_ids
}: Sent): LimitFields => ({
  ...(name === undefined ? {} : { name }),
  ...(max_running === undefined ? {} : { maxRunning: max_running }),
  ...(max_starts_per_minute === undefined ? {} : { maxStartsPerMinute: max_starts_per_minute }),
  ...(workflow_ids === undefined ? {} : { workflowIds: workflow_ids }),
  ...(credential_ids === undefined ? {} : { credentialIds: credential_ids }),
  ...(tags === undefined ? {} : { tags })
})

const record = (limit: NamedLimit): typeof LimitRecord.Type => ({
  id: limit.id,
  name: limit.name,
  max_running: limit.maxRunning,
  max_starts_per_minute: limit.maxStartsPerMinute,
  workflow_ids: limit.workflowIds,
  credential_ids: limit.credentialIds,
  tags: limit.tags,
  pause: limit.pause === null ? null : { ...limit.pause, since: iso(limit.pause.since) },
  override:
    limit.override === null
      ? null
      : {
          max_running: limit.override.maxRunning,
          max_starts_per_minute: limit.override.maxStartsPerMinute,
          until: iso(limit.override.until),
          by: limit.override.by
        },
  created_at: iso(limit.createdAt),
  created_by: limit.createdBy,
  updated_at: iso(limit.updatedAt)
})

const usedRecord = ({ limit, running }: UsedLimit): typeof UsedLimitRecord.Type => ({ ...record(limit), running })
