/**
 * The promises of every store that keeps sealed values, which are sealed again when the key of a workspace changes:
 * `SealedColumns`, on the data of the stores of credentials, codes, questions of runs and answers of named requests.
 */
import { Clock, Effect, Option, Result } from "effect"
import * as Interaction from "../../../../core/run/interaction/Interaction.ts"
import { InteractionStore } from "../../../../core/run/interaction/InteractionStore.ts"
import type { RunStore } from "../../../../core/run/RunStore.ts"
import { ReceivedCodes } from "../../../../core/vault/inbox/ReceivedCodes.ts"
import * as ReencryptionTargets from "../../../../core/vault/keys/ReencryptionTargets.ts"
import type { SecretProviders } from "../../../../core/vault/providers/SecretProviders.ts"
import { VaultEntries } from "../../../../core/vault/VaultEntries.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceId } from "../../../../core/workspace/Ids.ts"
import { IdempotencyStore } from "../../../../core/workspace/request/Idempotency.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, claimed, makeWorkspace, vaultEntry } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores =
  | IdempotencyStore
  | InteractionStore
  | ReceivedCodes
  | ReencryptionTargets.SealedColumns
  | RunStore
  | SecretProviders
  | VaultEntries
  | WorkflowStore
  | WorkspaceStore

/** Keeps so many sealed values of each kind but answers of persons. */
const fill = Effect.fnUntraced(function* (caller: Caller, count: number) {
  const { workspaceId } = caller
  const [entries, codes, answers] = [yield* VaultEntries, yield* ReceivedCodes, yield* IdempotencyStore]
  for (let index = 0; index < count; index++) {
    const entry = vaultEntry(caller, {}, { permissionedUserId: `user ${index}` })
    const fields = { ...entry.fields, user_name: `a${index}`, cookies: `b${index}`, proxy_value: "1.2.3.4" }
    yield* entries.insert(workspaceId, { ...entry, fields })
    const address = `${index}@x`
    yield* codes.keep(workspaceId, {
      id: beside(workspaceId),
      kind: "code",
      address,
      sealed: `c${index}`,
      receivedAt: 1
    })
    yield* answers.once(
      { workspaceId, key: `k-${index}`, digest: "d" },
      Effect.succeed({ status: 200, contentType: "text/plain", body: index === 0 ? null : `d${index}` }),
      (answer) => ({ _tag: "Keep", answer })
    )
  }
})

/** Everything that a place has, in pages. */
const paged = Effect.fnUntraced(function* (place: ReencryptionTargets.Target, workspaceId: WorkspaceId, limit: number) {
  const found: Array<ReencryptionTargets.Holder> = []
  let after: string | null = null
  do {
    const left: number = yield* place.left(workspaceId, after)
    const page: Effect.Success<ReturnType<typeof place.page>> = yield* place.page(workspaceId, after, limit)
    assert.isAtMost(page.holders.length, limit)
    assert.isTrue(page.next === null ? left <= limit : left > limit)
    found.push(...page.holders)
    after = page.next
  } while (after !== null)
  return found
})

/** A promise that is tested at the epoch. */
const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `the places of sealed values ${title}`,
    Effect.suspend(() => Effect.provideService(test(), Clock.Clock, SteppingClock.make(0).clock))
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are gone through page by page, each holder once, and no other workspace's", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* makeWorkspace(), yield* makeWorkspace()]
      yield* fill(mine, 5)
      yield* fill(theirs, 2)
      const expected: Record<string, ReadonlyArray<string>> = {
        "vault entries": ["a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "b3", "b4"],
        "received codes": ["c0", "c1", "c2", "c3", "c4"],
        "answers of named requests": ["d1", "d2", "d3", "d4"]
      }
      for (const place of yield* ReencryptionTargets.all) {
        for (const limit of [1, 2, 5, 50]) {
          const found = yield* paged(place, mine.workspaceId, limit)
          assert.strictEqual(new Set(found.map(({ id }) => id)).size, found.length)
          assert.deepStrictEqual(found.flatMap(({ sealed }) => sealed).sort(), expected[place.name] ?? [])
        }
      }
    })
  ),
  promise("exchange the values that still stand, and leave all else as it is", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const stranger = yield* makeWorkspace()
      yield* fill(caller, 2)
      const before = yield* (yield* VaultEntries).list(workspaceId)
      for (const place of yield* ReencryptionTargets.all) {
        const [holder] = (yield* place.page(workspaceId, null, 9)).holders.filter(({ sealed }) =>
          sealed.some((one) => one.endsWith("1"))
        )
        if (holder === undefined) continue
        const renewed = new Map(holder.sealed.map((one) => [one, `${one} again`]))
        yield* place.replace(stranger.workspaceId, holder.id, renewed)
        yield* place.replace(workspaceId, holder.id, new Map([["another", "lost"]]))
        const same = (yield* place.page(workspaceId, null, 9)).holders.find(({ id }) => id === holder.id)
        assert.deepStrictEqual(same, holder)
        yield* place.replace(workspaceId, holder.id, renewed)
        const after = (yield* place.page(workspaceId, null, 9)).holders.find(({ id }) => id === holder.id)
        assert.deepStrictEqual(
          after?.sealed,
          holder.sealed.map((one) => `${one} again`)
        )
      }
      const [first, second] = yield* (yield* VaultEntries).list(workspaceId)
      assert.deepStrictEqual(first, before[0])
      const [, changed] = before
      if (changed === undefined) throw new Error("Expected two entries")
      const fields = { ...changed.fields, user_name: "a1 again", cookies: "b1 again" }
      assert.deepStrictEqual(second, { ...changed, fields })
      const code = yield* (yield* ReceivedCodes).latest(workspaceId, "1@x", { kind: "code", since: 0, senders: [] })
      assert.strictEqual(Option.getOrThrow(code).sealed, "c1 again")
      const kept = yield* (yield* IdempotencyStore).once(
        { workspaceId, key: "k-1", digest: "d" },
        Effect.die("Expected the kept answer"),
        () => ({ _tag: "Release" })
      )
      assert.deepInclude(kept, { answer: { status: 200, contentType: "text/plain", body: "d1 again" } })
    })
  ),
  promise("hold an answer of a person whose key can be changed, and only by its present value", () =>
    Effect.gen(function* () {
      const store = yield* InteractionStore
      const { run } = yield* claimed(yield* makeWorkspace())
      const { workspaceId } = run
      const asker = { workspaceId, workflowId: run.workflowId, runId: run.id, fence: run.lease?.fence ?? 0 }
      const question: Interaction.Question = {
        subject: { _tag: "interaction" },
        node: { id: "00000000-0000-4000-8000-000000000001", name: "Ask" },
        message: "The code?",
        schema: { type: "object" }
      }
      yield* store.put(Interaction.ask(asker, question, beside(run.id), 300_000, 0))
      yield* store.change(run.id, (before) => Result.succeed({ ...before, answer: "sealed", answeredAt: 1 }))
      const place = (yield* ReencryptionTargets.SealedColumns).find(({ name }) => name === "answers of persons")
      if (place === undefined) throw new Error("Expected the place of answers of persons")
      const found = yield* place.page(workspaceId, null, 9)
      assert.deepStrictEqual(found, { holders: [{ id: run.id, sealed: ["sealed"] }], next: null })
      assert.strictEqual(yield* place.left(workspaceId, null), 1)
      assert.strictEqual(yield* place.left(workspaceId, run.id), 0)
      yield* place.replace(workspaceId, run.id, new Map([["another", "lost"]]))
      yield* place.replace(workspaceId, run.id, new Map([["sealed", "sealed again"]]))
      const after = Option.getOrThrow(yield* store.get(workspaceId, run.id))
      assert.strictEqual(after.answer, "sealed again")
    })
  )
]
