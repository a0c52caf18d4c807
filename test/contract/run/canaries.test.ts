import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { CanaryStore } from "../../../core/run/canary/CanaryStore.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import * as CanaryContract from "../../kit/contracts/run/CanaryContract.ts"
import * as databases from "../../support/databases.ts"
import { isAll } from "../../support/scale.ts"

const suite = <E, R>(
  name: string,
  layer: Layer.Layer<CanaryContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`canaries (${name})`, (it) => {
    for (const { keeps, title } of CanaryContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)

it.effect("a store that counts runs from before a canary breaks its promise, and that alone", () =>
  Effect.gen(function* () {
    const careless = Layer.effect(
      CanaryStore,
      Effect.map(CanaryStore, (store) =>
        CanaryStore.of({ ...store, evidence: (id, canary) => store.evidence(id, { ...canary, startedAt: 0 }) })
      )
    ).pipe(Layer.provideMerge(Memory.layer))
    const broken = yield* Contract.broken(CanaryContract.promises, Effect.provide(Layer.fresh(careless)))
    assert.deepStrictEqual(
      broken.map(({ title }) => title),
      ["count the ended runs of both versions since it began, and name one of its version that ended"]
    )
  })
)
