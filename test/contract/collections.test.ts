import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Option, Result, Schema } from "effect"
import * as MemoryCollection from "../../adapters/memory/MemoryCollection.ts"
import * as PgCollection from "../../adapters/postgres/PgCollection.ts"
import { type Collection, KeyTaken, type Kind } from "../../core/workspace/Collection.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkspace } from "../support/fixtures.ts"

interface Thing {
  readonly id: string
  readonly name: string
  readonly count: number
}

const kind: Kind<Thing> = {
  name: "error_codes",
  schema: Schema.Struct({ id: Schema.String, name: Schema.String, count: Schema.Int }),
  key: ({ name }) => name.toLowerCase()
}

const thing = (name: string, count = 0): Thing => ({ id: randomUUID(), name, count })

/** The promises of every implementation of collections. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<R | WorkspaceStore, E>,
  make: Effect.Effect<Collection<Thing>, never, R>
) =>
  it.layer(layer, { timeout: "60 seconds" })(`a collection (${name})`, (it) => {
    it.effect("gives back what was inserted, in order, to its own workspace only", () =>
      Effect.gen(function* () {
        const things = yield* make
        const { workspaceId } = yield* makeWorkspace()
        const stranger = (yield* makeWorkspace()).workspaceId
        const [b, a] = [thing("b \u0000 \ud800"), thing("a".repeat(10_000))]
        yield* things.insert(workspaceId, b)
        yield* things.insert(workspaceId, a)
        assert.deepStrictEqual(yield* things.list(workspaceId), [b, a])
        assert.deepStrictEqual(yield* things.get(workspaceId, b.id), Option.some(b))
        assert.deepStrictEqual(yield* things.find(workspaceId, kind.key(a)), Option.some(a))
        assert.deepStrictEqual(yield* things.list(stranger), [])
        assert.isTrue(Option.isNone(yield* things.get(stranger, b.id)))
        assert.isTrue(Option.isNone(yield* things.find(stranger, kind.key(a))))
        assert.isTrue(Option.isNone(yield* things.remove(stranger, b.id)))
        assert.isTrue(Option.isNone(yield* things.get(workspaceId, "no id")))
      })
    )

    it.effect("keeps keys unique within a workspace under concurrent inserts", () =>
      Effect.gen(function* () {
        const things = yield* make
        const { workspaceId } = yield* makeWorkspace()
        const inserted = yield* Effect.all(
          Array.from({ length: 8 }, () => Effect.result(things.insert(workspaceId, thing("Same")))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(inserted.filter(Result.isSuccess), 1)
        assert.deepStrictEqual(inserted.find(Result.isFailure)?.failure, new KeyTaken({ key: "same" }))
        yield* things.insert((yield* makeWorkspace()).workspaceId, thing("same"))
      })
    )

    it.effect("changes one thing at a time, and not at all when the decision fails or the key is taken", () =>
      Effect.gen(function* () {
        const things = yield* make
        const { workspaceId } = yield* makeWorkspace()
        const [one, other] = [thing("one"), thing("other")]
        yield* things.insert(workspaceId, one)
        yield* things.insert(workspaceId, other)
        yield* Effect.all(
          Array.from({ length: 10 }, () =>
            things.change(workspaceId, one.id, (before) => Result.succeed({ ...before, count: before.count + 1 }))
          ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(
          (yield* Effect.flip(things.change(workspaceId, one.id, () => Result.fail("no")))) as string,
          "no"
        )
        assert.instanceOf(
          yield* Effect.flip(
            things.change(workspaceId, one.id, (before) => Result.succeed({ ...before, name: "OTHER" }))
          ),
          KeyTaken
        )
        assert.deepStrictEqual(yield* things.get(workspaceId, one.id), Option.some({ ...one, count: 10 }))
        const renamed = yield* things.change(workspaceId, one.id, (before) =>
          Result.succeed({ ...before, name: "New" })
        )
        assert.deepStrictEqual(yield* things.find(workspaceId, "new"), renamed)
        assert.isTrue(Option.isNone(yield* things.change(workspaceId, randomUUID(), Result.succeed)))
      })
    )

    it.effect("removes a thing, and its key is free again", () =>
      Effect.gen(function* () {
        const things = yield* make
        const { workspaceId } = yield* makeWorkspace()
        const one = thing("one")
        yield* things.insert(workspaceId, one)
        assert.deepStrictEqual(yield* things.remove(workspaceId, one.id), Option.some(one))
        assert.isTrue(Option.isNone(yield* things.remove(workspaceId, one.id)))
        yield* things.insert(workspaceId, thing("one"))
      })
    )
  })

suite("memory", databases.memory[0], MemoryCollection.make(kind))
suite("embedded", databases.embedded[0], PgCollection.make(kind))
suite("PostgreSQL", databases.postgres[0], PgCollection.make(kind))
