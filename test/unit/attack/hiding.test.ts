/**
 * A page or a site that is made to be searched for secrets at length does not hold the event loop of a worker: its steps are
 * counted, in a thread whose engine counts them.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import type * as Hiding from "../../support/HidingSteps.ts"
import * as Hostile from "../../support/hostileSecrets.ts"
import * as Steps from "../../support/steps.ts"

const hiding = Steps.thread<typeof Hiding>(new URL("../../support/HidingSteps.ts", import.meta.url))
afterAll(hiding.end)

/** Each bound is at least four times what is counted. One secret after the other would take as many steps as there are. */
const most = {
  text: 900,
  name: 1_300,
  single: 5_100,
  singleName: 1_200,
  spellings: 6_500,
  ways: 6_000,
  turn: 18_500_000
}

/** A value as a name of a test shows it. */
const shown = (value: string) => (value.length <= 40 ? value : `${value.slice(0, 30)}… (${value.length})`)

const over = <A>(all: ReadonlyArray<A>, isOver: (one: A) => boolean) => assert.deepEqual(all.filter(isOver), [])

describe("hiding secrets", () => {
  it.each(Hostile.single.map((value) => [shown(value), value]))(
    "takes steps that grow with the text alone: %j",
    async (_, value) => {
      const isLong = value.length > 100
      const { name, texts } = await hiding.ask("single", value, isLong ? 256 : 128)
      // Four times the text takes four times the steps for each character where each begins a search through the rest.
      over(texts, ({ long, short }) => short === 0 || long > (isLong ? 3 : 2) * short)
      over(texts, ({ long }) => long > most.single)
      assert.isBelow(name, most.singleName)
    }
  )
})

const kinds = Object.keys(Hostile.many) as ReadonlyArray<keyof typeof Hostile.many>

describe("thousands of secrets", () => {
  it.each(kinds)("take steps in proportion to their number, and are hidden: %s", async (kind) => {
    const few = await hiding.ask("adding", kind, 500)
    const many = await hiding.ask("adding", kind, 2_000)
    assert.isAbove(few.indexed, 0)
    // They are sorted, so that four times as many take a little more than four times the steps.
    assert.isBelow(many.indexed, 2 * few.indexed)
    assert.isBelow(many.added, 2 * few.added)
    assert.deepEqual([few.shown, many.shown], [[], []])
  })

  it.each(kinds)("take memory in proportion to their length: %s", async (kind) => {
    const { bytes, shown: left } = await hiding.ask("keeping", kind, 2_000)
    // A pattern for each of them takes several times as much.
    assert.isBelow(bytes, 4_000)
    assert.deepEqual(left, [])
  })

  it.each(kinds)("take hardly more steps of a text than one secret does: %s", async (kind) => {
    const counts = await hiding.ask("searching", kind, 2_000)
    over(counts, ({ name, text }) => text === 0 || text > most.text || name > most.name)
  })

  it("that share all they begin with are searched for in every spelling in linear time", async () => {
    const counts = await hiding.ask("sharing", 250)
    assert.lengthOf(counts, 4)
    over(counts, (steps) => steps === 0 || steps > most.spellings)
  })

  it("of which a text can be read as any are searched for in linear time, and the text is not shown", async () => {
    const { shown: left, steps } = await hiding.ask("ambiguous", 10)
    assert.isAbove(steps, 0)
    assert.isBelow(steps, most.ways)
    assert.notInclude(left, "%25%25")
  })

  it("take no longer where a text is searched in turns, nor in names of files and what is typed", async () => {
    const counts = await hiding.ask("elsewhere", 2_000)
    assert.lengthOf(counts, 3)
    over(counts, (steps) => steps === 0 || steps > most.text)
  })
})

describe("a text of any length", () => {
  it.each(Object.entries(Hostile.hostile))("is searched in turns, none of which is long: %s", async (_, piece) => {
    const turns = await hiding.ask("turns", piece, 100_000)
    assert.isAtLeast(turns.length, 4)
    over(turns, (steps) => steps > most.turn)
  })
})
