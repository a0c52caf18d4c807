import { assert, describe, it } from "@effect/vitest"
import { type History, judge, type Promised } from "../../kit/simulation/Promises.ts"

const run = (id: string, status = "execution.success") => ({ id, workflowId: "w", key: `key of ${id}`, status })
const event = (sequence: number, name: string, runId = "a") => ({ sequence, runId, event: `execution.${name}` })

/** Two runs: one was held and then succeeded at its second attempt, one was stopped before it started. */
const kept: History = {
  submissions: [
    { key: "key of a", answered: ["a", "a"] },
    { key: "key of b", answered: ["b"] },
    { key: "never answered", answered: [] }
  ],
  runs: [run("a"), run("b", "execution.stopped")],
  closed: [{ workflowId: "w", from: 0, until: 100 }],
  paces: [{ workflowId: "w", maxStartsPerMinute: 2, maxRunning: 1 }],
  starts: [
    { runId: "a", at: 100 },
    { runId: "a", at: 29_600 }
  ],
  commits: [{ runId: "a", at: 29_610 }],
  events: [
    event(1, "queued"),
    event(2, "paused"),
    event(3, "queued", "b"),
    event(4, "start"),
    event(5, "requeued"),
    event(6, "stopped", "b"),
    event(7, "start"),
    event(8, "success")
  ],
  delivered: new Set([1, 2, 3, 4, 5, 6, 7, 8])
}

const without = (...sequences: ReadonlyArray<number>) =>
  kept.events.filter(({ sequence }) => !sequences.includes(sequence))

const planted: Readonly<Record<string, readonly [Partial<History>, Promised, string]>> = {
  "an accepted run that is not in the record": [
    { submissions: [...kept.submissions, { key: "key of c", answered: ["c"] }] },
    "an accepted run is in the record",
    "c"
  ],
  "two runs of one key": [{ runs: [...kept.runs, { ...run("c"), key: "key of a" }] }, "one key makes one run", "c"],
  "two answers to one key": [
    { submissions: [{ key: "key of a", answered: ["a", "b"] }] },
    "one key makes one run",
    "b"
  ],
  "a start at the instant of a closing": [
    { closed: [{ workflowId: "w", from: 29_600, until: 29_700 }] },
    "no run starts while its gate is closed",
    "a"
  ],
  "a start just before an opening": [
    { closed: [{ workflowId: "w", from: 0, until: 101 }] },
    "no run starts while its gate is closed",
    "a"
  ],
  "more starts in a minute than the pace allows": [
    { paces: [{ workflowId: "w", maxStartsPerMinute: 1, maxRunning: null }] },
    "no minute has more starts than the pace allows",
    "a"
  ],
  "two starts in one part of the minute": [
    {
      paces: [{ workflowId: "w", maxStartsPerMinute: 2, maxRunning: null }],
      starts: [...kept.starts, { runId: "b", at: 150 }]
    },
    "the starts of a pace are spread over the minute",
    "b"
  ],
  "more runs in progress than the pace allows": [
    {
      events: [event(1, "queued"), event(2, "queued", "b"), event(3, "start"), event(4, "start", "b")],
      runs: [run("a"), run("b")]
    },
    "no more runs are in progress than the pace allows",
    "b"
  ],
  "a second commit": [
    { commits: [...kept.commits, { runId: "a", at: 29_620 }] },
    "what is committed is not repeated",
    "a"
  ],
  "an attempt after a commit": [{ commits: [{ runId: "a", at: 110 }] }, "what is committed is not repeated", "a"],
  "a run that still waits": [{ runs: [run("a"), run("b", "execution.queued")] }, "every run ends", "b"],
  "a run that is still executed": [
    { runs: [run("a", "execution.start"), kept.runs[1] ?? run("b")] },
    "every run ends",
    "a"
  ],
  "an end without an event": [{ events: without(8) }, "an ended run has one end event, its last", "a"],
  "two end events": [
    { events: [...kept.events, event(9, "failed")], delivered: new Set([...kept.delivered, 9]) },
    "an ended run has one end event, its last",
    "a"
  ],
  "another end than the record says": [
    { runs: [run("a", "execution.failed"), kept.runs[1] ?? run("b")] },
    "an ended run has one end event, its last",
    "a"
  ],
  "an event after the end": [
    { events: [...kept.events, event(9, "step")], delivered: new Set([...kept.delivered, 9]) },
    "an ended run has one end event, its last",
    "a"
  ],
  "a start without an event": [{ events: without(4) }, "a start is in the log", "a"],
  "an event that was not delivered": [{ delivered: new Set([1, 2, 3, 4, 5, 6, 7]) }, "every event is delivered", "a"]
}

describe("the judge of promises", () => {
  it("finds nothing in a history that keeps them all", () => {
    assert.deepStrictEqual(judge(kept), [])
  })

  it.each(Object.entries(planted))("finds %s", (_, [change, promise, runId]) => {
    assert.deepInclude(
      judge({ ...kept, ...change }).map((one) => ({ promise: one.promise, runId: one.runId })),
      { promise, runId }
    )
  })
})
