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

interface Settings extends ConnectionSettings, OutputSettings {
  readonly terms: TermsOfOne
  readonly workflow: string
  readonly input: Option.Option<string>
  readonly watch: boolean
  readonly save: Option.Option<string>
  readonly dryRun: boolean
}

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
      if (!settings.watch) return yield* answer(settings, { session_id }, () => session_id)
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
  )
