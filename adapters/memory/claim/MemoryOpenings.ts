/** The held runs in memory whose credentials are checked before their window opens. */
import * as Gate from "../../../core/gate/Gate.ts"
import type { Opening } from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import { type Shape, waitingOf } from "../Tables.ts"

export const opening = (tables: Shape, now: number, until: number): ReadonlyArray<Opening> =>
  [...tables.gates]
    .flatMap(([workflowId, gate]): ReadonlyArray<Opening> => {
      const minutes = tables.versions.get(workflowId)?.at(-1)?.content.settings.sign_in_check_minutes
      const opensAt = Gate.startInterval(gate, now)?.startsAt
      if (minutes === undefined || opensAt === undefined || opensAt <= now || opensAt > until) return []
      const heads = new Map(
        waitingOf(tables, workflowId)
          .filter(({ credentials }) => credentials.length > 0)
          .toReversed()
          .map((run) => [Slots.queue(run.credentials), run])
      )
      return [...heads.values()].map((run) => ({ run, opensAt, leadMillis: minutes * 60_000 }))
    })
    .toSorted((one, other) => one.opensAt - other.opensAt)
