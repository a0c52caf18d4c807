/** Answers which processes of the installation are alive. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { iso } from "../run/RunRecord.ts"
import type { ProcessRecord } from "./InstallationApi.ts"
import { type LivingProcess, LivingProcesses } from "./LivingProcesses.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "installation",
  Effect.fn(function* (handlers) {
    const { living } = yield* LivingProcesses
    return handlers.handle(
      "readInstallation",
      Effect.fn(function* () {
        const processes = yield* living
        return { processes: processes === null ? null : processes.map(record) }
      })
    )
  })
)

const record = (process: LivingProcess): typeof ProcessRecord.Type => ({
  part: process.part,
  version: process.version,
  tz_data: process.tzData,
  clock_skew_ms: process.clockSkewMillis,
  capacity: process.capacity,
  running: process.running,
  browsers: process.browsers,
  began_at: iso(process.beganAt),
  seen_at: iso(process.seenAt)
})
