/** Submits a run as a body asks for it: one alone, or one of several. */
import { Effect, Result } from "effect"
import { Webhooks } from "../../../core/event/webhook/Webhooks.ts"
import type { Trigger } from "../../../core/run/Run.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { AfterResponse } from "../http/AfterResponse.ts"
import { present } from "../http/body/Fields.ts"
import { sealed } from "../webhook/RunWebhookRequest.ts"
import * as RunRequest from "./RunRequest.ts"

export const make = Effect.gen(function* () {
  const runs = yield* Runs
  const webhooks = yield* Webhooks
  const signals = yield* Signals
  return Effect.fnUntraced(function* (caller: Caller, body: unknown, trigger: Trigger = "api") {
    const { submission, webhook: sent } = yield* RunRequest.read(body)
    const webhook = yield* sealed(webhooks, sent).pipe(
      Effect.map(Result.succeed),
      Effect.catchTag("UrlRefused", ({ reason }) => Effect.succeed(Result.fail(reason)))
    )
    const { options, problems = [] } = submission
    const run = yield* runs.submit(caller, {
      ...submission,
      trigger,
      ...(Result.isFailure(webhook)
        ? { problems: [...problems, { path: "webhook.url", message: webhook.failure }] }
        : { options: { ...options, ...present({ webhook: webhook.success }) } })
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
