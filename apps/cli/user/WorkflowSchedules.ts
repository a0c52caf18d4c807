/** The schedules that the code of a workflow has. */
import { Effect, type Schema } from "effect"
import type { ScheduleBody } from "../../../core/schedule/ScheduleBody.ts"
import type { Client } from "../../api/Client.ts"
import { refused } from "./Ending.ts"

const pageSize = 1_000

/**
 * Creates the schedules of a workflow, and replaces those of the same names. Other schedules of the workflow stay, as a
 * paused one stays paused.
 */
export const save = Effect.fnUntraced(function* (
  client: Client,
  workflow_id: string,
  schedules: ReadonlyArray<Schema.JsonObject>
) {
  if (schedules.length === 0) return
  const stored = yield* client.schedules.listSchedules({ query: { workflow_id, limit: pageSize } })
  for (const schedule of schedules) {
    const { name } = schedule
    if (typeof name !== "string" || name === "" || schedules.some((one) => one !== schedule && one.name === name)) {
      return yield* refused(
        "wrong",
        `The workflow was saved. schedules: expected a name of its own for each, got ${JSON.stringify(name)}`
      )
    }
    // The service checks what is sent, and reports every problem at its path.
    const payload = { ...schedule, workflow_id } as unknown as typeof ScheduleBody.Type
    const [known, ...others] = stored.filter((one) => one.name === name)
    if (others.length > 0) {
      return yield* refused(
        "wrong",
        `The workflow was saved. ${others.length + 1} of its schedules have the name "${name}": delete or rename all but one`
      )
    }
    yield* known === undefined
      ? client.schedules.createSchedule({ payload })
      : client.schedules.replaceSchedule({ params: { schedule_id: known.id }, payload })
  }
})
