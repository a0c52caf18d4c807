/**
 * Simulates the service: its processes, their clients, a site and a receiver of webhooks, and what goes wrong.
 *
 * The schedulers, workers and dispatchers are those of the service; the stores are given. A scenario decides about
 * everything else: on the same stores it has the same history each time, in as much time as its work takes.
 */
import { Clock, Effect, Fiber, type Layer, Logger, Option, Random, References, Result } from "effect"
import { EventLog, type Position } from "../../../core/event/EventLog.ts"
import { Deliveries } from "../../../core/event/webhook/Deliveries.ts"
import { WebhookStore } from "../../../core/event/webhook/Webhook.ts"
import * as Gate from "../../../core/gate/Gate.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import * as Run from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as StoreUnavailable from "../../../core/runtime/StoreUnavailable.ts"
import { WorkflowStore } from "../../../core/workflow/WorkflowStore.ts"
import { UserId, VersionId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import type { Machine } from "./Machine.ts"
import * as Outside from "./Outside.ts"
import { type History, judge, type SeenEvent, type Violation } from "./Promises.ts"
import type * as Scenario from "./Scenario.ts"
import { shortest } from "./Shortest.ts"
import * as VirtualTime from "./VirtualTime.ts"
import * as World from "./World.ts"

export type { History, Violation } from "./Promises.ts"
export type { Scenario } from "./Scenario.ts"
export type { Stores } from "./World.ts"

/** What a simulation brought to light. */
export interface Report {
  readonly history: History
  readonly violations: ReadonlyArray<Violation>
  /** How often a timer went off, or a time in which nothing could happen was passed over. */
  readonly steps: number
  /** How much time passed in the simulation, in milliseconds. */
  readonly millis: number
}

/** Midnight in UTC: windows have plain hours. */
const beginning = Date.UTC(2026, 0, 5)

/** How long everything may take to come to rest after the last step. */
const restMillis = 6 * 86_400_000

/** Runs a scenario on new stores, and judges what was seen. */
export const run = (scenario: Scenario.Scenario, stores: Layer.Layer<World.Stores>): Report => {
  const time = VirtualTime.make(beginning)
  const state: { quietUntil: () => number } = { quietUntil: () => time.now() }
  const fiber = Effect.runFork(
    simulation(scenario, time, state).pipe(
      Effect.provide(stores),
      Effect.provide(Logger.layer([])),
      Effect.provideService(Clock.Clock, time.clockOf(VirtualTime.exact)),
      Effect.provideService(References.TracerEnabled, false),
      Random.withSeed(scenario.seed),
      Effect.scoped
    ),
    { scheduler: time.scheduler }
  )
  time.settle()
  let steps = 0
  for (; fiber.pollUnsafe() === undefined; steps++) {
    const next = time.next("any")
    if (next === Infinity) throw new Error("The simulation waits for something that it does not simulate")
    // Polls find nothing while nothing can happen: their time is passed over.
    const quiet = next >= time.now() + 500 ? state.quietUntil() : next
    if (quiet > next) time.jump(quiet)
    else time.step()
  }
  const history = Effect.runSync(Fiber.join(fiber))
  return {
    history,
    violations: judge(history),
    steps,
    millis: time.now() - beginning
  }
}

/** The shortest scenario found that breaks the first promise that this one breaks; `null` when it breaks none. */
export const shortened = (
  scenario: Scenario.Scenario,
  stores: Layer.Layer<World.Stores>
): { readonly scenario: Scenario.Scenario; readonly report: Report } | null => {
  const [first] = run(scenario, stores).violations
  if (first === undefined) return null
  const steps = shortest(scenario.steps, (some) =>
    run({ ...scenario, steps: some }, stores).violations.some(({ promise }) => promise === first.promise)
  )
  const short = { ...scenario, steps }
  return { scenario: short, report: run(short, stores) }
}

const caller: Caller = {
  workspaceId: WorkspaceId.make("00000000-0000-4000-8000-000000000001"),
  userId: UserId.make("00000000-0000-4000-8000-000000000002"),
  role: "Owner"
}

const numbered = (kind: number, number: number): string =>
  `00000000-0000-4000-8000-0000000${kind}${String(number).padStart(4, "0")}`

/** The last of the three workflows is paced. */
const pacedWorkflow = 2
const maxStartsPerMinute = 2
const pace = { maxStartsPerMinute, maxRunning: null }

/** A workspace with its workflows, and a webhook that is sent every event. */
const setUp = Effect.fnUntraced(function* (count: number) {
  const [workspaces, workflows, webhooks] = [yield* WorkspaceStore, yield* WorkflowStore, yield* WebhookStore]
  yield* workspaces.create({
    id: caller.workspaceId,
    name: "Simulation",
    createdAt: 0,
    waitingTtlMillis: null,
    inputRequiredTimeoutSeconds: 15,
    signedUrlTtlSeconds: 604_800
  })
  yield* webhooks.insert(caller.workspaceId, {
    id: numbered(3, 0),
    workflowId: null,
    url: "https://receiver.example/",
    eventTypes: [],
    sealedSecret: "",
    secretHint: "",
    validity: 300,
    active: true,
    inactiveReason: null,
    createdAt: 0,
    createdBy: caller.userId,
    updatedAt: 0
  })
  const made = Array.from({ length: count }, (_, index) => WorkflowId.make(numbered(1, index)))
  yield* Effect.forEach(made, (id, index) => {
    const name = `Workflow ${index + 1}`
    const shared = { name, description: null, createdAt: 0, createdBy: caller.userId }
    return workflows.create(
      {
        workflow: { ...shared, id, workspaceId: caller.workspaceId, updatedAt: 0 },
        version: {
          ...shared,
          versionId: VersionId.make(numbered(2, index)),
          workflowId: id,
          versionNumber: 1,
          versionNote: null,
          content: {
            nodes: [],
            edges: {},
            input_schema: {},
            output_schema: {},
            vault_schema: {},
            max_retries: index * 2,
            settings: {}
          }
        },
        gate: Gate.setPace(Gate.open, index === pacedWorkflow ? pace : null),
        canary: null
      },
      () => Result.void
    )
  })
  return made
})

/** The log of events, read as it grows. */
const readingLog = Effect.fnUntraced(function* () {
  const log = yield* EventLog
  const events: Array<SeenEvent> = []
  let position: Position = yield* log.end
  const read = Effect.gen(function* () {
    for (let more = true; more; ) {
      const page = yield* log.read(position, 500)
      for (const { event, runId, sequence } of page.entries) events.push({ sequence, runId, event: event.event })
      position = page.position
      more = page.more
    }
    return events
  })
  return read
})

const simulation = Effect.fnUntraced(function* (
  scenario: Scenario.Scenario,
  time: VirtualTime.VirtualTime,
  state: { quietUntil: () => number }
) {
  const [deliveries, gateStore, runStore] = [yield* Deliveries, yield* GateStore, yield* RunStore]
  const workflows = yield* setUp(scenario.workflows)
  const readLog = yield* readingLog()
  const world = yield* World.make(time)
  const submissions: Array<{ readonly key: string; readonly answered: Array<string> }> = []
  const all = Object.entries(scenario.processes).flatMap(([kind, count]) =>
    // The names of `processes` are the kinds, which the type of `entries` does not say.
    Array.from({ length: count }, (_, number) => ({ kind, number }) as Scenario.Process)
  )
  yield* Effect.forEach(all, world.boot, { discard: true })

  const pending = Effect.map(deliveries.list(caller.workspaceId, { limit: 1_000_000 }), (list) =>
    list.filter(({ id }) => !world.outside.accepted.has(id))
  )
  const isProgressing = progress()
  /** How many events were not made into deliveries in their time. */
  let missed = 0
  /** Until when nothing can happen, as nothing is done and nothing due; now if it cannot be said. */
  const quietUntil = Effect.gen(function* () {
    const now = time.now()
    const { accepted } = world.outside
    const events = yield* readLog
    const isBusy = world.observed.isBusy(now)
    if (isBusy && isProgressing(true, now, events.length + accepted.size)) return now
    const dues = [(yield* gateStore.nextDue(now)) ?? Infinity, (yield* runStore.nextDue(now)) ?? Infinity]
    const left = events.length > accepted.size ? yield* pending : []
    for (const { nextAttemptAt } of left) dues.push(nextAttemptAt ?? Infinity)
    const uncollected = events.length - left.length - accepted.size
    const isDue = isBusy || uncollected > missed || dues.some((due) => due <= now)
    if (isProgressing(isDue, now, events.length + accepted.size)) return now
    missed = uncollected
    return Math.min(time.next("work"), ...dues.filter((due) => due > now))
  }).pipe(Effect.provideService(Clock.Clock, world.storeClock))
  const context = yield* Effect.context<never>()
  state.quietUntil = () => Effect.runSyncWith(context)(quietUntil)

  const request = requesting(world)
  for (const step of scenario.steps) {
    const left = beginning + step.at - time.now()
    if (left > 0) yield* Effect.sleep(left)
    yield* take(step, { time, world, workflows, submissions, request, runStore: world.observed.runs })
  }
  const deadline = time.now() + restMillis
  const isAtRest = Effect.map(
    readLog,
    (events) =>
      submissions.every(({ answered }) => answered.length > 0) &&
      world.observed.open.size === 0 &&
      events.length <= world.outside.accepted.size
  )
  yield* Effect.sleep("10 minutes")
  while (time.now() < deadline && !(yield* isAtRest)) yield* Effect.sleep("1 hour")

  const kept = yield* Effect.forEach(world.observed.submitted, (id) =>
    Effect.option(runStore.get(caller.workspaceId, id))
  )
  const made = yield* deliveries.list(caller.workspaceId, { limit: 1_000_000 })
  const history: History = {
    submissions,
    runs: kept.flatMap(Option.toArray).map(({ run }) => ({
      id: run.id,
      workflowId: run.workflowId,
      key: Outside.inputOf(run).key,
      status: run.status
    })),
    closed: world.observed.closed(time.now()),
    paces: workflows.slice(pacedWorkflow).map((workflowId) => ({ workflowId, ...pace })),
    starts: world.observed.starts,
    commits: world.outside.commits,
    events: yield* readLog,
    delivered: new Set(made.filter(({ id }) => world.outside.accepted.has(id)).map(({ logged }) => logged.sequence))
  }
  return history
})

/** How long something may be due, or in progress, and nothing happen, before polls are not waited for any more. */
const stuckMillis = 600_000

/** Whether all work is complete. What is stuck is not waited for until the last poll. */
const progress = () => {
  let last = { at: beginning, done: 0 }
  return (isDue: boolean, now: number, done: number): boolean => {
    if (!isDue || done > last.done) last = { at: now, done }
    return isDue && now < last.at + stuckMillis
  }
}

/** Sends a request to one process after the other, until one answers it. */
const requesting = (world: World.World) => {
  let turn = 0
  const once = <A>(ask: (api: World.Api) => Effect.Effect<A, unknown>) =>
    Effect.gen(function* () {
      const { apis } = world
      const api = apis[turn++ % apis.length]
      if (api === undefined) return Option.none<A>()
      // A client that gives up does not stop what it has asked for.
      const asked = yield* Effect.forkDetach(Effect.result(api.serve(ask(api))))
      const answer = yield* Effect.timeoutOption(Fiber.join(asked), "30 seconds")
      if (Option.isNone(answer)) return Option.none<A | null>()
      if (Result.isSuccess(answer.value)) return Option.some<A | null>(answer.value.success)
      return StoreUnavailable.is(answer.value.failure) ? Option.none<A | null>() : Option.some<A | null>(null)
    })
  return <A>(ask: (api: World.Api) => Effect.Effect<A, unknown>): Effect.Effect<A | null> =>
    Effect.gen(function* () {
      for (;;) {
        const answer = yield* once(ask)
        if (Option.isSome(answer)) return answer.value
        yield* Effect.sleep("5 seconds")
      }
    })
}

interface Stage {
  readonly time: VirtualTime.VirtualTime
  readonly world: World.World
  readonly workflows: ReadonlyArray<WorkflowId>
  readonly submissions: Array<{ readonly key: string; readonly answered: Array<string> }>
  readonly request: ReturnType<typeof requesting>
  readonly runStore: RunStore["Service"]
}

const at = <A>(list: ReadonlyArray<A>, number: number): A | undefined => list[number % Math.max(1, list.length)]

/** Takes a step. What it begins continues beside the next steps. */
const take = (step: Scenario.Step, stage: Stage): Effect.Effect<void> => {
  const { world } = stage
  const after = (millis: number, effect: Effect.Effect<void>) =>
    Effect.asVoid(Effect.forkDetach(Effect.andThen(Effect.sleep(millis), effect)))
  switch (step._tag) {
    case "kill":
      return trap(step, stage, (machine) => {
        machine.kill()
        return Effect.andThen(world.stop(step.process), after(step.millis, world.boot(step.process)))
      })
    case "stop":
      return Effect.andThen(world.stop(step.process), after(30_000 + step.millis, world.boot(step.process)))
    case "freeze":
      return trap(step, stage, (machine) => {
        machine.freeze()
        return after(
          step.millis,
          Effect.sync(() => machine.thaw())
        )
      })
    case "loseAnswer":
      return Effect.sync(() =>
        world.machineOf(step.process)?.set({ ...step.place, strike: () => {}, losesAnswer: true })
      )
    case "loseSignals":
    case "skew":
      return Effect.suspend(() => {
        const machine = world.machineOf(step.process)
        if (machine === undefined) return Effect.void
        const change = (on: boolean) => {
          if (step._tag === "skew") machine.skew = on ? step.skew : 0
          else machine.deaf = on
        }
        change(true)
        return after(
          step.millis,
          Effect.sync(() => change(false))
        )
      })
    case "outage":
    case "receiverDown":
      return Effect.suspend(() => {
        const state = step._tag === "outage" ? world.network : world.outside
        state.isDown = true
        return after(
          step.millis,
          Effect.sync(() => {
            state.isDown = false
          })
        )
      })
    case "loseLease": {
      const running = [...world.observed.open.values()].filter(Run.isRunning)
      const one = at(running, step.run)
      return one === undefined
        ? Effect.void
        : stage.runStore.renew([{ id: one.id, fence: one.lease.fence }], -1).pipe(Effect.ignore)
    }
    default:
      return Effect.asVoid(Effect.forkDetach(ask(step, stage)))
  }
}

/** Sets a trap for a process, which does nothing if the process is another one when it strikes. */
const trap = (
  step: { readonly process: Scenario.Process; readonly place: Scenario.Place },
  { time, world }: Stage,
  strike: (machine: Machine) => Effect.Effect<void>
) =>
  Effect.map(Effect.context<never>(), (context) => {
    const machine = world.machineOf(step.process)
    machine?.set({
      ...step.place,
      strike: () => {
        if (machine.isDead() || world.machineOf(step.process) !== machine) return
        Effect.runForkWith(context)(strike(machine), { scheduler: time.scheduler })
      },
      losesAnswer: false
    })
  })

const hours = (time: number) => ({ hours: time, minutes: 0 })

const windowOf = ({ from, to }: { readonly from: number; readonly to: number }) => ({
  time_zone: "UTC",
  regular_hours: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"].map((day) => ({
    active_start_day: day,
    active_start_time: hours(from),
    active_end_day: day,
    active_end_time: hours(to)
  }))
})

/** The steps that a client takes, which insists until it is answered. */
const ask = (step: Scenario.Step, { request, submissions, workflows, world }: Stage): Effect.Effect<unknown> => {
  const workflow = "workflow" in step ? at(workflows, step.workflow) : undefined
  if (step._tag === "interrupt") {
    const id = world.observed.submitted.at(-1 - step.run)
    return id === undefined ? Effect.void : request(({ runs }) => runs.interrupt(caller, id))
  }
  if (workflow === undefined) return Effect.void
  switch (step._tag) {
    case "submit": {
      const answered: Array<string> = []
      const submission = { key: `key-${submissions.length}`, answered }
      submissions.push(submission)
      const input = { ...step.work, key: submission.key }
      return request(({ submit }) => submit(submission.key, caller, { workflowId: workflow, input, options: {} })).pipe(
        Effect.tap((id) => Effect.sync(() => (id === null ? 0 : submission.answered.push(id))))
      )
    }
    case "setWindow":
      return request(({ gates }) => gates.setWindow(caller, workflow, windowOf(step)))
    case "removeWindow":
      return request(({ gates }) => gates.removeWindow(caller, workflow))
    case "lift":
      return request(({ gates }) => gates.unpause(caller, "run_window", [workflow]))
    case "pause":
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        request(({ gates }) => gates.pause(caller, workflow, { reason: "test", until: now + step.millis }))
      )
    case "unpause":
      return request(({ gates }) => gates.unpause(caller, "workflow", [workflow]))
    default:
      return Effect.void
  }
}
