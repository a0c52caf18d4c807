/**
 * Stores with a planted fault each. A judge that is worth something catches every one of them.
 */
import { Clock, Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { Tables } from "../../adapters/memory/Tables.ts"
import { EventLog } from "../../core/event/EventLog.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { type LeaseRef, RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import { IdempotencyStore } from "../../core/workspace/request/Idempotency.ts"
import type { Promised } from "../kit/simulation/Promises.ts"

type Stores = Layer.Success<typeof Memory.layer>

const runs = (change: (store: RunStore["Service"], tables: Tables["Service"]) => Partial<RunStore["Service"]>) =>
  Layer.effect(
    RunStore,
    Effect.gen(function* () {
      const store = yield* RunStore
      return RunStore.of({ ...store, ...change(store, yield* Tables) })
    })
  )

const over = <A>(mutation: Layer.Layer<A, never, Stores>) => Layer.provideMerge(mutation, Memory.layer)

/** A planted fault, and the promises that it breaks. */
export interface Mutant {
  readonly stores: Layer.Layer<Stores>
  readonly breaks: ReadonlyArray<Promised>
  /** A seed that is known to catch it: the search begins there. */
  readonly seed: number
}

const gateCheckRemoved = runs((store, { gates }) => ({
  claim: (options) =>
    Effect.suspend(() => {
      const kept = [...gates]
      for (const [id] of kept) gates.set(id, Gate.open)
      return Effect.tap(store.claim(options), () =>
        Effect.sync(() => {
          for (const [id, gate] of kept) gates.set(id, gate)
        })
      )
    })
}))

const paceIgnored = runs((store, { paces }) => ({
  claim: (options) =>
    Effect.suspend(() => {
      paces.clear()
      return store.claim(options)
    })
}))

const idempotencyRemoved = Layer.effect(
  IdempotencyStore,
  Effect.map(IdempotencyStore, (store) =>
    IdempotencyStore.of({
      ...store,
      once: (_named, effect) => Effect.map(effect, (value) => ({ _tag: "Done", value }) as const)
    })
  )
)

/** Of any lease of a run, the one that it has now is used. */
const fenceIgnored = runs((store, tables) => {
  const present = (lease: LeaseRef): LeaseRef => ({
    ...lease,
    fence: tables.runs.get(lease.id)?.lease?.fence ?? lease.fence
  })
  return {
    renew: (leases, millis) => store.renew(leases.map(present), millis),
    report: (lease, report) => store.report(present(lease), report),
    settle: (lease, decide) => store.settle(present(lease), decide)
  }
})

const commitMarkIgnored = runs((store) => ({
  report: (lease, { events, progress = {} }) =>
    store.report(lease, { events, progress: { ...progress, committed: false } })
}))

const endEventLost = runs((store) => ({
  settle: (lease, decide) => store.settle(lease, (locked, now) => ({ ...decide(locked, now), events: [] }))
}))

const startEventLost = runs((store, tables) => ({
  claim: (options) =>
    Effect.suspend(() => {
      const before = tables.events.length
      return Effect.tap(store.claim(options), () => Effect.sync(() => void tables.events.splice(before)))
    })
}))

const eventPassedOver = Layer.effect(
  EventLog,
  Effect.map(EventLog, (log) => {
    let count = 0
    return EventLog.of({
      ...log,
      consume: (consumer, limit, handle) =>
        log.consume(consumer, limit, (entries) => handle(entries.filter(() => ++count % 20 !== 0)))
    })
  })
)

const lostWorkersUnnoticed = runs(() => ({ reap: () => Effect.succeed([]), nextDue: () => Effect.succeed(null) }))

const submissionLost = runs((store) => {
  let count = 0
  return {
    submit: (submission) =>
      ++count % 5 === 0
        ? Effect.map(Clock.currentTimeMillis, (now) => ({
            run: Transition.submit(submission, Gate.open, now).run,
            gate: Gate.open
          }))
        : store.submit(submission)
  }
})

export const mutants: Readonly<Record<string, Mutant>> = {
  "the check of the gate is removed": {
    stores: over(gateCheckRemoved),
    breaks: ["no run starts while its gate is closed"],
    seed: 2
  },
  "the pace is ignored": {
    stores: over(paceIgnored),
    breaks: ["no minute has more starts than the pace allows", "the starts of a pace are spread over the minute"],
    seed: 1
  },
  "idempotency is removed": { stores: over(idempotencyRemoved), breaks: ["one key makes one run"], seed: 5 },
  "the fence is ignored": {
    stores: over(fenceIgnored),
    breaks: ["what is committed is not repeated", "an ended run has one end event, its last", "every run ends"],
    seed: 7
  },
  "the commit mark is ignored": {
    stores: over(commitMarkIgnored),
    breaks: ["what is committed is not repeated"],
    seed: 1
  },
  "the event of an end is lost": {
    stores: over(endEventLost),
    breaks: ["an ended run has one end event, its last"],
    seed: 1
  },
  "the event of a start is lost": { stores: over(startEventLost), breaks: ["a start is in the log"], seed: 1 },
  "an event is passed over by the webhooks": {
    stores: over(eventPassedOver),
    breaks: ["every event is delivered"],
    seed: 1
  },
  "lost workers are not noticed": { stores: over(lostWorkersUnnoticed), breaks: ["every run ends"], seed: 1 },
  "an accepted run is lost": { stores: over(submissionLost), breaks: ["an accepted run is in the record"], seed: 1 }
}
