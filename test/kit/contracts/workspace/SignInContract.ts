/**
 * The promises of every store of sign-ins: `SignInStore`, beside the store of workspaces and their keys.
 */
import { Effect, Option, Result } from "effect"
import { UserId, type WorkspaceId } from "../../../../core/workspace/Ids.ts"
import { SignInStore, type StoredSignIn } from "../../../../core/workspace/signin/SignInStore.ts"
import { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkspace } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = SignInStore | WorkspaceStore

/** A text of the form of a hash that no other sign-in and no other key has. */
const newHash = (workspaceId: WorkspaceId) => beside(workspaceId).replaceAll("-", "").repeat(2)

const makeKey = Effect.gen(function* () {
  const { workspaceId } = yield* makeWorkspace()
  const id = beside(workspaceId)
  yield* (yield* WorkspaceStore).addKey({
    id,
    hash: newHash(workspaceId),
    name: null,
    workspaceId,
    userId: UserId.make(beside(workspaceId)),
    role: "Viewer",
    createdAt: 0,
    revokedAt: null
  })
  return { workspaceId, keyId: id }
})

const signIn = (
  key: { readonly workspaceId: WorkspaceId; readonly keyId: string },
  times: Pick<StoredSignIn, "createdAt" | "expiresAt">
): StoredSignIn => ({ ...key, ...times, hash: newHash(key.workspaceId), kind: "session" })

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`a store of sign-ins ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("gives back a sign-in as it was kept, and gives it to one of those that remove it", () =>
    Effect.gen(function* () {
      const store = yield* SignInStore
      const kept: StoredSignIn = { ...signIn(yield* makeKey, { createdAt: 5, expiresAt: 100_000 }), kind: "link" }
      yield* store.add(kept)
      assert.deepStrictEqual(yield* store.get(kept.hash), Option.some(kept))
      const taken = yield* Effect.all(
        Array.from({ length: 5 }, () => store.remove(kept.hash)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(taken.filter(Option.isSome), [Option.some(kept)])
      assert.isTrue(Option.isNone(yield* store.get(kept.hash)))
      assert.isTrue(Option.isNone(yield* store.get(newHash(kept.workspaceId))))
    })
  ),
  promise("lists the sessions of a workspace, newest first, and no links", () =>
    Effect.gen(function* () {
      const store = yield* SignInStore
      const [key, other] = [yield* makeKey, yield* makeKey]
      const at = (createdAt: number) => signIn(key, { createdAt, expiresAt: 200_000 })
      const [first, second] = [at(5), at(6)]
      for (const one of [second, first, { ...at(7), kind: "link" } as const, { ...at(8), ...other }])
        yield* store.add(one)
      assert.deepStrictEqual(yield* store.sessions(key.workspaceId), [second, first])
      yield* store.remove(second.hash)
      assert.deepStrictEqual(yield* store.sessions(key.workspaceId), [first])
    })
  ),
  promise("judges a link by the unused ones of its workspace, those that are made at once one after the other", () =>
    Effect.gen(function* () {
      const store = yield* SignInStore
      const [key, other] = [yield* makeKey, yield* makeKey]
      const link = (createdAt: number, of = key): StoredSignIn => ({
        ...signIn(of, { createdAt, expiresAt: createdAt + 300_000 }),
        kind: "link"
      })
      const judge = (unused: ReadonlyArray<StoredSignIn>) =>
        unused.length < 3 ? Result.void : Result.fail(unused.map(({ hash }) => hash))
      yield* store.add(signIn(key, { createdAt: 10, expiresAt: 400_000 }))
      yield* store.addLink(link(10, other), judge)
      const [first, second] = [link(10), link(20)]
      yield* store.addLink(second, judge)
      yield* store.addLink(first, judge)
      const outcomes = yield* Effect.all(
        Array.from({ length: 4 }, () => Effect.result(store.addLink(link(30), judge))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(outcomes.filter(Result.isSuccess), 1)
      for (const { failure } of outcomes.filter(Result.isFailure)) {
        assert.deepStrictEqual(Array.isArray(failure) ? failure.slice(0, 2) : failure, [first.hash, second.hash])
      }
      yield* store.remove(second.hash)
      yield* store.addLink(link(30), judge)
      yield* store.addLink(link(300_010), judge)
      assert.isTrue(Result.isFailure(yield* Effect.result(store.addLink(link(300_010), judge))))
    })
  ),
  promise("removes what has expired when another sign-in is kept", () =>
    Effect.gen(function* () {
      const store = yield* SignInStore
      const key = yield* makeKey
      const [expired, current] = [
        signIn(key, { createdAt: 1, expiresAt: 50 }),
        signIn(key, { createdAt: 1, expiresAt: 51 })
      ]
      yield* store.add(expired)
      yield* store.add(current)
      yield* store.add(signIn(key, { createdAt: 50, expiresAt: 90 }))
      assert.isTrue(Option.isNone(yield* store.remove(expired.hash)))
      assert.deepStrictEqual(yield* store.get(current.hash), Option.some(current))
    })
  )
]
