/** Submits a run as a body asks for it: one alone, or one of several. */
import { Clock, Effect, Result, type Schema } from "effect"
import { Webhooks } from "../../../core/event/webhook/Webhooks.ts"
import type { Trigger } from "../../../core/run/Run.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { AfterResponse } from "../http/AfterResponse.ts"
import { present } from "../http/body/Fields.ts"
import { parseInstant } from "../http/body/Query.ts"
import { sealed } from "../webhook/RunWebhookRequest.ts"
import * as RunRequest from "./RunRequest.ts"

export const make = Effect.gen(function* () {
  const runs = yield* Runs
  const webhooks = yield* Webhooks
  const signals = yield* Signals
  return Effect.fnUntraced(function* (caller: Caller, body: unknown, trigger: Trigger = "api") {
    const { fields, problems: ofForm } = yield* RunRequest.read(body)
    const { additional_context, client_id, debug, dry_run, notifications, run_input_variables, tags } = fields
    const webhook = yield* sealed(webhooks, fields.webhook).pipe(
      Effect.map(Result.succeed),
      Effect.catchTag("UrlRefused", ({ reason }) => Effect.succeed(Result.fail(reason)))
    )
    const startBy = instantOf(fields.start_by ?? null, yield* Clock.currentTimeMillis)
    const problems = [
      ...ofForm,
      ...(typeof startBy === "string" ? [{ path: "start_by", message: startBy }] : []),
      ...(Result.isFailure(webhook) ? [{ path: "webhook.url", message: webhook.failure }] : [])
    ]
    const run = yield* runs.submit(caller, {
      workflowId: fields.workflow_id ?? null,
      input: run_input_variables ?? {},
      options: present({
        dryRun: dryRunOf(dry_run),
        clientId: client_id?.toLowerCase(),
        debug,
        webhook: Result.getOrUndefined(webhook),
        additionalContext: additional_context,
        notifications
      }),
      priority: fields.priority ?? 0,
      startBy: typeof startBy === "string" ? null : startBy,
      trigger,
      ...(tags == null ? {} : { tags }),
      problems
    })
    const clientId = run.options.clientId
    if (clientId !== undefined) {
      const afterResponse = yield* AfterResponse
      yield* afterResponse(
        Effect.andThen(Effect.sleep(arrival), signals.publish({ _tag: "announced", runId: run.id, clientId }))
      )
    }
    return run
  })
})

/** The answer must arrive before the events, which use another connection. */
const arrival = "25 millis"

/** The instant by which a run must start, or what is wrong with it. */
const instantOf = (text: string | null, now: number): number | string | null => {
  if (text === null) return null
  const at = parseInstant(text)
  return at !== null && at > now
    ? at
    : `Expected an instant in the future such as 2027-01-31T08:00:00Z, got "${text.slice(0, 80)}"`
}

const dryRunOf = (
  sent: { readonly enabled?: boolean | null; readonly add_to_output?: Schema.Json | null } | null | undefined
) =>
  sent === null || sent === undefined
    ? undefined
    : { enabled: sent.enabled !== false, ...(sent.add_to_output == null ? {} : { addToOutput: sent.add_to_output }) }
