/**
 * What the commands of `sluice schedule` do.
 */
import { Effect, Option } from "effect"
import type { Client } from "../../../api/Client.ts"
import type { PreviewResponse, ScheduleRecord } from "../../../api/schedule/SchedulesApi.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import { jsonObjectOf } from "../../user/Input.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import * as SchedulesView from "../../user/view/SchedulesView.ts"
import { workflowId } from "../../user/WorkflowName.ts"

type Settings = ConnectionSettings & OutputSettings

interface Terms extends Settings {
  readonly workflow: Option.Option<string>
  readonly name: Option.Option<string>
  readonly cron: Option.Option<string>
  readonly recurrence: Option.Option<string>
  readonly atOpening: boolean
  readonly timeZone: Option.Option<string>
  readonly input: Option.Option<string>
  readonly tag: ReadonlyArray<string>
  readonly priority: Option.Option<number>
  readonly startWithin: Option.Option<number>
  readonly overlap: Option.Option<string>
  readonly catchUp: Option.Option<string>
  readonly catchUpLimit: Option.Option<number>
  readonly jitter: Option.Option<number>
  readonly startsAt: Option.Option<string>
  readonly endsAt: Option.Option<string>
}

const given = <A>(name: string, value: Option.Option<A>) => (Option.isSome(value) ? { [name]: value.value } : {})

const bodyOf = Effect.fnUntraced(function* (client: Client, terms: Terms) {
  if (Option.isNone(terms.workflow))
    return yield* refused("wrong", "Expected the id or the name of a workflow in --workflow")
  const input = Option.isNone(terms.input) ? {} : yield* jsonObjectOf("--input", terms.input.value)
  return {
    workflow_id: yield* workflowId(client, terms.workflow.value),
    ...given("name", terms.name),
    ...given("cron", terms.cron),
    ...given("recurrence", terms.recurrence),
    ...(terms.atOpening ? { at: "window_opening" as const } : {}),
    ...given("time_zone", terms.timeZone),
    ...(terms.tag.length === 0 ? {} : { tags: terms.tag }),
    ...given("priority", terms.priority),
    ...given("start_within_minutes", terms.startWithin),
    ...given("overlap", terms.overlap),
    ...given("catch_up", terms.catchUp),
    ...given("catch_up_limit", terms.catchUpLimit),
    ...given("jitter_seconds", terms.jitter),
    ...given("starts_at", terms.startsAt),
    ...given("ends_at", terms.endsAt),
    run_input_variables: input
  }
})

const shownAs = (settings: Settings, schedule: typeof ScheduleRecord.Type, done: string) =>
  answer(settings, schedule, () => SchedulesView.changed(done, schedule))

interface ListSettings extends Settings {
  readonly workflow: Option.Option<string>
}

export const list = (settings: ListSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const of = Option.isNone(settings.workflow)
        ? {}
        : { workflow_id: yield* workflowId(client, settings.workflow.value) }
      const all: Array<typeof ScheduleRecord.Type> = []
      let cursor: string | undefined
      do {
        const [page, { headers }] = yield* client.schedules.listSchedules({
          query: { ...of, limit: 1_000, ...(cursor === undefined ? {} : { cursor }) },
          responseMode: "decoded-and-response"
        })
        all.push(...page)
        cursor = headers["x-next-cursor"]
      } while (cursor !== undefined)
      yield* answer(settings, all, () => SchedulesView.list(all))
    })
  )

export const create = (settings: Terms) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const payload = yield* bodyOf(client, settings)
      yield* shownAs(settings, yield* client.schedules.createSchedule({ payload }), "Created")
    })
  )

interface PreviewSettings extends Terms {
  readonly id: Option.Option<string>
}

/** The next firings of a stored schedule, or of one that would be created. */
export const preview = (settings: PreviewSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const shown: typeof PreviewResponse.Type = yield* Option.isSome(settings.id)
        ? client.schedules.previewStoredSchedule({ params: { schedule_id: settings.id.value }, query: {} })
        : Effect.flatMap(bodyOf(client, settings), (payload) =>
            client.schedules.previewSchedule({ payload, query: {} })
          )
      yield* answer(settings, shown, () => SchedulesView.preview(shown))
    })
  )

interface OneSettings extends Settings {
  readonly id: string
}

export const show = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const schedule = yield* client.schedules.getSchedule({ params: { schedule_id: settings.id } })
      yield* answer(settings, schedule, () => SchedulesView.show(schedule))
    })
  )

/** Submits a run of a schedule now, whatever its times say. */
export const runNow = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const submitted = yield* client.schedules.runScheduleNow({ params: { schedule_id: settings.id } })
      yield* answer(settings, submitted, () => submitted.session_id)
    })
  )

interface PauseSettings extends OneSettings {
  readonly reason: Option.Option<string>
}

export const pause = (settings: PauseSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const paused = yield* client.schedules.pauseSchedule({
        params: { schedule_id: settings.id },
        payload: given("reason", settings.reason)
      })
      yield* shownAs(settings, paused, "Paused")
    })
  )

export const resume = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      yield* shownAs(
        settings,
        yield* client.schedules.resumeSchedule({ params: { schedule_id: settings.id } }),
        "Resumed"
      )
    })
  )

export const remove = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      yield* shownAs(
        settings,
        yield* client.schedules.removeSchedule({ params: { schedule_id: settings.id } }),
        "Deleted"
      )
    })
  )
