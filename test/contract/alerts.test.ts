import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as AlertContract from "../kit/contracts/event/AlertContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<AlertContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`alerts (${name})`, (it) => {
    for (const { keeps, title } of AlertContract.promises) {
      it.effect(title, () => Effect.andThen(empty, keeps))
    }
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)
