/**
 * What `sluice run` does: starts a run, and follows it to its end if asked.
 */
import { Console, Effect, Option, Stream } from "effect"
import * as Client from "../../../api/Client.ts"
import { present } from "../../../api/http/body/Fields.ts"
import type { TermsOfOne } from "../../commands/user/NewRunTerms.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import { jsonObjectOf } from "../../user/Input.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import * as RunsView from "../../user/view/RunsView.ts"
import { workflowId } from "../../user/WorkflowName.ts"
import * as RunArtifacts from "./RunArtifacts.ts"

interface Following extends ConnectionSettings, OutputSettings {
  readonly watch: boolean
  readonly save: Option.Option<string>
}

interface Settings extends Following {
  readonly terms: TermsOfOne
  readonly workflow: string
  readonly input: Option.Option<string>
  readonly dryRun: boolean
}

/** Prints what the service answered to the start of a run, or follows the run, and fails unless it succeeds. */
export const followed = Effect.fnUntraced(function* (
  client: Client.Client,
  settings: Following,
  started: { readonly session_id: string }
) {
  const { session_id } = started
  if (!settings.watch) return yield* answer(settings, started, () => session_id)
  if (!settings.json) yield* Console.log(`Run ${session_id}`)
  yield* Client.events(client, session_id).pipe(
    Stream.runForEach((message) =>
      // With JSON, each event is a separate line, and the record comes last.
      Console.log(settings.json ? JSON.stringify(message) : RunsView.step(message))
    )
  )
  const record = yield* client.runs.record({ params: { session_id } })
  if (settings.json) yield* Console.log(JSON.stringify(record))
  else yield* Console.log(RunsView.ended([record]))
  yield* RunArtifacts.save(record, settings)
  if (record.status !== "execution.success") {
    return yield* refused("unsuccessful", `Run ${session_id} ${RunsView.statusOf(record.status)}`)
  }
})

export const run = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      if (Option.isSome(settings.save) && !settings.watch) {
        return yield* refused("wrong", "--save needs --watch: there is nothing to save before the run has ended")
      }
      yield* RunArtifacts.judge(settings.save)
      const input = Option.isNone(settings.input) ? {} : yield* jsonObjectOf("--input", settings.input.value)
      const { session_id } = yield* client.runs.start({
        payload: {
          workflow_id: yield* workflowId(client, settings.workflow),
          run_input_variables: input,
          ...present(settings.terms),
          ...(settings.dryRun ? { dry_run: { enabled: true } } : {})
        }
      })
      yield* followed(client, settings, { session_id })
    })
  )
