/** Answers the endpoints of error codes. */
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ErrorReferences from "../../../core/workflow/ErrorReferences.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { type Draft, type ErrorCode, ErrorCodes } from "../../../core/workspace/ErrorCodes.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { present } from "../http/body/Fields.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import { Answered, Given } from "./ErrorCodesApi.ts"

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

const decode = Schema.decodeSync(Given)

/** The fields that a body gives. */
const sent = (body: typeof Given.Encoded) => present(decode(body))

const encode = Schema.encodeSync(Answered)

const record = (code: ErrorCode) => encode(code)
