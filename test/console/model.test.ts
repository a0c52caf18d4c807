import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { askFor, type Verb } from "../../apps/console/data/Verbs.ts"
import { alarmsOf, workersOf } from "../../apps/console/home/HomeModel.ts"
import { parse, to } from "../../apps/console/kit/Route.ts"
import { duration, relative } from "../../apps/console/kit/Times.ts"
import {
  admitted,
  extended,
  filtersOf,
  joined,
  type Row,
  selectedAfter,
  toggled,
  tookMillis
} from "../../apps/console/runs/RunsModel.ts"
import { ranked } from "../../apps/console/shell/PaletteModel.ts"

const row = (name: string, at: number, status = "execution.queued"): Row => ({
  session_id: name,
  status,
  created_at: new Date(at).toISOString(),
  workflow_id: "w",
  workflow_name: "Nightly",
  workspace_id: "s",
  duration_ms: null,
  hold: null,
  holds: [],
  error: null,
  trigger: "api",
  tags: [],
  execution_start: null,
  execution_end: null,
  dry_run: false
})

const names = (rows: ReadonlyArray<Row>) => rows.map(({ session_id }) => session_id).join("")

describe("the alarms of an installation", () => {
  const process = {
    part: "worker",
    version: "1",
    tz_data: "2026a",
    clock_skew_ms: 0,
    capacity: 2,
    running: 1,
    browsers: 1,
    began_at: "",
    seen_at: ""
  }
  const textsOf = (processes: Parameters<typeof alarmsOf>[0]) => alarmsOf(processes).map(({ text }) => text)

  it("are none where all is well, and where the processes are not known", () => {
    assert.deepStrictEqual(textsOf([process, { ...process, part: "api", capacity: null }]), [])
    assert.deepStrictEqual(textsOf(null), [])
    assert.isNull(workersOf(null))
  })

  it("name missing workers, wrong clocks and different time zone data", () => {
    const [none, skew, zones] = textsOf([
      { ...process, part: "api", capacity: null, clock_skew_ms: 1_400 },
      { ...process, part: "scheduler", capacity: null, tz_data: "2025b" }
    ])
    assert.include(none, "No worker is alive")
    assert.strictEqual(skew, "The clock of a process (api) is 1.4 s ahead of that of the database")
    assert.include(zones, "(2025b, 2026a)")
  })

  it("come beside what the workers can do together", () => {
    const api = { ...process, part: "api", capacity: null, running: 0, browsers: 0 }
    assert.deepStrictEqual(workersOf([process, process, api]), { workers: 2, capacity: 4, running: 2, browsers: 2 })
  })
})

describe("the list of runs", () => {
  const listing = { rows: [row("c", 3), row("b", 2), row("a", 1)], arrived: [], cursor: null }

  it("takes new runs on top and drops those that match no longer while its reader is at the top", () => {
    const after = joined(listing, [row("d", 4), row("c", 3, "execution.start"), row("a", 1)], true, true)
    assert.strictEqual(names(after.rows), "dca")
    assert.strictEqual(after.rows[1]?.status, "execution.start")
  })

  it("changes rows in place, and moves none, while its reader is further down", () => {
    const after = joined(listing, [row("d", 4), row("c", 3, "execution.start"), row("a", 1)], false, true)
    assert.strictEqual(names(after.rows), "cba")
    assert.strictEqual(names(after.arrived), "d")
    assert.strictEqual(names(admitted(after).rows), "dcba")
  })

  it("keeps rows that are older than the page that was read again", () => {
    assert.strictEqual(names(joined(listing, [row("c", 3)], true, false).rows), "cba")
  })

  it("has no run twice when pages overlap", () => {
    assert.strictEqual(names(extended(listing, [row("a", 1), row("z", 0)], "next").rows), "cbaz")
  })

  it("reads its filters from an address, whatever that holds", () => {
    const filters = filtersOf(new URLSearchParams("status=execution.start,x&since=decade&workflow=1"))
    assert.deepStrictEqual(filters, {
      status: ["execution.start", "x"],
      workflow: "1",
      credential: null,
      hold: null,
      errorCode: null,
      tag: null,
      text: "",
      since: "week"
    })
    assert.strictEqual(toggled(filters, "execution.start"), "x")
    assert.strictEqual(toggled(filters, "execution.failed"), "execution.start,x,execution.failed")
  })

  it("selects one row, and a range from the row that was clicked before", () => {
    const { rows } = listing
    const one = selectedAfter(new Set(), rows, 0, null)
    assert.deepStrictEqual([...one], ["c"])
    assert.deepStrictEqual([...selectedAfter(one, rows, 2, 0)], ["c", "b", "a"])
    assert.deepStrictEqual([...selectedAfter(new Set(["c", "b"]), rows, 1, 0)], [])
  })

  it("counts the time of a run from its start to its end, or to now", () => {
    const started = { ...row("a", 0), execution_start: new Date(1_000).toISOString() }
    assert.isNull(tookMillis(row("a", 0), 9_000))
    assert.strictEqual(tookMillis(started, 9_000), 8_000)
    assert.strictEqual(tookMillis({ ...started, execution_end: new Date(3_000).toISOString() }, 9_000), 2_000)
  })
})

describe("addresses, times and the palette", () => {
  it("reads an address back as it was made, with any text in it", () => {
    const name = "a/b?c=d&e #%ü"
    const { path, query } = parse(to(["runs", name], { status: name, none: "" }))
    assert.deepStrictEqual(path, ["runs", name])
    assert.deepStrictEqual([...query], [["status", name]])
    assert.deepStrictEqual(parse("#/%zz").path, ["%zz"])
  })

  it("says durations and distances in two units at most", () => {
    assert.deepStrictEqual([0, 2_740, 61_000, 3_600_000, 90_061_000, -5].map(duration), [
      "0.0 s",
      "2.7 s",
      "1 min 1 s",
      "1 h",
      "1 d 1 h",
      "0 s"
    ])
    assert.deepStrictEqual(
      [relative(0, 1_000), relative(0, 90_000), relative(7_200_000, 0)],
      ["now", "1 min ago", "in 2 h"]
    )
  })

  it("finds what begins with the letters first, and nothing that lacks one", () => {
    const choices = ["Keys", "Held runs", "Runs", "Window"].map((word) => ({ word, kind: "Place", address: "#/" }))
    assert.deepStrictEqual(
      ranked(choices, "run").map(({ word }) => word),
      ["Runs", "Held runs"]
    )
    assert.deepStrictEqual(ranked(choices, "rnz"), [])
  })
})

describe("a verb for all runs that match a filter", () => {
  it.effect("goes on page by page to the last one, and joins the outcomes", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const verb: Verb = {
        word: "",
        done: "",
        note: "",
        isDangerous: false,
        outcome: "released",
        ask: (payload) => {
          asked.push(payload)
          const result = { session_id: String(asked.length), outcome: "released", message: null }
          return Effect.succeed({
            counts: { released: 1 },
            results: [result],
            next_cursor: asked.length === 3 ? null : String(asked.length)
          })
        }
      }
      const filter = { status: "execution.paused" }
      const { counts, results } = yield* askFor(verb, { filter }, true)
      assert.deepStrictEqual(counts, { released: 3 })
      assert.lengthOf(results, 3)
      assert.deepStrictEqual(asked, [
        { filter, dry_run: true },
        { filter, dry_run: true, cursor: "1" },
        { filter, dry_run: true, cursor: "2" }
      ])
    })
  )
})
