/** Answers the endpoints of canaries. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Canaries, type CanaryView } from "../../../core/run/canary/Canaries.ts"
import * as CanaryAudit from "../../../core/workflow/canary/CanaryAudit.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import type { CanaryRecord } from "./CanariesApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "canaries",
  Effect.fn(function* (handlers) {
    const canaries = yield* Canaries
    const end = (to: "promoted" | "stopped") =>
      Effect.fnUntraced(function* (id: string, reason: string | null | undefined) {
        const view = yield* canaries.end(yield* CurrentCaller, yield* workflowId(id), { to, reason: reason ?? null })
        return record(id, view)
      })
    const [promote, stop] = [end("promoted"), end("stopped")]
    return handlers.handleAll({
      getCanary: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        return record(id, yield* canaries.get(yield* CurrentCaller, id))
      }),
      promoteCanary: ({ params, payload }) => promote(params.workflow_id, payload.reason),
      stopCanary: ({ params, payload }) => stop(params.workflow_id, payload.reason)
    })
  })
)

const record = (id: string, { canary, evidence }: CanaryView): typeof CanaryRecord.Type => ({
  workflow_id: id,
  ...CanaryAudit.json(canary),
  evidence
})
