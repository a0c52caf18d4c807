/**
 * Ten tasks of the gauntlet by the agent, against the same ones written by hand: the time that they take, and what they
 * cost of the processor with everything that the browser does for them.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { chromium } from "playwright-core"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import { type Challenge, compared } from "../gauntlet/Challenge.ts"
import { challenges } from "../gauntlet/Challenges.ts"
import { attempt, GauntletSite, layer } from "../gauntlet/Gauntlet.ts"
import { executablePath } from "../support/realBrowser.ts"
import { processMillis, rest } from "./ProcessTime.ts"
import { median, millis, type Row, timed } from "./Row.ts"
import { type ByHand, tasks as byHand } from "./TasksByHand.ts"

/** How often each task is done in each way; the first time warms up and does not count. */
const rounds = 7

/** The times of one way of doing a task, round by round. */
interface Took {
  readonly wall: Array<number>
  readonly cpu: Array<number>
}

/** Does something between two rests, and notes its time and what all of it cost: also what continues after it. */
const note = async (took: Took | null, prepare: () => Promise<() => Promise<unknown>>) => {
  const before = processMillis()
  const act = await prepare()
  await rest()
  const wall = await timed(act)
  await rest()
  took?.wall.push(wall)
  took?.cpu.push(processMillis() - before)
}

const measure = Effect.gen(function* () {
  const site = yield* GauntletSite
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof attempt>>>()
  const own = yield* Effect.acquireRelease(
    Effect.promise(() => chromium.launch({ executablePath, args: [...PlaywrightBrowser.switches] })),
    (browser) => Effect.promise(() => browser.close())
  )
  // A browser without any page ends its renderer, and its next page pays for a new one. The agent's always has a page.
  yield* Effect.promise(() => own.newPage())

  const agent = (challenge: Challenge) => async () => async () => {
    const seen = await Effect.runPromiseWith(services)(attempt(challenge))
    const { actual, expected } = compared(challenge, seen)
    deepStrictEqual(actual, expected)
  }
  // The agent finds a context that was made ahead, and closes it in its time: so does this.
  const hand = (challenge: Challenge, task: ByHand) => async () => {
    const page = await (await own.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
    return async () => {
      const data = await task(page, site.visit(challenge).url)
      await page.context().close()
      deepStrictEqual(data, challenge.expected)
    }
  }

  return yield* Effect.promise(async () => {
    const all: Array<{ readonly name: string; readonly agent: Took; readonly hand: Took }> = []
    for (const [name, task] of Object.entries(byHand)) {
      const challenge = challenges.find((one) => one.name === name)
      if (challenge === undefined) throw new Error(`No challenge is called ${name}`)
      const took = { name, agent: { wall: [], cpu: [] }, hand: { wall: [], cpu: [] } }
      for (let round = 0; round <= rounds; round++) {
        await note(round === 0 ? null : took.agent, agent(challenge))
        await note(round === 0 ? null : took.hand, hand(challenge, task))
      }
      all.push(took)
    }
    strictEqual(all.length, 10)
    return all
  })
}).pipe(Effect.provide(layer), Effect.scoped)

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const mean = (values: ReadonlyArray<number>): number => sum(values) / values.length

/** The bounds hold for all tasks together; a single one may be off by what single measurements are. */
const rowsOf = (name: string, wall: readonly [number, number], cpu: readonly [number, number]): ReadonlyArray<Row> =>
  (
    [
      ["time", wall, 1.05],
      ["processor", cpu, 1.1]
    ] as const
  ).map(([what, [agent, hand], target]) => ({
    name: `${name}: ${what}`,
    value: millis(agent),
    reference: `${millis(hand)} by hand`,
    ratio: agent / hand,
    target: `≤ ${target.toFixed(2)}`,
    ok: agent / hand <= target
  }))

export const tasks = async (): Promise<ReadonlyArray<Row>> => {
  const all = (await Effect.runPromise(measure)).map(({ agent, hand, name }) => ({
    name,
    wall: [median(agent.wall), median(hand.wall)] as const,
    cpu: [mean(agent.cpu), mean(hand.cpu)] as const
  }))
  const total = (of: "wall" | "cpu") => [sum(all.map((one) => one[of][0])), sum(all.map((one) => one[of][1]))] as const
  return [
    ...all.flatMap(({ cpu, name, wall }) => rowsOf(name, wall, cpu)),
    ...rowsOf("all ten tasks", total("wall"), total("cpu"))
  ]
}
