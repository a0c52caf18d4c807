import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as ReencryptionTargets from "../../core/vault/keys/ReencryptionTargets.ts"
import * as SealedContract from "../kit/contracts/vault/SealedContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<SealedContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`the places of sealed values (${name})`, (it) => {
    for (const { keeps, title } of SealedContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))
    it.effect("are all listed, in the order in which they are gone through", () =>
      Effect.map(ReencryptionTargets.all, (places) =>
        assert.deepStrictEqual(
          places.map((place) => place.name),
          [
            "vault entries",
            "secret providers",
            "subscriptions to runs",
            "file destinations",
            "receivers of alerts",
            "received codes",
            "answers of persons",
            "answers of named requests"
          ]
        )
      )
    )
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)
