import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as SignalsContract from "../kit/contracts/runtime/SignalsContract.ts"
import * as databases from "../support/databases.ts"

/** The contract, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<SignalsContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer, { excludeTestServices: true })(`signals and watched runs (${name})`, (it) => {
    for (const { keeps, title } of SignalsContract.promises) {
      it.effect(title, () => Effect.andThen(empty, keeps))
    }
  })

suite("memory", ...databases.memory)
suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)
