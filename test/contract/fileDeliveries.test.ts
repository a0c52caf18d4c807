import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as FileDeliveryContract from "../kit/contracts/run/FileDeliveryContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<FileDeliveryContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`deliveries of files (${name})`, (it) => {
    for (const { keeps, title } of FileDeliveryContract.promises) {
      it.effect(title, () => Effect.andThen(empty, keeps))
    }
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)
