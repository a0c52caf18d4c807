import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { CaptchaSolver, widgets } from "../../../core/agent/action/CaptchaSolver.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { RunEvent } from "../../../core/event/RunEvent.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import { Executor } from "../../../core/run/Executor.ts"
import * as Run from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as Sandbox from "../../../core/workflow/sandbox/Sandbox.ts"
import type { WorkflowStore } from "../../../core/workflow/WorkflowStore.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { RunId } from "../../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import * as ExecutorContract from "../../kit/contracts/run/ExecutorContract.ts"
import * as Machine from "../../kit/simulation/Machine.ts"
import * as Outside from "../../kit/simulation/Outside.ts"
import type { Work } from "../../kit/simulation/Scenario.ts"
import * as VirtualTime from "../../kit/simulation/VirtualTime.ts"
import { graphOf } from "../../support/browser.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { hangMillis } from "../../support/limits.ts"

/** The titles of the promises that an executor breaks, which has so many milliseconds to end an attempt. */
const brokenBy = (executor: Layer.Layer<ExecutorContract.Stores>, millis = hangMillis) =>
  Effect.map(
    Contract.broken(ExecutorContract.promisesWithin(millis), Effect.provide(Layer.fresh(executor))),
    (broken) => broken.map(({ title }) => title)
  )

// The agent

/** What is clicked is counted; a click on `//endless` does not end. */
interface Clicks {
  made: number
  readonly begun: Deferred.Deferred<void>
}

const site: ScriptedBrowser.ScriptedSite = {
  "https://shop.example/": [{ selector: "//h1", text: "Open" }, { selector: "//order" }, { selector: "//endless" }]
}

const counting = (clicks: Clicks) =>
  Layer.effect(
    Browser,
    Effect.map(Browser, (inner) =>
      Browser.of({
        open: (session) =>
          Effect.map(inner.open(session), (page) => {
            const click: Elements["click"] = (...asked) =>
              Effect.suspend(() => {
                if (JSON.stringify(asked).includes("//endless")) {
                  return Effect.andThen(Deferred.succeed(clicks.begun, undefined), Effect.never)
                }
                return Effect.tap(page.elements.click(...asked), () => Effect.sync(() => void clicks.made++))
              })
            return { ...page, elements: { ...page.elements, click } }
          })
      })
    )
  ).pipe(Layer.provide(ScriptedBrowser.layer(site)))

/** The service in memory, with the agent on a browser. */
const servicesOn = (browser: Layer.Layer<Browser>, executor: typeof AgentExecutor.layer = AgentExecutor.layer) =>
  Layer.mergeAll(Runs.layer, Workflows.layer, executor).pipe(
    Layer.provide(Encryption.layer(Redacted.make("00".repeat(32)))),
    Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, browser))
  )

/** The agent on a scripted browser, and runs for it. */
const agent = Layer.suspend(() => {
  const clicks: Clicks = { made: 0, begun: Deferred.makeUnsafe() }
  const services = servicesOn(counting(clicks))
  const attempts = Layer.effect(
    ExecutorContract.Attempts,
    Effect.gen(function* () {
      const [runs, store, workflows] = [yield* Runs, yield* RunStore, yield* Workflows]
      const caller = yield* makeWorkspace()
      const pressing = (selector: string) =>
        Effect.gen(function* () {
          const { workflow } = yield* workflows.create(caller, {
            name: "Shop",
            ...graphOf("https://shop.example/", [{ action: "CLICK", parameters: { selector, wait_time: 0 } }])
          })
          yield* runs.submit(caller, { workflowId: workflow.id, input: {}, options: {} })
          const [claimed] = yield* store.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
          if (claimed === undefined) throw new Error("Nothing was claimed")
          const before = clicks.made
          const changes = Effect.sync(() => clicks.made - before)
          return { claimed, changes, begun: Deferred.await(clicks.begun) }
        })
      return { succeeding: pressing("//order"), failing: pressing("//gone"), endless: pressing("//endless") }
    })
  )
  return attempts.pipe(Layer.provideMerge(services), Layer.orDie)
})

// The simulation

/** The executor of simulated processes, on a clock that a test does not move. */
const simulated = Layer.suspend(() => {
  const time = VirtualTime.make(0)
  const outside = Outside.make()
  const machine = Machine.make("worker 1", time, time.clockOf(VirtualTime.exact), { isDown: false })
  const attempted = (work: Work) =>
    Effect.gen(function* () {
      const store = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      yield* store.submit(submission(workflow, { input: { ...work } }))
      const [claimed] = yield* store.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
      if (claimed === undefined) throw new Error("Nothing was claimed")
      const changes = Effect.sync(() => outside.commits.filter(({ runId }) => runId === claimed.run.id).length)
      return { claimed, changes, begun: Effect.repeat(Effect.yieldNow, { times: 10 }) }
    })
  const work: Work = { millis: 2, acts: true, commits: true, ends: "success" }
  const attempts = Layer.effect(
    ExecutorContract.Attempts,
    Effect.map(Effect.context<RunStore | WorkflowStore | WorkspaceStore>(), (stores) => {
      const of = (more: Partial<Work>) => Effect.provideContext(attempted({ ...work, ...more }), stores)
      return {
        succeeding: of({}),
        failing: of({ commits: false, ends: "failed" }),
        endless: of({ millis: 3_600_000 })
      }
    })
  )
  return Layer.merge(attempts, Layer.succeed(Executor, Outside.executorOf(machine, outside))).pipe(
    Layer.provide(Memory.layer)
  )
})

// An executor of a few lines, and what it can do wrong

/** What an attempt of this executor does, named by the input of its run. */
type Kind = "succeeding" | "failing" | "endless"

/** How often each run has changed something. */
const changed = new Map<string, number>()

const stepOf = ({ id, workflowId }: Run.Run): RunEvent => ({
  event: "execution.step",
  runId: id,
  workflowId,
  step: "Order",
  next: null
})

const change = ({ id }: Run.Run) => Effect.sync(() => void changed.set(id, (changed.get(id) ?? 0) + 1))

const sound: Executor["Service"] = Executor.of({
  execute: Effect.fnUntraced(function* ({ run }, reporter) {
    if (run.input.kind === "endless") return yield* Effect.never
    yield* reporter.event(stepOf(run))
    if (run.input.kind === "failing") {
      return { _tag: "Failed", data: {}, errors: [Run.failure(run, "BROWSER-E0001", "There is no such button", 0)] }
    }
    yield* reporter.mark({ acted: true })
    yield* change(run)
    return { _tag: "Success", data: { ordered: true } }
  })
})

const attempts = Layer.effect(
  ExecutorContract.Attempts,
  Effect.gen(function* () {
    const store = yield* RunStore
    const workflow = yield* makeWorkflow(yield* makeWorkspace())
    const attempted = (kind: Kind) =>
      Effect.gen(function* () {
        yield* store.submit(submission(workflow, { input: { kind } }))
        const [claimed] = yield* store.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
        if (claimed === undefined) throw new Error("Nothing was claimed")
        const changes = Effect.sync(() => changed.get(claimed.run.id) ?? 0)
        return { claimed, changes, begun: Effect.repeat(Effect.yieldNow, { times: 10 }) }
      })
    return { succeeding: attempted("succeeding"), failing: attempted("failing"), endless: attempted("endless") }
  })
).pipe(Layer.provide(Memory.layer), Layer.orDie)

const own = (execute: Executor["Service"]["execute"]) => Layer.merge(attempts, Layer.succeed(Executor, { execute }))

const another = RunId.make("00000000-0000-4000-8000-000000000009")

const hanging = "that cannot be interrupted"

const faults: Readonly<Record<string, readonly [Executor["Service"]["execute"], ReadonlyArray<string>]>> = {
  "that acts before it says so": [
    (claimed, reporter) =>
      claimed.run.input.kind === "succeeding"
        ? Effect.andThen(change(claimed.run), sound.execute(claimed, reporter))
        : sound.execute(claimed, reporter),
    [
      "an executor has marked that it acts before it changes anything",
      "an executor changes nothing once its lease is lost, and fails with that",
      "an executor changes nothing when its mark cannot be stored, and fails with that"
    ]
  ],
  "that does not wait for its mark": [
    (claimed, reporter) =>
      sound.execute(claimed, {
        ...reporter,
        mark: (progress) => Effect.asVoid(Effect.forkDetach(Effect.ignore(reporter.mark(progress))))
      }),
    [
      "an executor has marked that it acts before it changes anything",
      "an executor changes nothing once its lease is lost, and fails with that",
      "an executor changes nothing when its mark cannot be stored, and fails with that"
    ]
  ],
  "that goes on without its lease": [
    (claimed, reporter) =>
      sound.execute(claimed, {
        ...reporter,
        mark: (progress) => Effect.catchTag(reporter.mark(progress), "LeaseLost", () => Effect.void)
      }),
    ["an executor changes nothing once its lease is lost, and fails with that"]
  ],
  "that takes an outage for a failure of its run": [
    (claimed, reporter) =>
      Effect.catchTag(sound.execute(claimed, reporter), "StoreUnavailable", ({ message }) =>
        Effect.succeed({
          _tag: "Failed",
          data: {},
          errors: [Run.failure(claimed.run, "AGENT-E0000", message, 0)]
        } as const)
      ),
    ["an executor changes nothing when its mark cannot be stored, and fails with that"]
  ],
  "that dies where it should fail": [
    (claimed, reporter) =>
      Effect.flatMap(sound.execute(claimed, reporter), (outcome) =>
        outcome._tag === "Failed" ? Effect.die(new Error("failed")) : Effect.succeed(outcome)
      ),
    [
      "an executor answers a failure as an outcome that says why",
      "an executor carries out several runs at once, each for itself"
    ]
  ],
  "that brings what no store keeps": [
    (claimed, reporter) =>
      Effect.map(sound.execute(claimed, reporter), (outcome) => ({
        ...outcome,
        data: outcome._tag === "Success" ? JSON.parse("{}", () => new Date(0)) : outcome.data
      })),
    ["an executor answers a success with its data, and reports events of its run"]
  ],
  "that reports events of another run": [
    (claimed, reporter) =>
      sound.execute(claimed, {
        ...reporter,
        event: (event) => reporter.event({ ...event, runId: another })
      }),
    [
      "an executor answers a success with its data, and reports events of its run",
      "an executor answers a failure as an outcome that says why",
      "an executor carries out several runs at once, each for itself"
    ]
  ],
  [hanging]: [
    (claimed, reporter) =>
      claimed.run.input.kind === "endless" ? Effect.uninterruptible(Effect.never) : sound.execute(claimed, reporter),
    ["an executor ends promptly when it is interrupted, and reports nothing more"]
  ],
  "that goes on after it was interrupted": [
    (claimed, reporter) =>
      claimed.run.input.kind === "endless"
        ? Effect.andThen(
            Effect.forkDetach(
              Effect.repeat(Effect.andThen(Effect.yieldNow, reporter.event(stepOf(claimed.run))), { times: 2_000 })
            ),
            Effect.never
          )
        : sound.execute(claimed, reporter),
    ["an executor ends promptly when it is interrupted, and reports nothing more"]
  ]
}

describe("the contract of executors", () => {
  it.live("is kept by the agent", () => Effect.map(brokenBy(agent), (broken) => assert.deepStrictEqual(broken, [])))

  it.live("is kept by the executor of the simulation", () =>
    Effect.map(brokenBy(simulated), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live("is kept by an executor of a few lines", () =>
    Effect.map(brokenBy(own(sound.execute)), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live.each(Object.keys(faults))("finds one %s", (fault) =>
    Effect.gen(function* () {
      const [execute, titles] = faults[fault] ?? [sound.execute, []]
      assert.deepStrictEqual(yield* brokenBy(own(execute), fault === hanging ? 200 : hangMillis), [...titles])
    })
  )
})

describe("the agent of a program", () => {
  const marks = widgets.turnstile.marks
  const { answer } = widgets.turnstile
  const puzzle: ScriptedBrowser.ScriptedSite = {
    "https://shop.example/": [{ selector: marks }, { selector: answer, value: "" }]
  }
  const typing = { strokes: ["token"], existing: "replace", delayMillis: 0, paste: false } as const
  const solver = Layer.succeed(CaptchaSolver, {
    solve: (_, page) => Effect.ignore(page.elements.type({ selector: answer, waitMillis: 0 }, typing))
  })

  it.live("works with the solver of captchas and the sandbox that its layer was given", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const sandbox = Layer.succeed(Sandbox.Sandbox, {
        run: (owner, name, input) => {
          asked.push(name)
          return Sandbox.inProcess.run(owner, name, input)
        }
      })
      const own = AgentExecutor.layer.pipe(Layer.provide([solver, sandbox]))
      const outcome = yield* Effect.gen(function* () {
        const [runs, store, workflows] = [yield* Runs, yield* RunStore, yield* Workflows]
        const caller = yield* makeWorkspace()
        const { workflow } = yield* workflows.create(caller, {
          name: "Shop",
          ...graphOf("https://shop.example/", [
            { action: "CAPTCHA", parameters: { captcha_type: "turnstile", wait_time: 0 } }
          ])
        })
        yield* runs.submit(caller, { workflowId: workflow.id, input: {}, options: {} })
        const [claimed] = yield* store.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
        if (claimed === undefined) throw new Error("Nothing was claimed")
        const ignoring = { event: () => Effect.void, mark: () => Effect.void, loggedIn: () => Effect.void }
        return yield* (yield* Executor).execute(claimed, ignoring)
      }).pipe(Effect.provide(Layer.fresh(servicesOn(ScriptedBrowser.layer(puzzle), own))))
      assert.strictEqual(outcome._tag, "Success", JSON.stringify(outcome))
      assert.include(asked, "readGraph")
    })
  )
})
