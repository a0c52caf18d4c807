import { createHash, randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { UserId, type WorkspaceId } from "../../core/workspace/Ids.ts"
import { SignInStore, type StoredSignIn } from "../../core/workspace/signin/SignInStore.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkspace } from "../support/fixtures.ts"

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")

const makeKey = Effect.gen(function* () {
  const { workspaceId } = yield* makeWorkspace()
  const id = randomUUID()
  yield* (yield* WorkspaceStore).addKey({
    id,
    hash: hashOf(id),
    name: null,
    workspaceId,
    userId: UserId.make(randomUUID()),
    role: "Viewer",
    createdAt: 0,
    revokedAt: null
  })
  return { workspaceId, keyId: id }
})

const signIn = (
  key: { readonly workspaceId: WorkspaceId; readonly keyId: string },
  times: Pick<StoredSignIn, "createdAt" | "expiresAt">
): StoredSignIn => ({ ...key, ...times, hash: hashOf(randomUUID()), kind: "session" })

/** The promises of every implementation of the store of sign-ins. */
const suite = <E>(name: string, layer: Layer.Layer<SignInStore | WorkspaceStore, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`a store of sign-ins (${name})`, (it) => {
    it.effect("gives back a sign-in as it was kept, and gives it to one of those that remove it", () =>
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
        assert.isTrue(Option.isNone(yield* store.get(hashOf("unknown"))))
      })
    )

    it.effect("removes what has expired when another sign-in is kept", () =>
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
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
