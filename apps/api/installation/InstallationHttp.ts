/** Answers which processes are alive and which workflows time zone data moved, and moves its time where it is for tests. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Gates } from "../../../core/gate/Gates.ts"
import { TestTime } from "../../../core/runtime/TestTime.ts"
import { ModelAvailability } from "../../../core/workflow/ModelAvailability.ts"
import { Audit } from "../../../core/workspace/audit/Audit.ts"
import { Workspaces } from "../../../core/workspace/Workspaces.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { parseInstant } from "../http/body/Query.ts"
import * as Errors from "../http/Errors.ts"
import { iso } from "../run/RunRecord.ts"
import type { ProcessRecord } from "./InstallationApi.ts"
import { type LivingProcess, LivingProcesses } from "./LivingProcesses.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "installation",
  Effect.fn(function* (handlers) {
    const { living } = yield* LivingProcesses
    const time = yield* TestTime
    const audit = yield* Audit
    const models = yield* ModelAvailability
    const gates = yield* Gates
    const workspaces = yield* Workspaces
    const shown = Effect.fnUntraced(function* ({ ahead }: TestTime) {
      return { now: iso(yield* Clock.currentTimeMillis), ahead_seconds: (yield* ahead) / 1_000 }
    })
    return handlers
      .handle(
        "readInstallation",
        Effect.fn(function* () {
          const caller = yield* CurrentCaller
          const processes = yield* living
          const moved = yield* gates.moved(caller)
          const shown = (yield* workspaces.ownsInstallation(caller)) ? whole : brief
          return {
            processes: processes === null ? null : shown(processes),
            moved_workflows: moved.map(({ at, from, name, workflowId }) => ({
              workflow_id: workflowId,
              name,
              former_tz_data: from,
              noticed_at: iso(at)
            })),
            models
          }
        })
      )
      .handle(
        "readTestClock",
        Effect.fn(function* () {
          return time === null ? yield* absent : yield* shown(time)
        })
      )
      .handle(
        "moveTestClock",
        Effect.fn(function* ({ payload }) {
          if (time === null) return yield* absent
          const caller = yield* CurrentCaller
          const at = parseInstant(payload.now)
          const now = yield* Clock.currentTimeMillis
          if (at === null || at < now || at >= firstTooLate) {
            return yield* Effect.fail(
              Errors.invalidAt(
                "now",
                `Expected an instant such as ${iso(now)} that has not passed, before the year 9000, got "${payload.now.slice(0, 100)}"`
              )
            )
          }
          yield* time.moveTo(at)
          const moved = yield* shown(time)
          const before = { now: iso(now) }
          yield* audit.record(caller, { action: "test_clock.move", resourceId: null, before, after: moved })
          return moved
        })
      )
  })
)

/** Time does not go back: what is computed from the last instant must still be one that can be written. */
const firstTooLate = Date.UTC(9000, 0)

const absent = Effect.fail(
  Errors.general(404, "The time of this installation cannot be moved: it runs without SLUICE_TEST_CLOCK=1")
)

type Shown = (processes: ReadonlyArray<LivingProcess>) => ReadonlyArray<typeof ProcessRecord.Type>

const whole: Shown = (processes) =>
  processes.map((process) => ({
    ...kindOf(process),
    clock_skew_ms: process.clockSkewMillis,
    capacity: process.capacity,
    running: process.running,
    browsers: process.browsers,
    began_at: iso(process.beganAt),
    seen_at: iso(process.seenAt)
  }))

/** Which kinds of processes there are, and neither how many nor how busy: that shows what other workspaces do. */
const brief: Shown = (processes) => [
  ...new Map(processes.map(kindOf).map((kind) => [JSON.stringify(kind), kind])).values()
]

const kindOf = ({ part, tzData, version }: LivingProcess) => ({ part, version, tz_data: tzData })
