/**
 * The promises of every store of what models decided: `DecisionStore`, on the data of the stores of runs.
 *
 * They expect a store without decisions of other runs: give each promise a new store, or empty it before.
 */
import { Effect } from "effect"
import type { Decision } from "../../../../core/run/evidence/Decision.ts"
import { DecisionStore, mostDecisions } from "../../../../core/run/evidence/DecisionStore.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = DecisionStore | RunStore | WorkflowStore | WorkspaceStore

const decision = (answer: string): Decision => ({
  node: { id: "a", name: "Buy", action: "CLICK" },
  purpose: "choose",
  model: "small",
  prompt: "What the page says may hold anything: \u0000 \ud800 ' \\",
  hasPicture: true,
  answer,
  decision: null,
  refusal: "There is no such element",
  inputTokens: 100,
  outputTokens: 10,
  durationMillis: 5,
  at: 1_000
})

const submitted = Effect.gen(function* () {
  const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
  yield* (yield* RunStore).submit(sent)
  return sent.id
})

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`decisions of models ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are kept run by run, in their order, as they are", () =>
    Effect.gen(function* () {
      const store = yield* DecisionStore
      const [one, other] = [yield* submitted, yield* submitted]
      assert.deepStrictEqual(yield* store.of(one), [])
      yield* store.keep(one, decision("first"))
      yield* store.keep(other, decision("other"))
      yield* store.keep(one, decision("second"))
      assert.deepStrictEqual(yield* store.of(one), [decision("first"), decision("second")])
      assert.deepStrictEqual(yield* store.of(other), [decision("other")])
    })
  ),
  promise("go when their time is over, and with their workflow", () =>
    Effect.gen(function* () {
      const store = yield* DecisionStore
      const caller = yield* makeWorkspace()
      const { workflow } = yield* makeWorkflow(caller)
      const [one, other] = [yield* submitted, yield* submitted]
      const sent = submission({ ...(yield* makeWorkflow(caller)) })
      yield* (yield* RunStore).submit(sent)
      yield* store.keep(one, decision("old"))
      yield* store.keep(other, { ...decision("new"), at: Date.parse("2026-03-01") })
      yield* store.keep(sent.id, { ...decision("of a deleted one"), at: Date.parse("2026-03-01") })
      yield* (yield* WorkflowStore).remove(caller.workspaceId, sent.workflowId)
      assert.notStrictEqual(workflow.id, sent.workflowId)
      assert.strictEqual(yield* store.expire(Date.parse("2026-02-01"), 10), 2)
      assert.strictEqual(yield* store.expire(Date.parse("2026-02-01"), 10), 0)
      assert.lengthOf(yield* store.of(other), 1)
      assert.lengthOf([...(yield* store.of(one)), ...(yield* store.of(sent.id))], 0)
    })
  ),
  promise("are kept up to a bound, and not beyond it", () =>
    Effect.gen(function* () {
      const store = yield* DecisionStore
      const id = yield* submitted
      const names = Array.from({ length: mostDecisions + 2 }, (_, index) => String(index))
      yield* Effect.forEach(names, (name) => store.keep(id, decision(name)))
      const kept = yield* store.of(id)
      assert.deepStrictEqual(
        kept.map(({ answer }) => answer),
        names.slice(0, mostDecisions)
      )
    })
  )
]
