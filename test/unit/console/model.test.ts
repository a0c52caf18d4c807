import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { StartForecast } from "../../../apps/api/gate/ForecastJson.ts"
import { counted, forecastWords } from "../../../apps/console/data/Counts.ts"
import { inputAt } from "../../../apps/console/data/InputCheck.ts"
import { plain, plainJson } from "../../../apps/console/data/PlainText.ts"
import { canonical, mostViews, problemOf, viewsIn, withView } from "../../../apps/console/data/SavedViews.ts"
import { askFor, type Verb } from "../../../apps/console/data/Verbs.ts"
import {
  alarmsOf,
  type HeldWorkflow,
  heldByOpening,
  leftOutWords,
  movedAlarms,
  waitSentence,
  workersOf
} from "../../../apps/console/home/HomeModel.ts"
import { parse, to } from "../../../apps/console/kit/Route.ts"
import { problemsByField } from "../../../apps/console/kit/Service.ts"
import { duration, ending, relative, zoned } from "../../../apps/console/kit/Times.ts"
import { inSight } from "../../../apps/console/runs/InSight.ts"
import * as Listing from "../../../apps/console/runs/ListingModel.ts"
import {
  filtersOf,
  type Row,
  selectedAfter,
  tookMillis,
  unknownIn,
  withStatus
} from "../../../apps/console/runs/RunsModel.ts"
import { ranked } from "../../../apps/console/shell/PaletteModel.ts"
import {
  type Connection,
  configurationOf,
  connectionOf,
  connectionProblemsOf
} from "../../../apps/console/vault/VaultModel.ts"

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
  warning_count: 0,
  trigger: "api",
  tags: [],
  priority: 0,
  start_by: null,
  reference: null,
  execution_start: null,
  execution_end: null,
  dry_run: false
})

it("the end of a stretch has its date where that is another one", () => {
  const at = (text: string) => Date.parse(text)
  assert.match(ending(at("2026-01-12T09:00Z"), at("2026-01-12T17:00Z"), "UTC"), /^17:00$/)
  assert.match(ending(at("2026-01-12T00:00Z"), at("2026-01-17T00:00Z"), "UTC"), /Sat.* 17 Jan.* 00:00/)
  assert.match(
    ending(at("2026-12-31T22:00Z"), at("2027-01-01T04:00Z"), "UTC", at("2026-06-01T00:00Z")),
    /^Fri,? 1 Jan 2027, 04:00$/
  )
  assert.match(ending(at("2026-01-12T09:00Z"), at("2026-01-13T09:00Z"), "UTC"), /Tue.* 13 Jan.* 09:00/)
})

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
  const textsOf = (processes: Parameters<typeof alarmsOf>[0]) =>
    alarmsOf(processes, Date.parse("2026-11-27T00:00:00Z")).map(({ text }) => text)

  it("are none where all is well, and where the processes are not known", () => {
    assert.deepStrictEqual(textsOf([process, { ...process, part: "api", capacity: null }]), [])
    assert.deepStrictEqual(textsOf(null), [])
    assert.isNull(workersOf(null))
  })

  it("of those who are not told the clocks and the load are the missing workers and the time zone data", () => {
    const brief = (part: string, tz_data = "2026a") => ({ part, version: "1", tz_data })
    assert.deepStrictEqual(textsOf([brief("api"), brief("worker")]), [])
    assert.deepStrictEqual(textsOf([brief("up")]), [])
    assert.include(textsOf([brief("api"), brief("scheduler")])[0], "No worker is running")
    assert.include(textsOf([brief("worker"), brief("worker", "2026b")])[0], "(2026a, 2026b)")
    assert.isNull(workersOf([brief("worker")]))
  })

  it("name missing workers, wrong clocks and different time zone data", () => {
    const [none, skew, zones] = textsOf([
      { ...process, part: "api", capacity: null, clock_skew_ms: 1_400 },
      { ...process, part: "scheduler", capacity: null, tz_data: "2025b" }
    ])
    assert.include(none, "No worker is running")
    assert.strictEqual(skew, "The clock of a process (api) is 1.4 s ahead of that of the database")
    assert.include(zones, "(2025b, 2026a)")
    const [old] = textsOf([{ ...process, tz_data: "2025b" }])
    assert.include(old, "The time zone data 2025b are at least 330 days old")
  })

  it("name the first workflows that new time zone data moved, and how many more", () => {
    const moved = (name: string) => ({ workflow_id: name, name, former_tz_data: "2026a", noticed_at: "" })
    assert.deepStrictEqual(movedAlarms([]), [])
    const texts = (names: ReadonlyArray<string>) => movedAlarms(names.map(moved)).map(({ text }) => text)
    assert.deepStrictEqual(texts(["a"]), ["New time zone data moved the next opening or closing of “a”"])
    assert.match(texts(["a", "b", "c", "d", "e"])[0] ?? "", /of “a”, “b”, “c” and 2 more$/)
  })

  it("come beside what the workers can do together", () => {
    const api = { ...process, part: "api", capacity: null, running: 0, browsers: 0 }
    assert.deepStrictEqual(workersOf([process, process, api]), { workers: 2, capacity: 4, running: 2, browsers: 2 })
  })
})

const cursorAt = (at: number, id: string): string => `${new Date(at).toISOString()}_${id}`

const written = (listing: Listing.Listing) => Listing.idsOf(listing).join("")

describe("the list of runs", () => {
  const listing = Listing.beginning({ rows: [row("c", 3), row("b", 2), row("a", 1)], cursor: null })
  const fresh = { rows: [row("d", 4), row("c", 3, "execution.start"), row("a", 1)], cursor: null }

  it("is its first page as it is now while its reader is at the top", () => {
    const after = Listing.joined(listing, fresh, false)
    assert.strictEqual(written(after), "dca")
    assert.strictEqual(Listing.rowAt(after, 1)?.status, "execution.start")
  })

  it("changes rows in place and moves none while it stands still, and says what is new or matches no longer", () => {
    const after = Listing.joined(listing, fresh, true)
    assert.strictEqual(written(after), "cba")
    assert.strictEqual(Listing.rowAt(after, 0)?.status, "execution.start")
    assert.deepStrictEqual([after.arrived?.count, after.arrived?.isMore, [...after.gone]], [1, false, ["b"]])
    assert.strictEqual(written(Listing.admitted(after)), "dca")
    const fewer = Listing.joined(listing, { rows: [row("c", 3), row("a", 1)], cursor: null }, true)
    assert.deepStrictEqual([fewer.arrived?.count, [...fewer.gone]], [0, ["b"]])
    assert.strictEqual(written(Listing.admitted(fewer)), "ca")
    assert.isNull(
      Listing.joined(listing, { rows: [row("c", 3), row("b", 2), row("a", 1)], cursor: null }, true).arrived
    )
    // Of 5 runs the page shows 3. After 2 of them were released, it shows the next 2: these are no new ones.
    const page = Listing.beginning({ rows: [row("e", 5), row("d", 4), row("c", 3)], cursor: cursorAt(3, "c") })
    const released = { rows: [row("e", 5), row("b", 2), row("a", 1)], cursor: null }
    const left = Listing.joined(page, released, true).arrived
    assert.deepStrictEqual([left?.count, left?.isMore], [0, false])
    const all = Listing.joined(page, { rows: [row("b", 2), row("a", 1)], cursor: cursorAt(1, "a") }, true)
    assert.deepStrictEqual([all.arrived?.count, all.arrived?.isMore, all.gone.size], [0, false, 3])
    const submitted = Listing.joined(
      page,
      { rows: [row("f", 6), row("e", 5), row("b", 2)], cursor: cursorAt(2, "b") },
      true
    )
    assert.strictEqual(submitted.arrived?.count, 1)
    const many = Listing.joined(listing, { rows: [row("z", 9), row("y", 8)], cursor: "more" }, true)
    assert.deepStrictEqual([many.arrived?.count, many.arrived?.isMore, many.gone.size], [2, true, 0])
  })

  it("goes on searching until the end, until it has found many, or until it is stopped", () => {
    const cursor = (at: number) => `${new Date(at).toISOString()}_id`
    const first = Listing.beginning({ rows: [], cursor: cursor(5) })
    const searched = (listing: Listing.Listing, total: string | null, isStopped = false) =>
      Listing.searchOf(listing, "north", total, isStopped)
    assert.deepStrictEqual(searched(first, "0+"), {
      state: "searching",
      found: 0,
      backTo: new Date(5).toISOString()
    })
    assert.strictEqual(Listing.totalOf(first, "0+"), "0+")
    assert.strictEqual(searched(first, "0+", true)?.state, "stopped")
    // Where the service has counted all that match, the list is read as it is scrolled.
    assert.isNull(searched(first, "250"))
    assert.isNull(Listing.searchOf(first, "", "10000+", false))
    const next = Listing.extended(first, { rows: [row("b", 4), row("a", 3)], cursor: cursor(2) })
    assert.deepStrictEqual([searched(next, "0+")?.found, Listing.totalOf(next, "0+")], [2, "2+"])
    // What a page that found nothing does not show may still match.
    assert.strictEqual(Listing.joined(next, { rows: [], cursor: cursor(5) }, true).gone.size, 0)
    const end = Listing.extended(next, { rows: [], cursor: null })
    assert.deepStrictEqual([searched(end, "0+"), Listing.totalOf(end, "0+")], [null, "2"])
    const many = Array.from({ length: 10_000 }, (_, at) => row(`${at}`, 1))
    const long = Listing.extended(first, { rows: many, cursor: cursor(1) })
    assert.deepStrictEqual([searched(long, "0+"), Listing.totalOf(long, "0+")], [null, "10000+"])
  })

  it("has no run twice when pages overlap", () => {
    const first = { ...listing, next: "1" }
    const after = Listing.extended(first, { rows: [row("a", 1), row("z", 0)], cursor: "2" })
    assert.strictEqual(written(after), "cbaz")
    assert.strictEqual(after.next, "2")
  })

  it("keeps the rows of a million near those in sight alone, and reads a page again at its place", () => {
    const one = row("", 0)
    const page = (number: number) =>
      Array.from({ length: 1_000 }, (_, at) => ({ ...one, session_id: `${number}-${at}` }))
    let long = Listing.beginning({ rows: page(0), cursor: "1" })
    for (let number = 1; number < 1_000; number++) {
      const count = Listing.countOf(long)
      long = Listing.trimmed(Listing.extended(long, { rows: page(number), cursor: String(number + 1) }), count, count)
    }
    const kept = () => long.pages.filter(({ rows }) => rows !== null).length
    assert.strictEqual(Listing.countOf(long), 1_000_000)
    assert.isAtMost(kept(), 8)
    assert.isNull(Listing.rowAt(long, 5_500))
    assert.deepStrictEqual(Listing.missing(long, 5_990, 6_010), [5, 6])
    // A row of the page matches no longer.
    long = Listing.filled(long, 5, page(5).slice(1))
    assert.strictEqual(Listing.countOf(long), 999_999)
    assert.strictEqual(Listing.rowAt(long, 5_500)?.session_id, "5-501")
    assert.strictEqual(Listing.rowAt(long, 999_998)?.session_id, "999-999")
    long = Listing.trimmed(long, 5_500, 5_530)
    assert.strictEqual(kept(), 1)
  })

  it("reaches each of a million rows by scrolling, within the height that browsers can draw", () => {
    const [height, rowHeight, count] = [800, 36, 1_000_000]
    const { pixels, until } = inSight(Number.MAX_SAFE_INTEGER, height, rowHeight, count)
    assert.isBelow(pixels, 17_000_000)
    assert.strictEqual(until, count)
    const end = inSight(pixels - height, height, rowHeight, count)
    // The last row ends where the element does.
    assert.closeTo(count * rowHeight + end.shift, pixels, 1)
    assert.deepStrictEqual(inSight(0, height, rowHeight, count), { from: 0, until: 31, pixels, shift: 0 })
    assert.deepStrictEqual(inSight(720, height, rowHeight, 100), { from: 12, until: 51, pixels: 3_600, shift: 0 })
  })

  it("reads its filters from an address, whatever that holds", () => {
    const filters = filtersOf(new URLSearchParams("status=execution.start,x&since=decade&workflow=1"))
    assert.deepStrictEqual(filters, {
      status: ["execution.start", "x"],
      workflow: "1",
      credential: null,
      hold: null,
      errorCode: null,
      errorCategory: null,
      errorSubType: null,
      tag: null,
      warned: false,
      text: "",
      since: "week"
    })
    assert.match(unknownIn(filters) ?? "", /a status that no run has: “x”\. A run is Held, Queued, .*Stopped\./)
    assert.match(unknownIn({ status: [], hold: "toString" }) ?? "", /“toString”\. Choose one of: Run window closed,/)
    assert.isNull(unknownIn({ status: ["execution.start"], hold: "manual" }))
  })

  it("shows one status after a click on it, several after clicks that add, and no hold that none of them can have", () => {
    const of = (status: ReadonlyArray<string>, hold: string | null = null) => ({ status, hold })
    const held = of(["execution.paused"], "manual")
    const failed = "execution.failed"
    assert.deepStrictEqual(withStatus(held, failed, false), { status: failed, hold: null })
    assert.deepStrictEqual(withStatus(held, failed, true), { status: `execution.paused,${failed}`, hold: "manual" })
    assert.deepStrictEqual(withStatus(held, "execution.paused", false), { status: "", hold: "manual" })
    assert.deepStrictEqual(withStatus(of(["execution.paused", failed]), failed, false), { status: failed, hold: null })
    assert.deepStrictEqual(withStatus(of(["x", failed]), failed, true), { status: "x", hold: null })
  })

  it("selects one row, and a range from the row that was clicked before", () => {
    const ids = Listing.idsOf(listing)
    const one = selectedAfter(new Set(), ids, 0, null)
    assert.deepStrictEqual([...one], ["c"])
    assert.deepStrictEqual([...selectedAfter(one, ids, 2, 0)], ["c", "b", "a"])
    assert.deepStrictEqual([...selectedAfter(new Set(["c", "b"]), ids, 1, 0)], [])
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
    assert.deepStrictEqual([12, 2_740, 61_000, 3_600_000, 90_061_000, -5].map(duration), [
      "12 ms",
      "2.7 s",
      "1 min 1 s",
      "1 h",
      "1 d 1 h",
      "0 s"
    ])
    assert.deepStrictEqual(
      [relative(0, 1_000), relative(0, 90_000), relative(7_200_000, 0), relative(0, 70 * 86_400_000)],
      ["now", "1 min ago", "in 2 h", "1 Jan 1970"]
    )
    assert.strictEqual(zoned(0, "Europe/Berlin", 0), "Thu 1 Jan, 01:00 GMT+1")
    assert.strictEqual(zoned(0, "UTC", 0), "Thu 1 Jan, 00:00 UTC")
    // An instant of another year would read as one of this year.
    const now = Date.parse("2026-11-28T00:00Z")
    assert.match(zoned(Date.parse("2030-01-07T09:00Z"), "UTC", now), /^Mon,? 7 Jan 2030, 09:00 UTC$/)
    assert.match(zoned(Date.parse("2026-12-31T23:30Z"), "Europe/Berlin", now), /^Fri,? 1 Jan 2027, 00:30 GMT\+1$/)
    assert.strictEqual(zoned(Date.parse("2026-12-31T23:30Z"), "UTC", now), "Thu 31 Dec, 23:30 UTC")
  })

  it("says at each field what a connection to a secret provider lacks", () => {
    const typed: Connection = {
      ...{ key: "a".repeat(64), type: "hashicorp_vault", name: "Safe", url: "https://vault.example.com", token: "t" },
      ...{ place: "", namespace: "", roleId: "", secretId: "", cache: "" }
    }
    const wrong = (changes: Partial<Connection>) => Object.keys(connectionProblemsOf({ ...typed, ...changes }))
    assert.deepStrictEqual(wrong({}), [])
    assert.deepStrictEqual(wrong({ token: "", roleId: "r", secretId: "s" }), [])
    assert.deepStrictEqual(wrong({ roleId: "r", secretId: "s" }), ["token"])
    assert.deepStrictEqual(wrong({ token: "", roleId: "r" }), ["secretId"])
    assert.deepStrictEqual(wrong({ type: "1password", token: "", url: "vault", key: "k", name: " ", cache: "a day" }), [
      "name",
      "url",
      "token",
      "cache",
      "key"
    ])
  })

  it("changes of a secret provider only what was typed, and puts a role in the place of a token", () => {
    const former = {
      ...{ provider_type: "hashicorp_vault", name: "Safe", cache_ttl_seconds: 60 },
      config_hint: { host: "vault.example.com", mount: "secret", namespace: "team/a" }
    }
    const typed = connectionOf(former)
    assert.deepInclude(typed, { name: "Safe", place: "secret", namespace: "team/a", cache: "60", url: "", token: "" })
    assert.deepStrictEqual(connectionProblemsOf(typed, former), {})
    assert.isNull(configurationOf(typed, former))
    assert.deepStrictEqual(configurationOf({ ...typed, place: "kv" }, former), { plain: { mount: "kv" }, secrets: {} })
    assert.deepStrictEqual(configurationOf({ ...typed, place: " " }, former)?.plain, { mount: null })
    assert.deepStrictEqual(configurationOf({ ...typed, namespace: "" }, former)?.plain, { namespace: null })
    assert.deepStrictEqual(configurationOf({ ...typed, namespace: "b" }, former)?.plain, { namespace: "b" })
    const role = { ...typed, roleId: "r", secretId: "s" }
    assert.deepStrictEqual(configurationOf(role, former), {
      plain: { role_id: "r", token: null },
      secrets: { secret_id: "s" }
    })
    // Only a secret that is sent needs the key that seals it.
    assert.deepStrictEqual(Object.keys(connectionProblemsOf(role, former)), ["key"])
    const token = configurationOf({ ...typed, token: "t" }, former)
    assert.deepStrictEqual(token, { plain: { role_id: null, secret_id: null }, secrets: { token: "t" } })
  })

  it("takes nothing from a sentence but what turns its direction, and keeps the meaning of JSON", () => {
    assert.strictEqual(plain("Remove a\u202eb\u2066 of \u05d0"), "Remove ab of \u05d0")
    const value = { name: "a\u202eb", other: ["\u2069", "\\u202e"] }
    const json = plainJson(JSON.stringify(value))
    assert.deepStrictEqual(JSON.parse(json), value)
    assert.notMatch(json, /[\u202a-\u202e\u2066-\u2069]/)
  })

  it("finds the input that a path of the service leads to", () => {
    const paths = ["run_input_variables.status", "input_variables", "/status/0", "status[2].code", "rows.0"]
    assert.deepStrictEqual(paths.map(inputAt), ["status", "", "status", "status", "rows"])
  })

  it("puts each problem of an answer at its field, and what has none at the first one", () => {
    const error = {
      message: "",
      errors: [...["a.url", "b", "a.url"].map((path) => ({ path, message: path })), { path: "", message: "All" }]
    }
    assert.deepStrictEqual(
      problemsByField(error, ["name", "url"], (path) => (path.endsWith(".url") ? "url" : path)),
      { url: "a.url. a.url", name: "b: b. All" }
    )
    assert.deepStrictEqual(problemsByField(new Error("url: No"), ["name", "url"]), { url: "No" })
    assert.deepStrictEqual(problemsByField(new Error("No"), ["name", "url"]), { name: "No" })
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
  it.effect("continues page by page to the last one, and joins the outcomes", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const verb: Verb = {
        word: "",
        done: "",
        note: "",
        isDangerous: false,
        takes: null,
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

describe("why runs wait", () => {
  it("is one sentence, with the reason of most runs first", () => {
    const count = (number: number, exact = true) => ({ count: number, exact })
    assert.isNull(waitSentence({ run_window: count(0) }))
    assert.strictEqual(waitSentence({ capacity: count(1) }), "1 run waits for a free place")
    assert.strictEqual(
      waitSentence({ manual: count(10), run_window: count(4_000, false) }),
      "4,000+ runs wait for a run window to open, 10 until a pause ends"
    )
    // Runs that both hold count once.
    const both = { manual: count(334), run_window: count(4_009) }
    assert.strictEqual(
      waitSentence(both, count(4_009)),
      "3,675 runs wait for a run window to open, 334 for a run window to open and a pause to end"
    )
    assert.strictEqual(
      waitSentence(both, count(4_343)),
      "4,009 runs wait for a run window to open, 334 until a pause ends"
    )
  })

  it("are listed by workflow, the first to open in front, and what is left out is said", () => {
    const gate = { run_window: null, state: null, lift: null, manual_pause: null, run_window_revision: 0 }
    const opens = (nextOpenAt: string | null) => ({ ...gate, state: { open: false, nextOpenAt } })
    const pausedUntil = (until: string | null) => ({
      ...opens("2027-01-01T00:00:00.000Z"),
      manual_pause: { since: "", by: "", reason: "", until }
    })
    const held = (id: string, count: number, gate: HeldWorkflow["gate"]) => ({ id, name: id, count, gate })
    const all = [
      held("unknown", 9, null),
      held("never", 2, opens(null)),
      held("paused", 7, pausedUntil(null)),
      held("third", 1, pausedUntil("2027-01-03T00:00:00.000Z")),
      held("second", 1, opens("2027-01-02T00:00:00.000Z")),
      held("first", 1, opens("2027-01-01T00:00:00.000Z"))
    ]
    assert.deepStrictEqual(
      heldByOpening(all).map(({ id }) => id),
      ["first", "second", "third", "unknown", "paused", "never"]
    )
    assert.isNull(leftOutWords([]))
    assert.strictEqual(leftOutWords(all.slice(0, 2)), "and 2 more workflows with 11 held runs")
    assert.strictEqual(leftOutWords(all.slice(5)), "and 1 more workflow with 1 held run")
  })

  it("comes with when the last of them starts, and how many do not fit", () => {
    const forecast: typeof StartForecast.Type = {
      waiting: 4_000,
      at_least: false,
      expiring: 0,
      first_expires_at: null,
      first_start_at: "a",
      last_start_at: "b",
      closes_at: "c",
      unfit: 0,
      limited_by: "max_starts_per_minute",
      workers: null,
      mean_duration_ms: 60_000
    }
    const sentence = (changes: Partial<typeof forecast>) =>
      forecastWords({ ...forecast, ...changes }, (instant) => instant.toUpperCase())
    assert.isNull(sentence({ waiting: 0 }))
    assert.strictEqual(sentence({}), "At this pace the last of 4,000 starts at B")
    assert.strictEqual(
      sentence({ unfit: 310, at_least: true }),
      "At this pace the last of 4,000+ starts at B; 310+ will not fit before closing at C"
    )
    assert.include(sentence({ last_start_at: null }), "not in sight")
    const expiring = { expiring: 3, first_expires_at: "d" }
    assert.strictEqual(
      sentence(expiring),
      "At this pace the last of 3,997 starts at B; 3 more end without a start, the first at D"
    )
    assert.strictEqual(sentence({ ...expiring, waiting: 3 }), "All 3 end without a start, the first at D")
    assert.strictEqual(
      sentence({ waiting: 1, expiring: 1, first_expires_at: "d" }),
      "The waiting run ends at D without a start"
    )
    assert.strictEqual(sentence({ limited_by: null }), "The last of 4,000 starts at B")
    const workers = { capacity: 4, running: 4 }
    assert.strictEqual(
      sentence({ limited_by: "workers", workers }),
      "With the workers' 4 places the last of 4,000 starts at B"
    )
    assert.strictEqual(
      sentence({ limited_by: "workers", workers: { capacity: 0, running: 0 }, last_start_at: null }),
      "Without a worker it is not in sight when the last of 4,000 starts"
    )
    assert.match(
      sentence({ mean_duration_ms: null }) ?? "",
      /^At this pace the last of 4,000 starts at B\. It can be later: no run has succeeded yet/
    )
    assert.strictEqual(counted({ count: 1_000, exact: false }), "1,000+")
  })
})

describe("saved views", () => {
  it("are read from what the browser keeps, without what has another form", () => {
    const hostile = "<img src=x onerror=alert(1)>\u202e"
    const stored = [
      { name: hostile, query: "since=day&status=execution.failed" },
      { name: hostile, query: "status=execution.failed" },
      { name: "", query: "" },
      { name: "x".repeat(61), query: "" },
      { name: 1, query: "" },
      { name: "long", query: "x".repeat(3_000) },
      null,
      "text"
    ]
    assert.deepStrictEqual(viewsIn(JSON.stringify(stored)), [{ name: hostile, query: "status=execution.failed" }])
    for (const text of [null, "", "{", "{}", "7"]) assert.deepStrictEqual(viewsIn(text), [])
  })

  it("replace the one of their name, are bounded, and name what is wrong with a name", () => {
    const views = Array.from({ length: mostViews }, (_, number) => ({ name: String(number), query: "" }))
    assert.isNull(withView(views, { name: "new", query: "" }))
    assert.deepStrictEqual(withView(views, { name: "0", query: "a=1" })?.[0], { name: "0", query: "a=1" })
    assert.strictEqual(canonical("?b=2&a=%201"), canonical("a=+1&b=2"))
    assert.deepStrictEqual([problemOf("Mine"), problemOf(" ") === null], [null, false])
  })
})
