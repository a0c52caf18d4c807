/**
 * Compares stores with a model by series of commands: many short ones in memory, which shrink when they fail, and long ones
 * on each database.
 */
import { it } from "@effect/vitest"
import { Arbitrary, Effect, type Layer, Schema } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as databases from "./databases.ts"
import { scale } from "./scale.ts"

type Stores = Layer.Success<(typeof databases.memory)[0]> & Layer.Success<(typeof databases.postgres)[0]>

/** `obey` executes a series, and fails when the stores differ from the model. */
export const inSeries = <C, E>(
  title: string,
  command: Schema.Codec<C, unknown>,
  obey: (commands: ReadonlyArray<C>) => Effect.Effect<void, E, Stores>
) => {
  const short = Arbitrary.schema(Schema.Array(command).check(Schema.isMaxLength(60)))
  const long = (seed: string) =>
    Effect.map(Arbitrary.sampleEffect(Arbitrary.schema(command), { count: 60, seed }), (list) => [...list])

  it.effect.prop(
    `in memory, ${title}`,
    [short],
    ([list]) => obey(list).pipe(Effect.provide(Memory.layer, { local: true })),
    { arbitrary: { runs: 60 * scale, size: 60 } }
  )

  for (const [name, [layer, empty]] of [
    ["embedded", databases.embedded],
    ["postgres", databases.postgres]
  ] as const) {
    it.layer(layer)(`on ${name}`, (it) => {
      it.effect.each(Array.from({ length: 2 * scale }, (_, index) => `seed ${index + 1}`))(`${title} (%s)`, (seed) =>
        Effect.andThen(empty, Effect.flatMap(long(seed), obey))
      )
    })
  }
}
