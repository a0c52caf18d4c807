/** When people are told of what: nothing is left out or told twice, and quiet hours are kept. */
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Alert from "../../../core/event/alert/Alert.ts"
import * as AlertText from "../../../core/event/alert/AlertText.ts"
import * as Occurrences from "../../../core/event/alert/Occurrences.ts"
import * as QuietHours from "../../../core/event/alert/QuietHours.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"

const workspaceId = WorkspaceId.make("00000000-0000-4000-8000-0000000000a1")
const minute = 60_000
const hour = 60 * minute

const night: QuietHours.QuietHours = { timeZone: "Europe/Berlin", from: "22:00", to: "07:00" }

const timing = (over: Partial<Alert.Timing> = {}): Alert.Timing => ({
  urgent: [],
  quiet: null,
  gatherSeconds: 60,
  pauseSeconds: 3_600,
  ...over
})

const occurrence = (at: number, over: Partial<Alert.Occurrence> = {}): Alert.Occurrence => ({
  kind: "failed",
  cause: "failed w",
  workflowId: "w",
  runId: `run ${at}`,
  text: "Cannot click",
  at,
  ...over
})

/** Times of day of a zone, told by the platform's own clock. */
const timeIn = (zone: string, at: number) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at)

const isQuiet = ({ from, timeZone, to }: QuietHours.QuietHours, at: number) => {
  const time = timeIn(timeZone, at)
  return from < to ? time >= from && time < to : time >= from || time < to
}

const twoDigits = (most: number) => fc.integer({ min: 0, max: most }).map((one) => String(one).padStart(2, "0"))
const time = fc.tuple(twoDigits(23), twoDigits(59)).map((parts) => parts.join(":"))

const quietHours = fc
  .record({
    timeZone: fc.constantFrom("Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "UTC", "Africa/Casablanca"),
    from: time,
    to: time
  })
  .filter(({ from, to }) => from !== to)

/** Instants of two years, by minutes, with the changes of clocks in them. */
const instant = fc.integer({ min: 0, max: 2 * 365 * 24 * 60 }).map((one) => Date.UTC(2026, 0, 1) + one * minute)

it("quiet hours end at the first minute that is not one of them, over each change of clocks", () => {
  fc.assert(
    fc.property(quietHours, instant, (quiet, at) => {
      const end = QuietHours.endAfter(quiet, at)
      assert.isFalse(isQuiet(quiet, end))
      for (let one = at; one < end; one += minute) assert.isTrue(isQuiet(quiet, one), new Date(one).toISOString())
      assert.isBelow(end - at, 26 * hour)
    }),
    { numRuns: 60 }
  )
})

interface Sent {
  readonly alert: Alert.Alert
  readonly at: number
}

/** What a receiver gets of a series of occurrences, where some attempts fail and processes look each minute. */
const told = (
  occurrences: ReadonlyArray<Alert.Occurrence>,
  terms: Alert.Timing,
  fails: (attempt: number) => boolean
): { readonly sent: ReadonlyArray<Sent>; readonly given: ReadonlyArray<Alert.Alert> } => {
  const kept: Array<Alert.Alert> = []
  const sent: Array<Sent> = []
  let attempts = 0
  const queue = occurrences.toSorted((one, other) => one.at - other.at)
  const [first] = queue
  if (first === undefined) return { sent, given: kept }
  const isOpen = () => kept.some(({ nextAttemptAt }) => nextAttemptAt !== null)
  for (let now = first.at; queue.length > 0 || isOpen(); now += minute) {
    for (let next = queue[0]; next !== undefined && next.at <= now; next = queue[0]) {
      queue.shift()
      const at = kept.findLastIndex(({ cause }) => cause === next.cause)
      const latest = kept[at] ?? null
      const fresh = { id: `alert ${kept.length}`, workspaceId, receiverId: "r", workflowName: "Invoices" }
      const after = Alert.gather(latest, next, terms, fresh)
      if (after.id === latest?.id) kept[at] = after
      else kept.push(after)
    }
    for (const [index, alert] of kept.entries()) {
      if (alert.nextAttemptAt === null || alert.nextAttemptAt > now) continue
      const taken = Alert.taken(alert)
      const allowed = Alert.allowedFrom(terms, alert.kind, now)
      if (allowed > now) {
        kept[index] = Alert.putOff(taken, allowed)
        continue
      }
      const outcome: Alert.AlertOutcome = fails(attempts++) ? { _tag: "Failed", reason: "down" } : { _tag: "Sent" }
      if (outcome._tag === "Sent") sent.push({ alert: taken, at: now })
      kept[index] = Alert.attempted(taken, outcome, terms, now, 0.5)
    }
  }
  return { sent, given: kept }
}

const occurrences = fc.array(
  fc
    .record({
      minutes: fc.integer({ min: 0, max: 3 * 24 * 60 }),
      kind: fc.constantFrom<Alert.AlertKind>("failed", "person_needed", "not_started"),
      what: fc.constantFrom("a", "b")
    })
    .map(({ kind, minutes, what }) =>
      occurrence(Date.UTC(2026, 2, 27, 12) + minutes * minute, { kind, cause: `${kind} ${what}` })
    ),
  { maxLength: 60 }
)

const terms = fc.record({
  urgent: fc.subarray<Alert.AlertKind>(["failed", "person_needed", "not_started"]),
  quiet: fc.option(quietHours),
  gatherSeconds: fc.integer({ min: 0, max: 900 }),
  pauseSeconds: fc.integer({ min: 60, max: 7_200 })
})

it("everything is told once, nothing in quiet hours but what is urgent, and one cause once in its pause", () => {
  fc.assert(
    fc.property(occurrences, terms, fc.array(fc.boolean(), { maxLength: 9 }), (all, terms, failing) => {
      const { given, sent } = told(all, terms, (attempt) => failing[attempt] ?? false)
      assert.strictEqual(
        sent.reduce((sum, { alert }) => sum + alert.count, 0),
        all.length
      )
      for (const { status, text } of given) assert.deepStrictEqual([status, text], ["sent", null])
      assert.strictEqual(new Set(sent.map(({ alert }) => alert.id)).size, sent.length)
      const last = new Map<string, number>()
      for (const { alert, at } of sent) {
        if (terms.quiet !== null && !terms.urgent.includes(alert.kind)) assert.isFalse(isQuiet(terms.quiet, at))
        const before = last.get(alert.cause)
        if (before !== undefined && failing.length === 0) assert.isAtLeast(at - before, terms.pauseSeconds * 1_000)
        last.set(alert.cause, at)
      }
    }),
    { numRuns: 100 }
  )
})

it("an alert that is handed out gathers nothing more", () => {
  const fresh = { id: "1", workspaceId, receiverId: "r", workflowName: "Invoices" }
  const first = Alert.gather(null, occurrence(0), timing(), fresh)
  assert.strictEqual(first.nextAttemptAt, minute)
  const taken = Alert.taken(first)
  const second = Alert.gather(taken, occurrence(2 * minute), timing(), { ...fresh, id: "2" })
  assert.deepInclude(second, { id: "2", count: 1 })
  assert.strictEqual(taken.count, 1)
})

it("a receiver that refuses is not asked again, and one that is down is until the ladder ends", () => {
  const fresh = { id: "1", workspaceId, receiverId: "r", workflowName: "Invoices" }
  const taken = Alert.taken(Alert.gather(null, occurrence(0), timing(), fresh))
  const refused = Alert.attempted(taken, { _tag: "Refused", reason: "gone" }, timing(), 1, 0)
  assert.deepInclude(refused, { status: "failed", nextAttemptAt: null, attempts: 1, settledAt: 1 })
  let alert = taken
  for (let at = 0; alert.nextAttemptAt !== null; at = alert.nextAttemptAt ?? at) {
    alert = Alert.attempted(alert, { _tag: "Failed", reason: "down" }, timing({ quiet: night }), at, 0.5)
    if (alert.nextAttemptAt !== null) assert.isFalse(isQuiet(night, alert.nextAttemptAt))
  }
  assert.strictEqual(alert.status, "failed")
  assert.lengthOf(alert.errors, alert.attempts)
})

const ended = { runId: "r", workflowId: "w", data: null, inputs: {}, credentials: [], files: [] }
const failure = (code: string) => ({
  id: "e",
  message: "It failed",
  at: 0,
  code,
  address: null,
  node: null,
  category: null,
  subType: null,
  description: null,
  original: null,
  suggestedErrorCode: null,
  model: null
})

it.each([
  ["failed", "execution.failed", "SELECTOR-E0001", "failed"],
  ["had to start", "execution.failed", "EXPIRED-E0002", "not_started"],
  ["waited too long", "execution.stopped", "EXPIRED-E0001", "not_started"],
  ["was interrupted by a person", "execution.stopped", "INTERRUPTED-E0001", null]
] as const)("a run that %s is told as what it is", (_name, event, code, kind) => {
  const entry = { at: 5, notifications: null, event: { event, ...ended, errors: [failure(code)] } }
  assert.strictEqual(Occurrences.of(entry)?.kind ?? null, kind)
  assert.isNull(Occurrences.of({ ...entry, notifications: { enabled: false } }))
})

it("words of pages and workflows are no markup of a channel", () => {
  const words = AlertText.wordsOf(
    {
      kind: "failed",
      workflowName: "Pay <!channel> *all*\r\nBcc: x@y.example",
      text: "see <https://evil.example|here> [x](https://evil.example)",
      runIds: ["one"],
      count: 12,
      firstAt: 0,
      lastAt: hour
    },
    "https://sluice.example/"
  )
  assert.notMatch(words.title, /[\r\n]/)
  const slack = String(AlertText.slackBody(words).text)
  assert.notMatch(slack, /<(?!\/)/)
  assert.include(slack, "12 runs failed")
  assert.include(slack, "and 11 more")
  const teams = JSON.stringify(AlertText.teamsBody(words))
  assert.include(teams, "\\\\[x\\\\]")
  assert.include(teams, "https://sluice.example/#/runs/one")
})
