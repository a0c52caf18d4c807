/** The promises of `SpendLedger`: limits hold for all calls at the same time, and every call is in the ledger. */
import { Clock, Effect } from "effect"
import * as Spending from "../../../../core/agent/spending/ModelSpending.ts"
import { type Reservation, SpendLedger } from "../../../../core/agent/spending/SpendLedger.ts"
import { RunId, WorkflowId, type WorkspaceId } from "../../../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkspace } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = SpendLedger | WorkspaceStore

const none: Spending.Limits = { calls: null, tokens: null, money: null }

const reservation = (workspaceId: WorkspaceId, overrides: Partial<Reservation> = {}): Reservation => ({
  id: beside(workspaceId),
  workspaceId,
  workflowId: WorkflowId.make(`${workspaceId.slice(0, -4)}aaaa`),
  runId: RunId.make(beside(workspaceId)),
  node: { id: "n", name: "Read the total" },
  purpose: "extraction",
  model: "small",
  most: { input: 60, output: 40 },
  lostAfterMillis: 60_000,
  ...overrides
})

const today = "1970-01-01"

/**
 * Makes so many calls at the same time, each of which uses what it may, and answers how many were made. What has to wait is asked
 * for again.
 */
const together = (workspaceId: WorkspaceId, calls: number) =>
  Effect.gen(function* () {
    const ledger = yield* SpendLedger
    const one = Effect.gen(function* () {
      const call = reservation(workspaceId)
      let verdict = yield* ledger.reserve(call)
      for (let round = 0; verdict._tag === "Wait" && round < 1_000; round++) {
        yield* Effect.yieldNow
        verdict = yield* ledger.reserve(call)
      }
      if (verdict._tag !== "Spend") return 0
      yield* Effect.yieldNow
      yield* ledger.settle(workspaceId, call.id, call.most)
      return 1
    })
    const made = yield* Effect.all(
      Array.from({ length: calls }, () => one),
      { concurrency: "unbounded" }
    )
    return made.filter((count) => count === 1).length
  })

const withTerms = (terms: Partial<Spending.Terms>) =>
  Effect.gen(function* () {
    const { workspaceId } = yield* makeWorkspace()
    yield* (yield* SpendLedger).setTerms(workspaceId, { ...Spending.noTerms, ...terms })
    return workspaceId
  })

/** A promise that is tested on a separate clock, which begins at the epoch. */
const promise = <A, E>(title: string, test: (time: SteppingClock.SteppingClock) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    title,
    Effect.suspend(() => {
      const time = SteppingClock.make(0)
      return Effect.provideService(test(time), Clock.Clock, time.clock)
    })
  )

export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("make exactly as many calls as a workspace may, of 1,000 at the same time", () =>
    Effect.gen(function* () {
      const workspaceId = yield* withTerms({ workspace: { ...none, calls: 25 } })
      assert.strictEqual(yield* together(workspaceId, 1_000), 25)
      const { workspace } = yield* (yield* SpendLedger).spending(workspaceId, today)
      assert.deepStrictEqual(workspace, { spent: { calls: 25, tokens: 2_500, micros: 0 }, open: Spending.nothing })
    })
  ),

  promise("go over a limit in tokens or in money by one call at most, of many at the same time", () =>
    Effect.gen(function* () {
      // A call has 100 tokens, and costs 60 * 2 + 40 * 5 millionths.
      const prices = [{ model: "small", input: 2, output: 5 }]
      for (const limits of [
        { ...none, tokens: 1_050 },
        { ...none, money: 0.00336 }
      ]) {
        const workspaceId = yield* withTerms({ workspace: limits, prices })
        assert.strictEqual(yield* together(workspaceId, 60), 11)
        const { workspace } = yield* (yield* SpendLedger).spending(workspaceId, today)
        assert.deepStrictEqual(workspace.spent, { calls: 11, tokens: 1_100, micros: 3_520 })
      }
    })
  ),

  promise("hold the limit of a workflow beside that of its workspace, each day anew", (time) =>
    Effect.gen(function* () {
      const { workspaceId } = yield* makeWorkspace()
      const ledger = yield* SpendLedger
      const own = reservation(workspaceId).workflowId
      const other = WorkflowId.make(`${workspaceId.slice(0, -4)}bbbb`)
      const terms = {
        ...Spending.noTerms,
        workspace: { ...none, calls: 3 },
        workflows: [{ workflow_id: own, ...none, calls: 1 }]
      }
      assert.deepStrictEqual(yield* ledger.setTerms(workspaceId, terms), Spending.noTerms)
      assert.deepStrictEqual(yield* ledger.terms(workspaceId), terms)
      const ask = (workflowId: WorkflowId) =>
        Effect.map(ledger.reserve(reservation(workspaceId, { workflowId })), ({ _tag }) => _tag)
      assert.strictEqual(yield* ask(own), "Spend")
      assert.strictEqual(yield* ask(own), "Refused")
      assert.strictEqual(yield* ask(other), "Spend")
      assert.strictEqual(yield* ask(other), "Spend")
      assert.strictEqual(yield* ask(other), "Refused")
      yield* time.advance(86_400_000)
      assert.strictEqual(yield* ask(own), "Spend")
    })
  ),

  promise("keep every call with its step and its reason, and end each once", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* makeWorkspace()
      const ledger = yield* SpendLedger
      yield* ledger.setTerms(workspaceId, { ...Spending.noTerms, prices: [{ model: "small", input: 1, output: 2 }] })
      const first = reservation(workspaceId)
      const second = reservation(workspaceId, { model: "other", purpose: "choice" })
      yield* ledger.reserve(first)
      // Asked for again, as what became of the request was not known.
      yield* ledger.reserve(first)
      yield* ledger.reserve(second)
      yield* ledger.settle(workspaceId, first.id, { input: 10, output: 5 })
      yield* ledger.settle(workspaceId, first.id, { input: 99, output: 99 })
      const { node, purpose, runId, workflowId } = first
      const entered = { id: first.id, workflowId, runId, node, purpose, model: "small", at: 0, state: "answered" }
      const [newest, oldest] = yield* ledger.calls(workspaceId, {})
      assert.deepStrictEqual(oldest, { ...entered, input: 10, output: 5, micros: 20 })
      assert.deepInclude(newest, { id: second.id, state: "open", purpose: "choice", micros: null })
      assert.deepStrictEqual(yield* ledger.calls(workspaceId, { before: second.id }), [oldest])
      assert.deepStrictEqual(yield* ledger.calls(workspaceId, { runId }), [oldest])
      const { workflows, workspace } = yield* ledger.spending(workspaceId, today)
      const day = { spent: { calls: 1, tokens: 15, micros: 20 }, open: { calls: 1, tokens: 100, micros: 0 } }
      assert.deepStrictEqual(workspace, day)
      assert.deepStrictEqual(workflows, [{ workflowId, day }])
    })
  ),

  promise("count a call that has not ended in time by the most that it may have used", (time) =>
    Effect.gen(function* () {
      const workspaceId = yield* withTerms({ workspace: { ...none, tokens: 150 } })
      const ledger = yield* SpendLedger
      const lost = reservation(workspaceId)
      yield* ledger.reserve(lost)
      assert.strictEqual((yield* ledger.reserve(reservation(workspaceId)))._tag, "Wait")
      yield* time.advance(60_000)
      assert.strictEqual((yield* ledger.reserve(reservation(workspaceId)))._tag, "Spend")
      yield* ledger.settle(workspaceId, lost.id, { input: 1, output: 1 })
      const all = yield* ledger.calls(workspaceId, {})
      assert.deepInclude(all.at(-1), { id: lost.id, state: "lost", input: 60, output: 40 })
      const { workspace } = yield* ledger.spending(workspaceId, today)
      assert.deepStrictEqual(workspace.spent, { calls: 1, tokens: 100, micros: 0 })
    })
  )
]
