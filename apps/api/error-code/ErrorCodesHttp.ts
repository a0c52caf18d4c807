/** Answers the endpoints of error codes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ErrorReferences from "../../../core/workflow/ErrorReferences.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { type Draft, type ErrorCode, ErrorCodes } from "../../../core/workspace/ErrorCodes.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import type { ErrorCodeRecord } from "./ErrorCodesApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "errorCodes",
  Effect.fn(function* (handlers) {
    const codes = yield* ErrorCodes
    const workflows = yield* Workflows
    return handlers.handleAll({
      listErrorCodes: Effect.fn(function* ({ query }) {
        const caller = yield* CurrentCaller
        const all = yield* codes.list(caller)
        if (query.workflow_id === undefined) return all.map(record)
        const { version } = yield* workflows.get(caller, yield* workflowId(query.workflow_id))
        const named = new Set(ErrorReferences.all(version.content.nodes).map(({ id }) => id))
        return all.filter(({ id }) => named.has(id)).map(record)
      }),
      findOrCreateErrorCode: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { code, created } = yield* codes.findOrCreate(caller, {
          ...unset,
          name: payload.error_code,
          ...sent(payload)
        })
        return created ? { ...record(code), created } : { ...record(code), created }
      }),
      getErrorCode: Effect.fn(function* ({ params }) {
        return record(yield* codes.get(yield* CurrentCaller, params.error_code_id))
      }),
      changeErrorCode: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const changed = yield* codes.change(caller, params.error_code_id, sent(payload))
        return record(changed)
      }),
      removeErrorCode: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return record(yield* codes.remove(caller, params.error_code_id))
      })
    })
  })
)

/** The defaults of a code. */
const unset: Omit<Draft, "name"> = {
  description: "",
  enrichedDescription: null,
  action: "alert",
  retries: null,
  retryAfterSeconds: null
}

interface Sent {
  readonly error_code?: string | null
  readonly description?: string | null
  readonly enriched_description?: string | null
  readonly error_action?: Draft["action"] | null
  readonly retries?: number | null
  readonly retry_after?: number | null
}

/** The fields that a body gives. */
const sent = (body: Sent): Partial<Draft> => ({
  ...(body.error_code == null ? {} : { name: body.error_code }),
  ...(body.description == null ? {} : { description: body.description }),
  ...(body.enriched_description == null ? {} : { enrichedDescription: body.enriched_description }),
  ...(body.error_action == null ? {} : { action: body.error_action }),
  ...(body.retries == null ? {} : { retries: body.retries }),
  ...(body.retry_after == null ? {} : { retryAfterSeconds: body.retry_after })
})

const record = (code: ErrorCode): typeof ErrorCodeRecord.Type => ({
  id: code.id,
  error_code: code.name,
  description: code.description,
  enriched_description: code.enrichedDescription,
  error_action: code.action,
  retries: code.retries,
  retry_after: code.retryAfterSeconds,
  created_at: iso(code.createdAt),
  updated_at: iso(code.updatedAt)
})
