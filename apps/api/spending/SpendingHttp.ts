/** Answers the endpoints of what models cost. */
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Day } from "../../../core/agent/spending/ModelSpending.ts"
import { type Shown, SpendingLimits } from "../../../core/agent/spending/SpendingLimits.ts"
import { type ModelCall, mostListed } from "../../../core/agent/spending/SpendLedger.ts"
import { RunId, WorkflowId } from "../../../core/workspace/Ids.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { present } from "../http/body/Fields.ts"
import { problemAt } from "../http/body/Query.ts"
import * as Errors from "../http/Errors.ts"
import { iso } from "../run/RunRecord.ts"
import type { ModelCallRecord, SpendingRecord } from "./SpendingApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "modelSpending",
  Effect.fn(function* (handlers) {
    const limits = yield* SpendingLimits
    const show = Effect.gen(function* () {
      return record(yield* limits.get(yield* CurrentCaller))
    })
    return handlers.handleAll({
      getModelSpending: () => show,
      setModelSpending: Effect.fn(function* ({ payload }) {
        yield* limits.set(yield* CurrentCaller, payload)
        return yield* show
      }),
      listModelCalls: Effect.fn(function* ({ query }) {
        const problems = Object.entries(query).flatMap(([name, id]) =>
          id === undefined || isUuid(id) ? [] : [problemAt(name, "a UUID", id)]
        )
        if (problems.length > 0) return yield* Effect.fail(Errors.invalid(problems))
        const filter = present({
          runId: query.session_id === undefined ? undefined : RunId.make(query.session_id),
          workflowId: query.workflow_id === undefined ? undefined : WorkflowId.make(query.workflow_id),
          before: query.cursor
        })
        const calls = yield* limits.calls(yield* CurrentCaller, filter)
        return {
          calls: calls.map(callRecord),
          next_cursor: calls.length < mostListed ? null : (calls.at(-1)?.id ?? null)
        }
      })
    })
  })
)

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

const unit = (micros: number): number => micros / 1_000_000

const spent = ({ open, spent: { calls, micros, tokens } }: Day) => ({
  calls,
  tokens,
  money: unit(micros),
  open_calls: open.calls
})

const record = ({ date, terms, workflows, workspace }: Shown): typeof SpendingRecord.Type => ({
  date,
  limits: terms,
  workspace: spent(workspace),
  workflows: workflows.map(({ day, workflowId }) => ({ workflow_id: workflowId, ...spent(day) }))
})

const callRecord = (call: ModelCall): typeof ModelCallRecord.Type => ({
  id: call.id,
  workflow_id: call.workflowId,
  session_id: call.runId,
  node_id: call.node.id,
  node_name: call.node.name,
  purpose: call.purpose,
  model: call.model,
  at: iso(call.at),
  state: call.state,
  input_tokens: call.input,
  output_tokens: call.output,
  money: call.micros === null ? null : unit(call.micros)
})
