import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Idempotency from "../../core/workspace/request/Idempotency.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as IdempotencyContract from "../kit/contracts/workspace/IdempotencyContract.ts"
import * as databases from "../support/databases.ts"
import { makeWorkspace } from "../support/fixtures.ts"
import { isAll } from "../support/scale.ts"

const { promises, undoing } = IdempotencyContract

/** The contract, kept by one implementation. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<IdempotencyContract.Stores | R, E>,
  all: typeof promises = [...promises, ...undoing]
) =>
  it.layer(layer)(`a store of answers (${name})`, (it) => {
    for (const { keeps, title } of all) it.effect(title, () => keeps)
  })

suite("memory", databases.memory[0], promises)
if (isAll) suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])

it.layer(databases.memory[0])("a store of answers in memory", (it) => {
  it.effect("leaves the effect of a request that is undone or fails, as it has no transaction to roll back", () =>
    Effect.gen(function* () {
      const store = yield* Idempotency.IdempotencyStore
      const count = Effect.map((yield* WorkspaceStore).list, (all) => all.length)
      const { workspaceId } = yield* makeWorkspace()
      const request = { workspaceId, key: "k-1", digest: "d" }
      yield* store.once(request, makeWorkspace(), () => ({ _tag: "Undo" }))
      const fails = Effect.andThen(makeWorkspace(), Effect.die("a mistake"))
      yield* Effect.exit(store.once(request, fails, () => ({ _tag: "Release" })))
      assert.strictEqual(yield* count, 3)
    })
  )
})

it("a key is made of 1 to 255 visible characters", () => {
  for (const key of ["a", "!~", "x".repeat(255), "9f0c-…".slice(0, 5)]) {
    assert.strictEqual(Idempotency.checkKey(key)._tag, "Success", key)
  }
  for (const key of ["", " ", "a b", "ä", "x".repeat(256), "a\n"]) {
    assert.strictEqual(Idempotency.checkKey(key)._tag, "Failure", key)
  }
})
