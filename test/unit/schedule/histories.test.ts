import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Gate from "../../../core/gate/Gate.ts"
import * as RunSchedule from "../../../core/schedule/RunSchedule.ts"
import { RunId, UserId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { daily } from "../../support/fixtures.ts"
import { scale } from "../../support/scale.ts"
import * as Model from "./FiringModel.ts"

const minute = 60_000
const hour = 60 * minute
const start = Date.parse("2026-11-22T00:00:00Z")
const by = UserId.make(randomUUID())
const ids = {
  id: RunSchedule.ScheduleId.make("019a0000-0000-7000-8000-000000000001"),
  workspaceId: WorkspaceId.make(randomUUID()),
  workflowId: WorkflowId.make(randomUUID()),
  createdBy: by
}

/** Whole numbers by a seed. */
const numbers = (seed: number) => {
  let state = Math.imul(seed + 1, 0x9e3779b9) >>> 0
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below
  }
}

type Numbers = ReturnType<typeof numbers>

const pick = <A>(below: Numbers, all: ReadonlyArray<A>): A => all[below(all.length)] as A

/** Terms that are drawn, and the minutes of the day at which they fire. */
const drawnTerms = (below: Numbers): { readonly terms: RunSchedule.Terms; readonly times: ReadonlySet<number> } => {
  const every = pick(below, [5, 5, 10, 15, 20, 30, 60, 120, 1_440])
  const first = below(Math.min(every, 60))
  const times = Array.from({ length: 1_440 / every }, (_, index) => first + index * every)
  const minutes = [...new Set(times.map((time) => time % 60))].join()
  const hours = [...new Set(times.map((time) => Math.floor(time / 60)))].join()
  const timing: RunSchedule.Terms["timing"] =
    below(4) === 0
      ? { kind: "window_opening", timeZone: null }
      : below(3) === 0
        ? {
            kind: "recurrence",
            recurrence: `FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes}`,
            start: { year: 2026, month: 1, day: 1 },
            time: { hours: 0, minutes: 0 },
            timeZone: "UTC"
          }
        : { kind: "cron", cron: `${minutes} ${hours} * * *`, timeZone: "UTC" }
  return {
    times: new Set(times),
    terms: {
      name: "",
      timing,
      input: {},
      overlap: pick(below, RunSchedule.Overlap.literals),
      catchUp: pick(below, RunSchedule.CatchUp.literals),
      catchUpLimit: 1 + below(6),
      jitterSeconds: pick(below, [0, 0, 30, 600, 600, 3_600, 3 * 3_600, 86_400]),
      startsAt: below(4) === 0 ? start + below(100) * minute : null,
      endsAt: below(4) === 0 ? start + below(400) * minute : null
    }
  }
}

/** A history of some hours that are drawn: a scheduler that stops now and then, runs that end, and people. */
const drawn = (seed: number): Model.History => {
  const below = numbers(seed)
  const first = drawnTerms(below)
  const happenings: Array<Model.History["happenings"][number]> = []
  let { terms, times } = first
  let at = start
  const ofWindows = terms.timing.kind === "window_opening" && below(2) === 0
  const happen = (after: number, happening: Model.Happening) => {
    at += after
    happenings.push({ at, happening })
  }
  const edit = (): Model.Happening => {
    const other = drawnTerms(below)
    const choice = below(4)
    if (choice === 0) ({ terms, times } = other)
    else if (choice === 1) terms = { ...terms, jitterSeconds: other.terms.jitterSeconds }
    else terms = { ...terms, name: `${at}`, overlap: other.terms.overlap, catchUp: other.terms.catchUp }
    return { kind: "edit", terms, times }
  }
  for (let stretches = 2 + below(4); stretches > 0; stretches--) {
    for (let ticks = below(3) === 0 ? 0 : below(25); ticks > 0; ticks--) {
      happen(below(minute), { kind: "tick" })
      if (below(2) === 0) happen(below(2_000), { kind: "ended" })
    }
    const pauses = [0, 1, 500, 5_000, minute - 1, minute, 61_000, 5 * minute, hour, 3 * hour]
    // Windows open once a day.
    const pause = pick(below, terms.timing.kind === "window_opening" ? [...pauses, 9 * hour, 20 * hour] : pauses)
    const kind = ofWindows ? "window" : pick(below, ["edit", "edit", "window", "pause", "resume", "resume"] as const)
    if (kind === "edit") happen(pause, edit())
    else happen(pause, kind === "window" ? { kind, opensAt: below(8) } : { kind })
  }
  happen(30_000, { kind: "tick" })
  return { start, ...first, opensAt: below(3), happenings }
}

/** The decisions about a schedule, which faults are planted into. */
type Decisions = Pick<typeof RunSchedule, "decide" | "edit" | "pause" | "resume" | "follow">

const reasonWords = (outcome: string, reason: string | null) =>
  outcome === "skipped"
    ? /paused/.test(reason ?? "")
      ? "skipped paused"
      : /^Replaced/.test(reason ?? "")
        ? "skipped replaced"
        : "skipped busy"
    : outcome

/** The records that a history leaves; those that were written twice say so. */
const happened = (history: Model.History, decisions: Decisions): Model.Records => {
  const gateOf = (opensAt: number, windowRevision: number, at: number): Gate.Gate => ({
    ...Gate.open,
    runWindow: daily(opensAt, opensAt + 5),
    windowRevision,
    windowSet: { at, by }
  })
  let gate = gateOf(history.opensAt, 1, history.start)
  let windows: ReadonlyArray<Gate.Gate> = [gate]
  let schedule = RunSchedule.make({ ...ids, terms: history.terms }, gate, history.start)
  let open: ReadonlyArray<RunId> = []
  const found = new Map<number, string>()
  const note = (instant: number, what: string) => {
    const before = found.get(instant)
    found.set(instant, before === undefined || before === "queued" ? what : `${before}, then ${what}`)
  }
  const former = () =>
    RunSchedule.formerWindows(
      windows
        .filter(({ windowRevision }) => windowRevision >= (schedule.windowRevision ?? 0))
        .map(({ runWindow, windowSet }) => ({ window: runWindow, setAt: windowSet?.at ?? null }))
    )
  const take = ({ firings, schedule: after }: RunSchedule.Changed) => {
    schedule = after
    for (const { instant, outcome, reason } of firings) note(instant, reasonWords(outcome, reason))
  }
  const followed = (at: number) => {
    if (RunSchedule.isOutdated(schedule, gate)) take(decisions.follow(schedule, gate, former(), at))
  }
  const tick = (at: number) => {
    for (let steps = 0; steps < 1_000; steps++) {
      const isDue =
        RunSchedule.isOutdated(schedule, gate) ||
        (RunSchedule.dueAt(schedule) ?? Number.POSITIVE_INFINITY) <= at ||
        (RunSchedule.waits(schedule) && open.length === 0)
      const decision = decisions.decide(schedule, gate, open, at, former())
      // What a store asks for is what there is to decide.
      if (isDue !== (decision !== null)) throw new Error(`Due: ${isDue}, decided: ${decision !== null}`)
      if (decision === null) return
      take({ schedule: decision.after, firings: decision.firings })
      if (decision.fire === null) continue
      note(decision.fire, "submitted")
      open = [RunId.make("019a0000-0000-7000-8000-000000000002")]
      schedule = { ...schedule, runs: open }
    }
    throw new Error("The schedule never settles")
  }
  for (const { at, happening } of history.happenings) {
    switch (happening.kind) {
      case "tick":
        tick(at)
        break
      case "ended":
        open = []
        break
      case "edit":
        followed(at)
        take(decisions.edit(schedule, happening.terms, gate, at))
        break
      case "window":
        gate = gateOf(happening.opensAt, gate.windowRevision + 1, at)
        windows = [...windows, gate]
        break
      case "pause":
        followed(at)
        take(decisions.pause(schedule, gate, { at, by, reason: null }))
        break
      case "resume":
        followed(at)
        take(decisions.resume(schedule, gate, at))
    }
  }
  return found
}

const delay = ({ jitterSeconds }: RunSchedule.Terms, instant: number) =>
  RunSchedule.jitterMillis(ids.id, jitterSeconds, instant)

const shown = (records: Model.Records) =>
  [...records].toSorted(([a], [b]) => a - b).map(([instant, what]) => `${new Date(instant).toISOString()} ${what}`)

/** Whether a history leaves the records that the model says. */
const agrees = (seed: number, decisions: Decisions): boolean => {
  const history = drawn(seed)
  const isSame = (one: Model.Records, other: Model.Records) =>
    one.size === other.size && [...one].every(([instant, what]) => other.get(instant) === what)
  return isSame(happened(history, decisions), Model.records(history, delay))
}

const histories = 10_000 * scale

describe("a schedule through histories of edits, outages, pauses and jitters", () => {
  const parts = 20
  it.each(Array.from({ length: parts }, (_, part) => part))(
    `leaves the one record of each instant that a plain model says, in ${histories} histories, part %i`,
    (part) => {
      for (let seed = part; seed < histories; seed += parts) {
        if (agrees(seed, RunSchedule)) continue
        const history = drawn(seed)
        assert.deepStrictEqual(
          shown(happened(history, RunSchedule)),
          shown(Model.records(history, delay)),
          `seed ${seed}: ${JSON.stringify(history, (_, value) => (value instanceof Set ? [...value] : value))}`
        )
      }
    }
  )

  const faults: Readonly<Record<string, Partial<Decisions>>> = {
    "a delayed firing that is forgotten": {
      decide: (...asked) => {
        const decision = RunSchedule.decide(...asked)
        return decision === null ? null : { ...decision, after: { ...decision.after, delayed: [] } }
      }
    },
    "an edit that moves the cursor": {
      edit: (schedule, terms, gate, at) => RunSchedule.edit({ ...schedule, cursor: at, delayed: [] }, terms, gate, at)
    },
    "an edit that fires again what is decided": {
      edit: (schedule, terms, gate, at) =>
        RunSchedule.edit({ ...schedule, cursor: schedule.cursor - hour }, terms, gate, at)
    },
    "a pause without records": {
      pause: (...asked) => ({ ...RunSchedule.pause(...asked), firings: [] })
    },
    "a resumption that catches up": {
      resume: (schedule, gate, at) => ({
        ...RunSchedule.resume(schedule, gate, at),
        schedule: {
          ...RunSchedule.resume(schedule, gate, at).schedule,
          paused: null,
          cursor: schedule.cursor,
          next: schedule.next
        }
      })
    },
    "a missed firing that is said to be skipped": {
      decide: (...asked) => {
        const decision = RunSchedule.decide(...asked)
        const firings = decision?.firings.map((one) => ({ ...one, outcome: "skipped" as const })) ?? []
        return decision === null ? null : { ...decision, firings }
      }
    },
    "a window whose edit forgets the openings before it": {
      decide: (schedule, gate, open, now) => RunSchedule.decide(schedule, gate, open, now, []),
      follow: (schedule, gate, _, now) => RunSchedule.follow(schedule, gate, [], now)
    },
    "a firing before its delay has ended": {
      decide: (schedule, gate, open, now, former) =>
        RunSchedule.decide(
          { ...schedule, delayed: schedule.delayed.map((one) => ({ ...one, firesAt: one.instant })) },
          gate,
          open,
          now,
          former
        )
    }
  }

  for (const [name, fault] of Object.entries(faults)) {
    it(`are told from those of ${name}`, () => {
      const finds = Array.from({ length: 2_000 }, (_, seed) => seed).some((seed) => {
        try {
          return !agrees(seed, { ...RunSchedule, ...fault })
        } catch {
          return true
        }
      })
      assert.isTrue(finds)
    })
  }
})
