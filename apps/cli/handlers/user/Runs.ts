/**
 * What the commands of `sluice runs` do that read runs.
 */
import { Console, Effect, Option, Stream } from "effect"
import * as Client from "../../../api/Client.ts"
import type { FilterSettings } from "../../commands/user/Selection.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import { answer, type OutputSettings, progress } from "../../user/Output.ts"
import { queryOf } from "../../user/Selection.ts"
import * as RunsView from "../../user/view/RunsView.ts"
import * as WhyView from "../../user/view/WhyView.ts"
import * as RunArtifacts from "./RunArtifacts.ts"

type Settings = ConnectionSettings & OutputSettings
type OfRun = Settings & { readonly id: string }

interface ListSettings extends Settings {
  readonly filter: FilterSettings
  readonly limit: number
  readonly cursor: Option.Option<string>
}

export const ls = (settings: ListSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const [runs, { headers }] = yield* client.runs.listRuns({
        query: {
          ...queryOf(settings.filter),
          limit: String(settings.limit),
          ...(Option.isSome(settings.cursor) ? { cursor: settings.cursor.value } : {})
        },
        responseMode: "decoded-and-response"
      })
      const page = { runs, total: headers["x-total-count"] ?? "", next_cursor: headers["x-next-cursor"] ?? null }
      yield* answer(settings, page, () => RunsView.list(page))
    })
  )

export const summary = (settings: Settings & { readonly filter: FilterSettings }) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const counts = yield* client.runs.summary({ query: queryOf(settings.filter) })
      yield* answer(settings, counts, () => RunsView.summary(counts))
    })
  )

export const show = (settings: OfRun & { readonly save: Option.Option<string> }) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      yield* RunArtifacts.judge(settings.save)
      const run = yield* client.runs.record({ params: { session_id: settings.id } })
      yield* answer(settings, run, () => RunsView.record(run))
      yield* RunArtifacts.save(run, settings)
    })
  )

interface LogsSettings extends OfRun {
  readonly follow: boolean
}

/** The events of a run, each on a line; with JSON, as it was logged. */
export const logs = (settings: LogsSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const write = (event: Parameters<typeof RunsView.step>[0]) =>
        Console.log(settings.json ? JSON.stringify(event) : RunsView.step(event))
      if (!settings.follow) {
        const { events } = yield* client.runs.record({ params: { session_id: settings.id } })
        return yield* Effect.forEach(events, write, { discard: true })
      }
      yield* Client.events(client, settings.id).pipe(
        Stream.runForEach(({ event, payload, timestamp }) =>
          write({ event, at: new Date(timestamp * 1_000).toISOString(), payload })
        )
      )
    })
  )

export const why = (settings: OfRun) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const run = yield* client.runs.record({ params: { session_id: settings.id } })
      const workflow = yield* client.workflows
        .get({ params: { workflow_id: run.workflow_id } })
        .pipe(Effect.orElseSucceed(() => null))
      const gate = yield* client.runWindows
        .getRunWindow({ params: { workflow_id: run.workflow_id } })
        .pipe(Effect.orElseSucceed(() => null))
      const known: WhyView.Known = {
        run,
        workflowName: workflow?.name ?? null,
        zone: gate?.run_window?.time_zone ?? null
      }
      yield* answer(
        settings,
        {
          session_id: run.session_id,
          status: run.status,
          holds: run.holds,
          reasons: run.waits_for.map(({ reason }) => reason),
          waits_for: run.waits_for,
          can_start_at: run.can_start_at,
          explanation: WhyView.paragraph(known)
        },
        () => WhyView.paragraph(known)
      )
    })
  )

interface WaitSettings extends Settings {
  readonly ids: ReadonlyArray<string>
  readonly timeout: Option.Option<number>
}

export const wait = (settings: WaitSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const waiting = new Set(settings.ids)
      const one = Effect.fnUntraced(function* (id: string) {
        yield* Stream.runDrain(Client.events(client, id))
        waiting.delete(id)
        const run = yield* client.runs.record({ params: { session_id: id } })
        yield* progress(settings, `${id} ${RunsView.statusOf(run.status)}`)
        return { session_id: id, status: run.status, errors: run.errors }
      })
      const all = Effect.forEach(settings.ids, one, { concurrency: 8 })
      const ended = yield* Option.isNone(settings.timeout)
        ? all
        : Effect.timeoutOrElse(all, {
            duration: `${settings.timeout.value} seconds`,
            orElse: () =>
              Effect.fail(refused("timeout", RunsView.notEnded([...waiting], settings.timeout.pipe(Option.getOrThrow))))
          })
      yield* answer(settings, ended, () => RunsView.ended(ended))
      const others = ended.filter(({ status }) => status !== "execution.success")
      if (others.length > 0) {
        return yield* refused("unsuccessful", `${others.length} of ${ended.length} runs ended without success`)
      }
    })
  )
