import { assert, describe, it } from "@effect/vitest"
import type { RunWindowResponse } from "../../../apps/api/gate/GatesApi.ts"
import { endings, foretold, startOneWord, unpauseWords } from "../../../apps/console/data/Unpausing.ts"
import { verbs } from "../../../apps/console/data/Verbs.ts"
import { willHoldWords } from "../../../apps/console/data/WillHold.ts"
import { reasonOf } from "../../../apps/console/home/HomeModel.ts"
import { holdWords } from "../../../apps/console/run/RunModel.ts"

type Gate = typeof RunWindowResponse.Type

const open: Gate = { run_window: null, state: null, lift: null, manual_pause: null, run_window_revision: 0 }
const closed: Gate = {
  ...open,
  run_window: { time_zone: "UTC", regular_hours: [] },
  state: { open: false, nextOpenAt: "nine" }
}
const manual_pause = { since: "a", until: null, by: "me", reason: "Repairs" }
const paused: Gate = { ...open, manual_pause }
const both: Gate = { ...closed, manual_pause }

const exactly = (count: number, exact = true) => ({ count, exact })
const same = (instant: string) => instant

describe("what lets held runs start", () => {
  it("is Unpause All for a manual pause alone, and Run now for a closed window alone", () => {
    assert.deepStrictEqual(unpauseWords, { workflow: "Unpause All", run_window: "Run now" })
    assert.deepStrictEqual(endings(open), [])
    assert.deepStrictEqual(endings(paused), ["workflow"])
    assert.deepStrictEqual(endings(closed), ["run_window"])
    assert.deepStrictEqual(endings(both), ["workflow", "run_window"])
    assert.deepStrictEqual(endings({ ...closed, state: { open: true, nextOpenAt: null } }), [])
  })

  it("has words of its own for single runs", () => {
    const words = [...Object.values(unpauseWords), startOneWord, ...Object.values(verbs).map(({ word }) => word)]
    assert.strictEqual(new Set(words).size, words.length)
    assert.include(holdWords.run_window.press, `${startOneWord} starts this run alone`)
    assert.include(holdWords.run_window.press, "Run now lifts the run window")
    assert.include(holdWords.manual.press, "Unpause All ends the pause")
    assert.notInclude(holdWords.run_window.press, "Unpause All")
  })

  it("names each hold on the workflow", () => {
    const reason = (gate: Gate) => reasonOf(gate, same, same)
    assert.isNull(reason(open))
    assert.strictEqual(reason(closed), "Its run window opens nine")
    assert.strictEqual(reason(both), "Paused by me: Repairs. Its run window opens nine")
  })

  it("says before Unpause All that runs which a window holds stay", () => {
    const lines = (gate: Gate, total: number, window: number) =>
      foretold(
        "workflow",
        { total: exactly(total), holds: { run_window: exactly(window), manual: exactly(total) } },
        gate,
        same
      )
    const first = "The manual pause of the workflow ends. No run window is lifted."
    assert.deepStrictEqual(lines(paused, 12, 0), [first, "12 waiting runs may start."])
    assert.deepStrictEqual(lines(both, 12, 12), [
      first,
      "No waiting run may start by it.",
      "12 waiting runs stay held by the run window, until it opens at nine."
    ])
    assert.deepStrictEqual(lines(both, 12, 11), [
      first,
      "1 waiting run may start.",
      "11 waiting runs stay held by the run window, until it opens at nine."
    ])
  })

  it("says before Run now until when the window is lifted, and that a pause stays", () => {
    const lines = (gate: Gate, total: number, manual: number, exact = true) =>
      foretold(
        "run_window",
        { total: exactly(total, exact), holds: { run_window: exactly(total, exact), manual: exactly(manual, exact) } },
        gate,
        same
      )
    assert.deepStrictEqual(lines(closed, 10_000, 0, false), [
      "The run window counts as open until it opens at nine: runs that are submitted before then start as well. A manual pause stays.",
      "10,000+ waiting runs may start."
    ])
    assert.deepStrictEqual(lines(both, 1, 1), [
      "The run window counts as open until it opens at nine. A manual pause stays.",
      "No waiting run may start by it.",
      "1 waiting run stays held by the pause of the workflow."
    ])
  })
})

describe("what is said before runs are submitted", () => {
  const words = (...all: ReadonlyArray<readonly [string | null, number, Gate]>) =>
    willHoldWords(
      all.map(([name, count, gate]) => ({ name, count, gate })),
      same
    )

  it("names the closed window and the pause that will hold them, with their ends", () => {
    assert.deepStrictEqual(words([null, 1, closed]), ["1 run will be held: its run window is closed until nine."])
    assert.deepStrictEqual(words([null, 12, { ...closed, state: { open: false, nextOpenAt: null } }]), [
      "12 runs will be held: its run window is closed, and no opening is in sight."
    ])
    assert.deepStrictEqual(words([null, 2, { ...both, manual_pause: { ...manual_pause, until: "ten" } }]), [
      "2 runs will be held: its run window is closed until nine, and it is paused until ten."
    ])
  })

  it("says of the others that they may start, also under a lifted window", () => {
    const lifted: Gate = { ...closed, state: { open: true, nextOpenAt: null } }
    assert.deepStrictEqual(words(["Orders", 1_200, open], ["Bills", 3, paused], ["Mails", 1, lifted]), [
      "3 runs of Bills will be held: it is paused, without an end.",
      "1,201 runs may start as soon as a worker is free."
    ])
  })
})
