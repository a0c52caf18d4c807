/**
 * Replays: whether each of 30 planted breakages is found, whether an unchanged workflow ever seems changed, and how long a
 * replay takes beside its run.
 *
 * `SLUICE_REPLAY_ROUNDS` says how many runs are recorded, each of which is replayed 20 times; 10 when it does not.
 */
import { Effect } from "effect"
import { demoUsers } from "../../apps/demo/DemoUsers.ts"
import * as Site from "../../apps/demo/Site.ts"
import { compare, type Difference, isWorse } from "../../core/execution/replay/ReplayComparison.ts"
import * as ReplayRecord from "../../core/execution/replay/ReplayRecord.ts"
import * as ReplayRun from "../../core/execution/replay/ReplayRun.ts"
import { breakages, intact } from "../support/plantedBreakages.ts"
import { offlineBrowser, recorded } from "../support/replays.ts"
import { median, millis, type Row } from "./Row.ts"

/** How often each run is replayed. */
const replays = 20

/** The most that a replay may take of the time of its run. */
const mostTime = 1.2

const statuses = ["open", "shipped", "cancelled"]

const said = (difference: Difference | null): string =>
  difference === null
    ? "the same"
    : `${difference.kind} at ${difference.step?.name ?? "no step"}: ${difference.message}`

const note = (text: string): boolean => process.stdout.write(`  ${text.slice(0, 300)}\n`)

const measure = (rounds: number) =>
  Effect.gen(function* () {
    const site = yield* Site.serve(0)
    const login = { user: demoUsers.clerk, site }
    const [live, offline]: [Array<number>, Array<number>] = [[], []]
    let [alarms, missed] = [0, 0]
    for (let round = 0; round < rounds; round++) {
      const input = { status: statuses[round % statuses.length] ?? "open" }
      const { text } = yield* recorded({ workflow: intact(site), input, login })
      const kept = yield* ReplayRecord.decode(text ?? "")
      live.push(kept.tookMillis)
      for (let time = 0; time < replays; time++) {
        const replayed = yield* ReplayRun.replay(kept)
        offline.push(replayed.tookMillis)
        const difference = compare(kept, replayed, true)
        if (difference === null) continue
        alarms++
        note(`False alarm: ${said(difference)}`)
      }
      if (round > 0) continue
      for (const { name, of } of breakages) {
        const difference = compare(kept, yield* ReplayRun.replay(kept, of(site, kept.content)), false)
        if (difference !== null && isWorse(difference)) continue
        missed++
        note(`Not found: ${name}, ${said(difference)}`)
      }
    }
    return { alarms, missed, live: median(live), offline: median(offline) }
  }).pipe(Effect.provide(offlineBrowser), Effect.scoped)

export const replay = async (): Promise<ReadonlyArray<Row>> => {
  const rounds = Number(process.env.SLUICE_REPLAY_ROUNDS ?? 10)
  const { alarms, live, missed, offline } = await Effect.runPromise(measure(rounds))
  const none = (name: string, count: number, of: string): Row => ({
    name,
    value: String(count),
    reference: of,
    ratio: count,
    target: "0",
    ok: count === 0
  })
  return [
    none("planted breakages that a replay misses", missed, `${breakages.length} breakages`),
    none("false alarms of unchanged workflows", alarms, `${rounds * replays} replays`),
    {
      name: "time of a replay",
      value: millis(offline),
      reference: `${millis(live)} live`,
      ratio: offline / live,
      target: `≤ ${mostTime.toFixed(2)}`,
      ok: offline / live <= mostTime
    }
  ]
}
