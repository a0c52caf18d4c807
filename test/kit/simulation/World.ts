/**
 * The processes of a simulation: those of the service, each with what it needs, which can be booted, stopped and killed.
 */
import { Clock, Context, Effect, Fiber, Layer, PubSub, Stream } from "effect"
import { EventLog } from "../../../core/event/EventLog.ts"
import type { Deliveries } from "../../../core/event/webhook/Deliveries.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import { Sender } from "../../../core/event/webhook/Sender.ts"
import type { WebhookStore } from "../../../core/event/webhook/Webhook.ts"
import { WebhookSecrets } from "../../../core/event/webhook/WebhookSecrets.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import { Executor } from "../../../core/run/Executor.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { ClockSkew } from "../../../core/runtime/ClockSkew.ts"
import { type Signal, Signals } from "../../../core/runtime/Signals.ts"
import * as Supervisor from "../../../core/runtime/Supervisor.ts"
import type { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { Sandbox, type Shape as SandboxShape } from "../../../core/workflow/sandbox/Sandbox.ts"
import type { WorkflowStore } from "../../../core/workflow/WorkflowStore.ts"
import type { Audit } from "../../../core/workspace/audit/Audit.ts"
import { Identifiers } from "../../../core/workspace/Identifiers.ts"
import { IdempotencyStore } from "../../../core/workspace/request/Idempotency.ts"
import type { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as Machine from "./Machine.ts"
import * as Observed from "./Observed.ts"
import * as Outside from "./Outside.ts"
import type { Process, ProcessKind } from "./Scenario.ts"
import * as VirtualTime from "./VirtualTime.ts"

/** The stores that a simulation runs on. They must be in memory, and wait for nothing but each other. */
export type Stores =
  | RunStore
  | GateStore
  | EventLog
  | VaultEntries
  | Deliveries
  | WebhookStore
  | WorkflowStore
  | WorkspaceStore
  | IdempotencyStore
  | Audit

/** A process that takes requests. */
export interface Api {
  /** Carries out a request as this process does. */
  readonly serve: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly gates: Gates["Service"]
  readonly runs: Runs["Service"]
  /** Submits once by a key, and answers the id of the run. */
  readonly submit: (key: string, ...request: Parameters<Runs["Service"]["submit"]>) => Effect.Effect<string, unknown>
}

export interface World {
  readonly observed: Observed.Observations
  readonly outside: Outside.Outside
  readonly network: Machine.Network
  readonly storeClock: Clock.Clock
  /** The process of a place; it is another one after a boot. */
  readonly machineOf: (process: Process) => Machine.Machine | undefined
  readonly apis: ReadonlyArray<Api>
  readonly boot: (process: Process) => Effect.Effect<void>
  /** Ends a process in order, without waiting for that. One that was killed reaches nothing any more. */
  readonly stop: (process: Process) => Effect.Effect<void>
}

interface Booted {
  readonly machine: Machine.Machine
  readonly fiber: Fiber.Fiber<unknown, unknown>
}

const leaseMillis = 30_000

/** The inputs of a simulation keep their contracts: whatever is asked, the answer is a list without problems. */
const sandbox: SandboxShape = { run: () => Effect.succeed([] as never) }

const links = {
  artifact: (id: string) => ({ url: `https://sluice.example/${id}`, expires: "" }),
  liveView: (id: string) => `https://sluice.example/${id}`
}

/** Ids in their order. */
const countedIds = () => {
  let count = 0
  return Identifiers.of({
    uuid: Effect.sync(() => `00000000-0000-7000-8000-${(++count).toString(16).padStart(12, "0")}`)
  })
}

/** Signals within a simulation: each reaches every process that can hear, as soon as it is published. */
const signalsOf = (hub: PubSub.PubSub<Signal>, machine: Machine.Machine) =>
  Signals.of({
    publish: (signal) => machine.act(Effect.asVoid(PubSub.publish(hub, signal))),
    subscribe: Effect.map(PubSub.subscribe(hub), (subscription) =>
      Stream.filter(Stream.fromSubscription(subscription), () => !machine.deaf)
    )
  })

/** What a process of this kind does until it is ended. */
const programOf = (
  kind: ProcessKind,
  name: string
): Effect.Effect<unknown, never, Stores | Signals | Executor | Sender | WebhookSecrets | Identifiers> => {
  switch (kind) {
    case "api":
      return Effect.never
    case "scheduler":
      return Scheduler.run()
    case "worker":
      return Worker.run({ name, capacity: 3, leaseMillis, graceMillis: 5_000 })
    case "dispatcher":
      return Dispatcher.run({ workers: 3, perWebhook: 3, links: () => Effect.succeed(links) })
  }
}

export const make = Effect.fnUntraced(function* (time: VirtualTime.VirtualTime) {
  const stores = yield* Effect.context<Stores>()
  const observed = yield* Observed.make
  const outside = Outside.make()
  const network: Machine.Network = { isDown: false }
  const storeClock = time.clockOf(VirtualTime.exact)
  const hub = yield* PubSub.unbounded<Signal>()
  const identifiers = countedIds()
  const booted = new Map<string, Booted>()
  const apis = new Map<string, Api>()
  const nameOf = ({ kind, number }: Process) => `${kind} ${number + 1}`

  const inStore = stores.pipe(Context.add(RunStore, observed.runs), Context.add(GateStore, observed.gates))

  const contextOf = (machine: Machine.Machine) =>
    inStore.pipe(
      Context.add(RunStore, Machine.asking(machine, observed.runs)),
      Context.add(GateStore, Machine.asking(machine, observed.gates)),
      Context.add(EventLog, Machine.asking(machine, Context.get(stores, EventLog))),
      Context.add(Clock.Clock, machine.clock),
      Context.add(ClockSkew, { millis: Effect.sync(() => machine.skew) }),
      Context.add(Supervisor.Supervisor, Supervisor.make()),
      Context.add(Executor, Outside.executorOf(machine, outside)),
      Context.add(Sender, Outside.senderOf(machine, outside)),
      Context.add(WebhookSecrets, Outside.secrets),
      Context.add(Identifiers, identifiers),
      Context.add(Signals, signalsOf(hub, machine)),
      Context.add(Sandbox, sandbox)
    )

  const world = Machine.make("world", time, storeClock, { isDown: false })
  const submitting = Context.get(
    yield* Effect.provideContext(Layer.build(Runs.layer), Context.merge(contextOf(world), inStore)),
    Runs
  )

  const apiOf = (machine: Machine.Machine) =>
    Effect.gen(function* () {
      const services = yield* Layer.build(Layer.merge(Runs.layer, Gates.layer))
      const { once } = yield* IdempotencyStore
      const api: Api = {
        serve: (effect) =>
          effect.pipe(Effect.provideService(Clock.Clock, machine.clock), Effect.provideService(Sandbox, sandbox)),
        gates: Context.get(services, Gates),
        runs: Context.get(services, Runs),
        submit: (key, caller, request) =>
          machine
            .ask(
              "once",
              once(
                { workspaceId: caller.workspaceId, key, digest: key },
                submitting.submit(caller, request),
                (run) => ({
                  _tag: "Keep",
                  answer: { status: 201, contentType: "application/json", body: run.id }
                })
              )
            )
            .pipe(Effect.map((done) => (done._tag === "Done" ? done.value.id : (done.answer.body ?? ""))))
      }
      return api
    }).pipe(Effect.provideContext(contextOf(machine)))

  const boot = Effect.fnUntraced(function* (part: Process) {
    const name = nameOf(part)
    const machine = Machine.make(name, time, storeClock, network)
    if (part.kind === "api") apis.set(name, yield* Effect.scoped(apiOf(machine)))
    const program = programOf(part.kind, `${name} since ${time.now()}`)
    const fiber = yield* program.pipe(Effect.provideContext(contextOf(machine)), Effect.forkDetach)
    booted.set(name, { machine, fiber })
  })

  const self: World = {
    observed,
    outside,
    network,
    storeClock,
    machineOf: (one) => booted.get(nameOf(one))?.machine,
    get apis() {
      return [...apis.values()]
    },
    boot,
    stop: (process) =>
      Effect.suspend(() => {
        const one = booted.get(nameOf(process))
        return one === undefined ? Effect.void : Effect.asVoid(Effect.forkDetach(Fiber.interrupt(one.fiber)))
      })
  }
  return self
})
