/**
 * Schedules as text for a terminal. Functions of their arguments.
 */
import type { PreviewResponse, ScheduleRecord } from "../../../api/schedule/SchedulesApi.ts"
import { cell, instant, table } from "./Table.ts"

type Schedule = typeof ScheduleRecord.Type

const timesOf = ({ at, cron, recurrence, time_zone }: Schedule): string =>
  at === null ? `${cron ?? recurrence ?? ""} ${time_zone ?? ""}`.trim() : "when the window opens"

export const list = (schedules: ReadonlyArray<Schedule>): string =>
  schedules.length === 0
    ? "No schedules"
    : table(
        ["SCHEDULE", "NAME", "TIMES", "STATE", "NEXT", "WORKFLOW"],
        schedules.map((one) => [
          one.id,
          cell(one.name, 40),
          cell(timesOf(one), 40),
          one.state,
          instant(one.next_fires_at),
          one.workflow_id
        ])
      )

const warningLines = (warnings: Schedule["warnings"] = []): ReadonlyArray<string> =>
  warnings.map(({ message, path }) => `Warning: ${path === "" ? "" : `${path}: `}${cell(message)}`)

/** A schedule after it was changed. */
export const changed = (done: string, schedule: Schedule): string =>
  [
    `${done} schedule ${schedule.id}: ${timesOf(schedule)}${schedule.next_fires_at === null || done === "Deleted" ? "" : `, next ${instant(schedule.next_fires_at)}`}`,
    ...warningLines(schedule.warnings)
  ].join("\n")

/** A schedule with what it is bound by, and its latest firings. */
export const show = (schedule: Schedule): string => {
  const { firings = [], paused } = schedule
  const overlap = `${schedule.overlap}${schedule.waiting_firings === 0 ? "" : `, ${schedule.waiting_firings} wait`}`
  const pairs = [
    ["Schedule", schedule.id],
    ["Name", cell(schedule.name)],
    ["Workflow", schedule.workflow_id],
    ["Times", cell(timesOf(schedule), 200)],
    ["State", schedule.state],
    [
      "Paused",
      paused === null ? "" : `${instant(paused.at)} by ${paused.by}: ${cell(paused.reason ?? "no reason given")}`
    ],
    ["Next", instant(schedule.next_fires_at)],
    ["Starts", instant(schedule.starts_at)],
    ["Ends", instant(schedule.ends_at)],
    ["Overlap", overlap],
    ["Catch-up", schedule.catch_up === "all" ? `all, at most ${schedule.catch_up_limit}` : schedule.catch_up],
    ["Jitter", schedule.jitter_seconds === 0 ? "" : `less than ${schedule.jitter_seconds} s`],
    ["Tags", schedule.tags.join(", ")],
    ["Input", cell(JSON.stringify(schedule.run_input_variables), 400)]
  ] as const
  return [
    ...pairs.flatMap(([name, value]) => (value === "" ? [] : [`${name.padEnd(9)}  ${value}`])),
    ...warningLines(schedule.warnings),
    "",
    firings.length === 0
      ? "It has not fired"
      : table(
          ["FIRED FOR", "OUTCOME", "RUN", "REASON"],
          firings.map(({ by_hand, outcome, reason, scheduled_at, session_id }) => [
            instant(scheduled_at),
            by_hand ? `${outcome} by hand` : outcome,
            session_id ?? "",
            cell(reason ?? "", 200)
          ])
        )
  ].join("\n")
}

/** The next firings, on the clocks of the schedule and of the run window. */
export const preview = ({ firings, warnings }: typeof PreviewResponse.Type): string =>
  [
    firings.length === 0
      ? "It does not fire"
      : table(
          ["FIRES", "LOCAL", "IN THE WINDOW'S ZONE", "STARTS"],
          firings.map(({ can_start_at, expires_at, fires_at, local, window_local, window_open }) => [
            instant(fires_at),
            local,
            window_local ?? "",
            window_open
              ? "at once"
              : expires_at !== null
                ? `never: ends at ${instant(expires_at)}`
                : can_start_at === null
                  ? "never"
                  : instant(can_start_at)
          ])
        ),
    ...warningLines(warnings)
  ].join("\n")
