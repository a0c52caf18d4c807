/**
 * The promises of every implementation of the store of workspaces and their API keys.
 */
import { Clock, Effect, Option, Result } from "effect"
import { UserId, WorkspaceId } from "../../../../core/workspace/Ids.ts"
import { type StoredKey, WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkspace } from "../Fixtures.ts"

const key = (workspaceId: WorkspaceId, role: StoredKey["role"], name: string | null): StoredKey => {
  const id = beside(workspaceId)
  return {
    id,
    hash: id.replaceAll("-", "").repeat(2),
    name,
    workspaceId,
    userId: UserId.make(beside(workspaceId)),
    role,
    createdAt: 0,
    revokedAt: null
  }
}

/** A promise that is tested at the epoch: when a key was last used is noted by the clock. */
const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, WorkspaceStore>) =>
  Contract.promise(
    `a store of workspaces ${title}`,
    Effect.suspend(() => Effect.provideService(test(), Clock.Clock, SteppingClock.make(0).clock))
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<WorkspaceStore>> = [
  promise("changes a workspace by one decision after another, and none that does not exist", () =>
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { workspaceId } = yield* makeWorkspace()
      const longer = store.change(workspaceId, (before) => ({
        ...before,
        name: "Mine",
        waitingTtlMillis: (before.waitingTtlMillis ?? 0) + 1_000,
        inputRequiredTimeoutSeconds: 20,
        signedUrlTtlSeconds: before.signedUrlTtlSeconds - 100
      }))
      yield* Effect.all(
        Array.from({ length: 8 }, () => longer),
        { concurrency: "unbounded" }
      )
      const now = Option.getOrThrow(yield* store.get(workspaceId))
      assert.deepInclude(now, { name: "Mine", waitingTtlMillis: 8_000, inputRequiredTimeoutSeconds: 20 })
      assert.strictEqual(now.signedUrlTtlSeconds, 604_000)
      const cleared = yield* store.change(workspaceId, (before) => ({ ...before, waitingTtlMillis: null }))
      assert.deepStrictEqual(cleared, Option.some({ ...now, waitingTtlMillis: null }))
      assert.isTrue(Option.isNone(yield* store.change(WorkspaceId.make(beside(workspaceId)), (before) => before)))
    })
  ),
  promise("gives back keys as they were kept, and recognises each until it is revoked", () =>
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { workspaceId } = yield* makeWorkspace()
      const named = key(workspaceId, "Viewer", "Nightly ✓")
      yield* store.addKey(named)
      assert.deepStrictEqual(yield* store.listKeys(workspaceId), [named])
      const { role, userId } = named
      const caller = { role, userId, workspaceId, keyId: named.id }
      assert.deepStrictEqual(yield* store.authenticate(named.hash), Option.some(caller))
      assert.deepStrictEqual(yield* store.getKey(workspaceId, named.id), Option.some(named))
      assert.isTrue(Option.isNone(yield* store.getKey(WorkspaceId.make(beside(workspaceId)), named.id)))
      yield* store.noteSealing(WorkspaceId.make(beside(workspaceId)), named.id, 9)
      yield* store.noteSealing(workspaceId, named.id, 2)
      assert.deepStrictEqual(yield* store.listKeys(workspaceId), [{ ...named, sealsWith: 2 }])
      const rename = (before: StoredKey) => Result.succeed({ ...before, name: "Hourly" })
      assert.isTrue(Option.isNone(yield* store.changeKey(WorkspaceId.make(beside(workspaceId)), named.id, rename)))
      assert.strictEqual(yield* Effect.flip(store.changeKey(workspaceId, named.id, () => Result.fail("no"))), "no")
      const renamed = { ...named, name: "Hourly", sealsWith: 2 }
      assert.deepStrictEqual(yield* store.changeKey(workspaceId, named.id, rename), Option.some(renamed))
      const revoked = yield* store.revokeKey(workspaceId, named.id, 7)
      assert.deepStrictEqual(revoked, Option.some({ ...renamed, revokedAt: 7 }))
      assert.isTrue(Option.isNone(yield* store.changeKey(workspaceId, named.id, rename)))
      assert.isTrue(Option.isNone(yield* store.authenticate(named.hash)))
      assert.isTrue(Option.isNone(yield* store.revokeKey(workspaceId, named.id, 8)))
      assert.deepStrictEqual(yield* store.listKeys(workspaceId), [{ ...renamed, revokedAt: 7 }])
    })
  ),
  promise("asks about a revocation beside the keys that are left, under concurrent revocations", () =>
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { workspaceId } = yield* makeWorkspace()
      const keys = Array.from({ length: 6 }, () => key(workspaceId, "Owner", null))
      for (const one of keys) yield* store.addKey(one)
      const revokeUnlessLast = (id: string) =>
        store.revokeKey(workspaceId, id, 1, (_, live) => (live.length > 1 ? Result.void : Result.fail("last" as const)))
      const outcomes = yield* Effect.all(
        keys.map(({ id }) => Effect.result(revokeUnlessLast(id))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(outcomes.filter(Result.isSuccess), 5)
      assert.deepStrictEqual(outcomes.find(Result.isFailure)?.failure, "last")
      assert.lengthOf(
        (yield* store.listKeys(workspaceId)).filter(({ revokedAt }) => revokedAt === null),
        1
      )
      const stranger = (yield* makeWorkspace()).workspaceId
      assert.isTrue(Option.isNone(yield* store.revokeKey(stranger, keys[0]?.id ?? "", 1)))
      assert.isTrue(Option.isNone(yield* store.revokeKey(workspaceId, "no id", 1)))
    })
  )
]
