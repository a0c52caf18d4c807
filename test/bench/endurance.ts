/** The remains of two hundred runs in a row: memory of the worker and of its browsers, and processes. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import { chromiumsOf } from "../support/chromiums.ts"
import * as Endurance from "../support/endurance.ts"
import { executablePath } from "../support/realBrowser.ts"
import type { Row } from "./Row.ts"

const warmUp = 50
const count = 200

const flat = (name: string, before: number, after: number): Row => ({
  name,
  value: megabytes(after),
  reference: `${megabytes(before)} after ${warmUp}`,
  ratio: after / before,
  target: "≤ 1.10",
  ok: after / before <= 1.1
})

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`

const measured = Effect.gen(function* () {
  setFlagsFromString("--expose-gc")
  globalThis.gc = runInNewContext("gc")
  const origin = yield* Endurance.site
  // One browser throughout: a fresh one would hide what it leaks.
  const options = { ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [origin], runsPerBrowser: 100_000 }
  return yield* Effect.gen(function* () {
    yield* Endurance.runs(origin, warmUp)
    const before = yield* Endurance.memory
    yield* Endurance.runs(origin, count)
    return { before, after: yield* Endurance.memory }
  }).pipe(Effect.provide(Layer.fresh(PlaywrightBrowser.layer(options))))
}).pipe(Effect.scoped)

export const endurance = async (): Promise<ReadonlyArray<Row>> => {
  const { after, before } = await Effect.runPromise(measured)
  const left = chromiumsOf(process.pid).length
  return [
    flat(`memory of the worker, ${count} runs later`, before.worker, after.worker),
    flat(`memory of its browser, ${count} runs later`, before.browsers, after.browsers),
    { name: "processes left behind", value: String(left), reference: "0", ratio: left, target: "0", ok: left === 0 }
  ]
}
