/**
 * What happens in a simulation besides what the service does: all of it is chosen by a seed before it begins.
 */

/** What an attempt of a run does. */
export interface Work {
  readonly millis: number
  /** It acts on the site before it commits. */
  readonly acts: boolean
  /** It does what must not be repeated. */
  readonly commits: boolean
  readonly ends: "success" | "failed" | "retry" | "lostBrowser"
}

/** Processes are named by their number among those of their kind. */
export type ProcessKind = "api" | "scheduler" | "worker" | "dispatcher"

export interface Process {
  readonly kind: ProcessKind
  readonly number: number
}

/** The operation of the store at which a mishap strikes a process, when it was asked for so many times before. */
export interface Place {
  readonly operation: string
  readonly after: number
  /** Before it is carried out, or when its answer is on the way. */
  readonly when: "asked" | "carriedOut"
}

export type Action =
  | { readonly _tag: "submit"; readonly workflow: number; readonly work: Work }
  | { readonly _tag: "interrupt"; readonly run: number }
  | { readonly _tag: "setWindow"; readonly workflow: number; readonly from: number; readonly to: number }
  | { readonly _tag: "removeWindow"; readonly workflow: number }
  | { readonly _tag: "lift"; readonly workflow: number }
  | { readonly _tag: "pause"; readonly workflow: number; readonly millis: number }
  | { readonly _tag: "unpause"; readonly workflow: number }
  | { readonly _tag: "kill"; readonly process: Process; readonly place: Place; readonly millis: number }
  | { readonly _tag: "stop"; readonly process: Process; readonly millis: number }
  | { readonly _tag: "freeze"; readonly process: Process; readonly place: Place; readonly millis: number }
  | { readonly _tag: "loseAnswer"; readonly process: Process; readonly place: Place }
  | { readonly _tag: "loseSignals"; readonly process: Process; readonly millis: number }
  | { readonly _tag: "skew"; readonly process: Process; readonly skew: number; readonly millis: number }
  | { readonly _tag: "loseLease"; readonly run: number }
  | { readonly _tag: "outage"; readonly millis: number }
  | { readonly _tag: "receiverDown"; readonly millis: number }

/** An action at so many milliseconds after the beginning. */
export type Step = Action & { readonly at: number }

export interface Scenario {
  readonly seed: number
  readonly workflows: number
  /** How many processes of each kind there are. */
  readonly processes: Readonly<Record<ProcessKind, number>>
  readonly steps: ReadonlyArray<Step>
}

export const weekMillis = 7 * 86_400_000

export const processes: Scenario["processes"] = { api: 2, scheduler: 2, worker: 3, dispatcher: 1 }

/** Numbers from a seed: each call answers one that is at least 0 and less than `below`. */
export const numbers = (seed: number): ((below: number) => number) => {
  let state = seed | 0
  return (below) => {
    // The generator mulberry32.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

/** How often each action is chosen, of all of them together. */
const shares: Readonly<Record<Action["_tag"], number>> = {
  submit: 60,
  interrupt: 5,
  setWindow: 6,
  removeWindow: 3,
  lift: 4,
  pause: 3,
  unpause: 2,
  kill: 8,
  stop: 2,
  freeze: 8,
  loseAnswer: 8,
  loseSignals: 2,
  skew: 3,
  loseLease: 4,
  outage: 2,
  receiverDown: 1
}

/** By how much a seed multiplies each of these shares: what is rare in one scenario fills another. */
const emphases = [0, 1, 1, 5] as const

const bagOf = (below: (most: number) => number): ReadonlyArray<Action["_tag"]> =>
  Object.entries(shares).flatMap(([tag, share]) =>
    Array.from(
      { length: tag === "submit" ? share : share * (emphases[below(emphases.length)] ?? 1) },
      // The table has a share for each tag.
      () => tag as Action["_tag"]
    )
  )

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The scenario of a seed: so many steps in the course of a week, many of them close together. */
export const make = (seed: number, count: number): Scenario => {
  const below = numbers(seed)
  const bursts = Array.from({ length: Math.max(1, Math.ceil(count / 12)) }, () => below(weekMillis))
  const workflows = 3
  const bag = bagOf(below)
  const instant = () => (bursts[below(bursts.length)] ?? 0) + below(below(4) === 0 ? 2 * hour : 5 * minute)
  const steps = Array.from({ length: count }, () => ({ at: instant(), ...actionOf(below, bag, workflows) }))
  return { seed, workflows, processes, steps: steps.sort((a, b) => a.at - b.at) }
}

const workOf = (below: (most: number) => number): Work => ({
  millis: below(8) === 0 ? below(5 * minute) : below(20 * second),
  acts: below(4) > 0,
  commits: below(2) === 0,
  ends: (["success", "success", "success", "failed", "retry", "lostBrowser"] as const)[below(6)] ?? "success"
})

/** Most mishaps befall workers, which have most to lose. */
const processOf = (below: (most: number) => number): Process => {
  const kind =
    (["worker", "worker", "worker", "worker", "api", "scheduler", "dispatcher"] as const)[below(7)] ?? "worker"
  return { kind, number: below(processes[kind]) }
}

/** Where mishaps strike: requests that no process repeats automatically come more often. */
const operations: Readonly<Record<ProcessKind, ReadonlyArray<string>>> = {
  api: ["once", "once", "once", "change", "changeAndCount"],
  scheduler: ["reap", "nextDue", "announceHolds", "review"],
  worker: ["claim", "report", "report", "report", "settle", "settle", "renew"],
  dispatcher: ["consume"]
}

const placeOf = (below: (most: number) => number, { kind }: Process): Place => ({
  operation: operations[kind][below(operations[kind].length)] ?? "claim",
  after: below(4) === 0 ? below(3) : 0,
  when: below(2) === 0 ? "asked" : "carriedOut"
})

const actionOf = (below: (most: number) => number, bag: ReadonlyArray<Action["_tag"]>, workflows: number): Action => {
  const _tag = bag[below(bag.length)] ?? "submit"
  const workflow = below(workflows)
  const process = processOf(below)
  switch (_tag) {
    case "submit":
      return { _tag, workflow, work: workOf(below) }
    case "interrupt":
    case "loseLease":
      return { _tag, run: below(5) }
    case "setWindow": {
      const from = below(23)
      return { _tag, workflow, from, to: from + 1 + below(23 - from) }
    }
    case "removeWindow":
    case "lift":
    case "unpause":
      return { _tag, workflow }
    case "pause":
      return { _tag, workflow, millis: minute + below(12 * hour) }
    case "kill":
    case "freeze":
      return {
        _tag,
        process,
        place: placeOf(below, process),
        millis: below(2) === 0 ? below(20 * second) : below(3 * minute)
      }
    case "stop":
      return { _tag, process, millis: below(minute) }
    case "loseAnswer":
      return { _tag, process, place: placeOf(below, process) }
    case "loseSignals":
      return { _tag, process, millis: below(10 * minute) }
    case "skew":
      return { _tag, process, skew: below(80_000) - 40_000, millis: below(20 * minute) }
    case "outage":
      return { _tag, millis: below(3 * minute) }
    case "receiverDown":
      return { _tag, millis: below(3 * hour) }
  }
}
