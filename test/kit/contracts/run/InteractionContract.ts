/**
 * The promises of every store of the questions of runs: `InteractionStore`, on the data of the stores of runs. What it
 * keeps of an answer is sealed before.
 *
 * They expect a store without open questions: give each promise a new store, or empty it before.
 */
import { Clock, Effect, Option, Result, type Schema } from "effect"
import * as Interaction from "../../../../core/run/interaction/Interaction.ts"
import { InteractionStore } from "../../../../core/run/interaction/InteractionStore.ts"
import type { Run } from "../../../../core/run/Run.ts"
import type { ClaimedRun, RunStore } from "../../../../core/run/RunStore.ts"
import * as InputContract from "../../../../core/workflow/contract/InputContract.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, claimed, makeWorkspace } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = InteractionStore | RunStore | WorkflowStore | WorkspaceStore

const code: Schema.JsonObject = {
  type: "object",
  properties: { code: { type: "string", pattern: "^\\d{6}$" } },
  required: ["code"]
}

const asked = ({ run }: ClaimedRun, at: number): Interaction.Interaction =>
  Interaction.ask(
    { workspaceId: run.workspaceId, workflowId: run.workflowId, runId: run.id, fence: run.lease?.fence ?? 0 },
    {
      subject: { _tag: "interaction" },
      node: { id: "00000000-0000-4000-8000-000000000001", name: "Ask" },
      message: "The code?",
      schema: code
    },
    beside(run.workspaceId),
    300_000,
    at
  )

const give =
  (run: Run, data: { readonly code: string } = { code: "123456" }) =>
  (before: Interaction.Interaction, now: number) =>
    Result.map(Interaction.answer(before, run, data, now, InputContract.problems), (after) => ({
      ...after,
      answer: `sealed ${data.code}`
    }))

/** A promise that is tested at the epoch: whether a question is open is decided by the clock. */
const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `the questions of runs ${title}`,
    Effect.suspend(() => Effect.provideService(test(), Clock.Clock, SteppingClock.make(0).clock))
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("come back as they were asked, odd characters included, and only to their workspace", () =>
    Effect.gen(function* () {
      const store = yield* InteractionStore
      const caller = yield* makeWorkspace()
      const one = yield* claimed(caller)
      assert.isTrue(Option.isNone(yield* store.get(caller.workspaceId, one.run.id)))
      const question: Interaction.Interaction = {
        ...asked(one, 1_000),
        subject: {
          _tag: "input_required",
          reason: "incorrect_form_input",
          inputs: { name: "a\u0000 \ud800 ✓", z: [null, { a: 1.5 }] },
          choosing: true,
          screenshotId: null
        },
        message: "No option \u0000 \udfff"
      }
      yield* store.put(question)
      assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.run.id), Option.some(question))
      const stranger = yield* makeWorkspace()
      assert.isTrue(Option.isNone(yield* store.get(stranger.workspaceId, one.run.id)))
      const next = asked(one, 2_000)
      yield* store.put(next)
      assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.run.id), Option.some(next))
      const later = { ...asked(one, 3_000), fence: next.fence + 1 }
      yield* store.put(later)
      yield* store.put(asked(one, 4_000))
      assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.run.id), Option.some(later))
    })
  ),
  promise("take one answer of many that are given at the same time, and give it away once", () =>
    Effect.gen(function* () {
      const store = yield* InteractionStore
      const caller = yield* makeWorkspace()
      const one = yield* claimed(caller)
      yield* store.put(asked(one, 0))
      const given = yield* Effect.all(
        Array.from({ length: 8 }, (_, index) =>
          Effect.result(store.change(one.run.id, give(one.run, { code: `00000${index}` })))
        ),
        { concurrency: "unbounded" }
      )
      const [accepted, ...others] = given.filter(Result.isSuccess)
      assert.lengthOf(others, 0)
      const { answer } = Option.getOrThrow(accepted?.success ?? Option.none()).after
      const taken = yield* Effect.all(
        Array.from({ length: 4 }, () =>
          store.change(one.run.id, (before, now) => Result.succeed(Interaction.close(before, now)))
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        taken.flatMap((change) => Option.getOrThrow(change).before.answer ?? []),
        [answer]
      )
      const after = Option.getOrThrow(yield* store.get(caller.workspaceId, one.run.id))
      assert.isNull(after.answer)
      assert.notStrictEqual(after.answeredAt, null)
      assert.notStrictEqual(after.closedAt, null)
    })
  ),
  promise("stay as they are when a decision refuses, and know of no run that never asked", () =>
    Effect.gen(function* () {
      const store = yield* InteractionStore
      const caller = yield* makeWorkspace()
      const one = yield* claimed(caller)
      assert.isTrue(Option.isNone(yield* store.change(one.run.id, give(one.run))))
      const question = asked(one, 0)
      yield* store.put(question)
      const refused = yield* Effect.flip(store.change(one.run.id, give(one.run, { code: "12" })))
      assert.tagged(refused, "InvalidAnswer")
      assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.run.id), Option.some(question))
    })
  ),
  promise("forget answers that no run took, and no others", () =>
    Effect.gen(function* () {
      const store = yield* InteractionStore
      const caller = yield* makeWorkspace()
      const [old, late, open] = [yield* claimed(caller), yield* claimed(caller), yield* claimed(caller)]
      const now = yield* Clock.currentTimeMillis
      for (const [one, at] of [
        [old, now],
        [late, now + 10_000],
        [open, now]
      ] as const) {
        yield* store.put(asked(one, at))
        if (one !== open) yield* store.change(one.run.id, give(one.run))
      }
      assert.strictEqual(yield* store.forget(now + 305_000), 1)
      const answers = yield* Effect.forEach([old, late, open], ({ run }) => store.get(caller.workspaceId, run.id))
      assert.deepStrictEqual(
        answers.map(Option.getOrThrow).map(({ answer, closedAt }) => [answer !== null, closedAt !== null]),
        [
          [false, true],
          [true, false],
          [false, false]
        ]
      )
      assert.strictEqual(yield* store.forget(now + 305_000), 0)
    })
  )
]
