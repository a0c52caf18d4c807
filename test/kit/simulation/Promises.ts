/**
 * What the service promises about runs, judged from what was seen of it.
 *
 * The judge knows nothing of how the service works: it is given what clients, a site, a receiver of webhooks and the
 * record have seen, and names each promise that this breaks. Instants are epoch milliseconds.
 */

/** What was seen, when everything had come to rest. */
export interface History {
  /** The requests to submit a run, each by its idempotency key, with the runs that the client was answered. */
  readonly submissions: ReadonlyArray<{ readonly key: string; readonly answered: ReadonlyArray<string> }>
  /** The runs as the record has them. */
  readonly runs: ReadonlyArray<SeenRun>
  /** When the gates of workflows were closed, by the clock of the store: from `from` until before `until`. */
  readonly closed: ReadonlyArray<{ readonly workflowId: string; readonly from: number; readonly until: number }>
  /** The workflows with a pace; `null` is no limit. */
  readonly paces: ReadonlyArray<SeenPace>
  /** The starts of attempts, by the clock of the store. */
  readonly starts: ReadonlyArray<{ readonly runId: string; readonly at: number }>
  /** What the site was asked to do that must not be done twice. */
  readonly commits: ReadonlyArray<{ readonly runId: string; readonly at: number }>
  /** The log of events, in its order. */
  readonly events: ReadonlyArray<SeenEvent>
  /** The events that the receiver has accepted, by their sequences. */
  readonly delivered: ReadonlySet<number>
}

export interface SeenPace {
  readonly workflowId: string
  /** The most starts in any 60 seconds, which are spread over them. */
  readonly maxStartsPerMinute: number | null
  /** The most runs in progress at once. */
  readonly maxRunning: number | null
}

export interface SeenRun {
  readonly id: string
  readonly workflowId: string
  /** The key under which it was submitted, as its input has it. */
  readonly key: string
  readonly status: string
}

export interface SeenEvent {
  readonly sequence: number
  readonly runId: string
  readonly event: string
}

/** A broken promise: which one, of which run, and what was seen. */
export interface Violation {
  readonly promise: Promised
  readonly runId: string
  readonly detail: string
}

export type Promised =
  | "an accepted run is in the record"
  | "one key makes one run"
  | "no run starts while its gate is closed"
  | "no minute has more starts than the pace allows"
  | "the starts of a pace are spread over the minute"
  | "no more runs are in progress than the pace allows"
  | "what is committed is not repeated"
  | "every run ends"
  | "an ended run has one end event, its last"
  | "a start is in the log"
  | "every event is delivered"

const ends: ReadonlySet<string> = new Set(["execution.success", "execution.failed", "execution.stopped"])

/** The promises that a history breaks, none if it keeps all. */
export const judge = (history: History): ReadonlyArray<Violation> => [
  ...lost(history),
  ...doubled(history),
  ...startedWhileClosed(history),
  ...tooFast(history),
  ...crowded(history),
  ...tooMany(history),
  ...repeated(history),
  ...stuck(history),
  ...wronglyEnded(history),
  ...unlogged(history),
  ...undelivered(history)
]

const violation =
  (promise: Promised) =>
  (runId: string, detail: string): Violation => ({ promise, runId, detail })

const groupBy = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group === undefined) groups.set(keyOf(one), [one])
    else group.push(one)
  }
  return groups
}

const lost = ({ runs, submissions }: History) => {
  const kept = new Set(runs.map(({ id }) => id))
  return submissions.flatMap(({ answered, key }) =>
    [...new Set(answered)]
      .filter((id) => !kept.has(id))
      .map((id) => violation("an accepted run is in the record")(id, `answered to ${key}, and not in the record`))
  )
}

const doubled = ({ runs, submissions }: History) => {
  const found = violation("one key makes one run")
  const byKey = groupBy(runs, ({ key }) => key)
  return [
    ...[...byKey].flatMap(([key, all]) =>
      all.slice(1).map(({ id }) => found(id, `one of ${all.length} runs of ${key}`))
    ),
    ...submissions.flatMap(({ answered, key }) =>
      [...new Set(answered)].slice(1).map((id) => found(id, `a second run was answered to ${key}`))
    )
  ]
}

const startedWhileClosed = ({ closed, runs, starts }: History) => {
  const workflows = new Map(runs.map(({ id, workflowId }) => [id, workflowId]))
  const closings = groupBy(closed, ({ workflowId }) => workflowId)
  return starts.flatMap(({ at, runId }) => {
    const during = closings.get(workflows.get(runId) ?? "")?.find(({ from, until }) => from <= at && at < until)
    return during === undefined
      ? []
      : [
          violation("no run starts while its gate is closed")(
            runId,
            `started at ${at}, and the gate was closed from ${during.from} until ${during.until}`
          )
        ]
  })
}

const tooFast = ({ paces, runs, starts }: History) => {
  const found = violation("no minute has more starts than the pace allows")
  const workflows = new Map(runs.map(({ id, workflowId }) => [id, workflowId]))
  return paces.flatMap(({ maxStartsPerMinute: most, workflowId }) => {
    if (most === null) return []
    const own = starts.filter(({ runId }) => workflows.get(runId) === workflowId).toSorted((a, b) => a.at - b.at)
    return own.flatMap(({ at, runId }, index) => {
      const first = own[index - most]
      return first === undefined || at - first.at >= 60_000
        ? []
        : [found(runId, `started at ${at}, as number ${most + 1} since ${first.at}, and ${most} a minute may start`)]
    })
  })
}

/** How much earlier than its part of the minute a start may come. */
const earlyMillis = 500

const crowded = ({ paces, runs, starts }: History) => {
  const found = violation("the starts of a pace are spread over the minute")
  const workflows = new Map(runs.map(({ id, workflowId }) => [id, workflowId]))
  return paces.flatMap(({ maxStartsPerMinute: most, workflowId }) => {
    if (most === null) return []
    const own = starts.filter(({ runId }) => workflows.get(runId) === workflowId).toSorted((a, b) => a.at - b.at)
    let next = Number.NEGATIVE_INFINITY
    return own.flatMap(({ at, runId }) => {
      const due = next
      next = Math.max(next, at) + 60_000 / most
      return at >= due - earlyMillis
        ? []
        : [found(runId, `started at ${at}, and the next start of ${most} a minute was due at ${Math.round(due)}`)]
    })
  })
}

/** What ends an attempt. */
const attemptEnds: ReadonlySet<string> = new Set([...ends, "execution.requeued"])

/** The log has a start behind the end that made room for it. */
const tooMany = ({ events, paces, runs }: History) => {
  const found = violation("no more runs are in progress than the pace allows")
  const workflows = new Map(runs.map(({ id, workflowId }) => [id, workflowId]))
  const limits = new Map(paces.map(({ maxRunning, workflowId }) => [workflowId, maxRunning]))
  const running = new Map<string, Set<string>>()
  return events.flatMap(({ event, runId, sequence }) => {
    const workflowId = workflows.get(runId) ?? ""
    const most = limits.get(workflowId) ?? null
    if (most === null) return []
    const own = running.get(workflowId) ?? new Set()
    running.set(workflowId, own)
    if (attemptEnds.has(event)) own.delete(runId)
    if (event !== "execution.start") return []
    own.add(runId)
    return own.size <= most
      ? []
      : [found(runId, `started with event ${sequence}, as number ${own.size} in progress, and ${most} may be`)]
  })
}

const repeated = ({ commits, starts }: History) => {
  const found = violation("what is committed is not repeated")
  return [...groupBy(commits, ({ runId }) => runId)].flatMap(([runId, all]) => {
    const first = Math.min(...all.map(({ at }) => at))
    return [
      ...all.slice(1).map(({ at }) => found(runId, `committed at ${first}, and again at ${at}`)),
      ...starts
        .filter((start) => start.runId === runId && start.at > first)
        .map(({ at }) => found(runId, `committed at ${first}, and started again at ${at}`))
    ]
  })
}

const stuck = ({ runs }: History) =>
  runs
    .filter(({ status }) => !ends.has(status))
    .map(({ id, status }) => violation("every run ends")(id, `still ${status}`))

const wronglyEnded = ({ events, runs }: History) => {
  const found = violation("an ended run has one end event, its last")
  const ofRuns = groupBy(events, ({ runId }) => runId)
  return runs
    .filter(({ status }) => ends.has(status))
    .flatMap(({ id, status }) => {
      const all = ofRuns.get(id) ?? []
      const last = all.filter(({ event }) => ends.has(event))
      if (last.length !== 1) return [found(id, `${last.length} end events`)]
      if (last[0]?.event !== status) return [found(id, `its end event is ${last[0]?.event}, its status ${status}`)]
      const [after] = all.slice(all.findIndex(({ event }) => ends.has(event)) + 1)
      return after === undefined ? [] : [found(id, `${after.event} follows its end`)]
    })
}

const unlogged = ({ events, starts }: History) => {
  const logged = groupBy(
    events.filter(({ event }) => event === "execution.start"),
    ({ runId }) => runId
  )
  return [...groupBy(starts, ({ runId }) => runId)].flatMap(([runId, all]) => {
    const count = logged.get(runId)?.length ?? 0
    return count === all.length
      ? []
      : [violation("a start is in the log")(runId, `${all.length} starts, and ${count} in the log`)]
  })
}

const undelivered = ({ delivered, events }: History) =>
  events
    .filter(({ sequence }) => !delivered.has(sequence))
    .map(({ event, runId, sequence }) =>
      violation("every event is delivered")(runId, `${event} (${sequence}) was not delivered`)
    )
