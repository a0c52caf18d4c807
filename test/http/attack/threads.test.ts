/**
 * The pool of threads of the sandbox: what goes over a bound ends alone, and what comes after it is done.
 */
import { afterAll, assert, it } from "@effect/vitest"
import { type Ending, type Options, ThreadPool } from "../../../adapters/threads/ThreadPool.ts"
import { defaults } from "../../../adapters/threads/ThreadSandbox.ts"
import type { Input, Name } from "../../../core/workflow/sandbox/Operations.ts"
import { hangMillis } from "../../support/limits.ts"

const pools: Array<ThreadPool<Name>> = []

afterAll(() => Promise.all(pools.map((pool) => pool.close())))

const poolOf = (options: Partial<Options<Name>>): ThreadPool<Name> => {
  const pool = new ThreadPool({ ...defaults, ...options })
  pools.push(pool)
  return pool
}

const ask = <N extends Name>(pool: ThreadPool<Name>, name: N, asked: Input<N>, owner = "one"): Promise<Ending> =>
  new Promise((end) => pool.submit({ owner, asker: "", name, asked: [JSON.stringify(asked)], end }))

const cheap = (pool: ThreadPool<Name>, owner = "one") => ask(pool, "patternCost", { pattern: "^a+$" }, owner)

const evaluation = (source: string) => ({ source, roots: {}, bindings: {}, apart: {}, moment: { at: 0, seed: 0 } })

/** Only what never ends has a short deadline. */
const deadlineMillis = (name: Name) => (name === "violation" ? 1_000 : hangMillis)

/** Works until its deadline: each level of the value is looked at twice as often as the one above it. */
const endless = (pool: ThreadPool<Name>, owner = "one") => {
  const level = {
    type: "object",
    properties: { next: { allOf: [0, 1].map(() => ({ $ref: "#/definitions/level" })) } }
  }
  const schema = { ...level, definitions: { level } }
  const nested = (levels: number): object => (levels === 0 ? {} : { next: nested(levels - 1) })
  return ask(pool, "violation", { schema, value: nested(40) as never }, owner)
}

const exceeded = (ending: Ending) => (ending._tag === "Refused" ? ending.error.exceeded : ending)

it("an operation over the cap on memory is refused, and the next one is done", async () => {
  const pool = poolOf({ threads: 1, memoryMegabytes: 32 })
  const strings = Array.from({ length: 400_000 }, (_, index) => `text ${index}`)
  const large = { ...evaluation('$map(texts, function($t) { { "a": $t, "b": [$t, $t] } })'), roots: { texts: strings } }
  assert.strictEqual(exceeded(await ask(pool, "evaluate", large)), "memory")
  assert.strictEqual((await cheap(pool))._tag, "Answered")
})

it("an operation over its deadline is refused, and the next one is done", async () => {
  const pool = poolOf({ threads: 1, deadlineMillis })
  assert.strictEqual(exceeded(await endless(pool)), "time")
  assert.strictEqual((await cheap(pool))._tag, "Answered")
})

it("a thread that exits ends its operation as a defect, and the next gets another thread", async () => {
  const pool = poolOf({ threads: 1, module: new URL("../../support/EndingThread.ts", import.meta.url) })
  for (const _ of [1, 2]) {
    const ending = await cheap(pool)
    assert.strictEqual(
      ending._tag === "Broken" ? ending.error.message : ending,
      "A thread of the sandbox ended unexpectedly"
    )
  }
})

it("the queue of one workspace is bounded, and a full one does not refuse another workspace", async () => {
  const pool = poolOf({ threads: 1, waiting: 2, waitingOfAsker: 2, deadlineMillis })
  const busy = endless(pool)
  const waiting = [cheap(pool), cheap(pool)]
  assert.strictEqual(exceeded(await cheap(pool)), "queue")
  const other = cheap(pool, "another")
  assert.strictEqual(exceeded(await busy), "time")
  for (const one of [...waiting, other]) assert.strictEqual((await one)._tag, "Answered")
})

it("an operation that is given up while it waits leaves its place to another", async () => {
  const pool = poolOf({ threads: 1, waiting: 1, waitingOfAsker: 1, deadlineMillis })
  const busy = endless(pool)
  const giveUp = pool.submit({
    owner: "one",
    asker: "",
    name: "patternCost",
    asked: ["{}"],
    end: () => assert.fail("it was given up")
  })
  giveUp()
  const next = cheap(pool)
  assert.strictEqual(exceeded(await busy), "time")
  assert.strictEqual((await next)._tag, "Answered")
})

it("a closed pool refuses, and ends its threads", async () => {
  const pool = poolOf({})
  assert.strictEqual((await cheap(pool))._tag, "Answered")
  await pool.close()
  assert.strictEqual(exceeded(await cheap(pool)), "queue")
})
