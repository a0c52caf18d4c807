import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as StoreContract from "../kit/contracts/run/StoreContract.ts"
import * as databases from "../support/databases.ts"

/** The contract of the stores, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<StoreContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`the stores (${name})`, (it) => {
    for (const { keeps, title } of StoreContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))
  })

suite("memory", ...databases.memory)
suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)
