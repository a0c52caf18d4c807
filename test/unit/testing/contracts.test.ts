import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Tables } from "../../../adapters/memory/Tables.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import { promises } from "./AllPromises.ts"

/** What is only the way in which the stores in memory are made. */
const isOwn = (key: string): boolean => key === Tables.key || !key.startsWith("sluice/core/")

/** The services of a context, each noting which of its operations are used. */
const noting = <Services>(stores: Context.Context<Services>, used: Set<string>): Context.Context<Services> =>
  Context.makeUnsafe(
    new Map(
      [...stores.mapUnsafe].map(([key, service]) => [
        key,
        isOwn(key) || Array.isArray(service)
          ? service
          : new Proxy(service, {
              get: (target, operation) => {
                used.add(`${key}.${String(operation)}`)
                return Reflect.get(target, operation)
              }
            })
      ])
    )
  )

it.live("every port of the stores in memory has a contract, which asks for each operation", () =>
  Effect.gen(function* () {
    const used = new Set<string>()
    const all = new Set<string>()
    const layer = Layer.effectContext(
      Effect.map(Layer.build(Layer.fresh(Memory.layer)), (stores) => {
        for (const [key, service] of stores.mapUnsafe) {
          if (isOwn(key) || Array.isArray(service)) continue
          for (const operation of Object.keys(service)) all.add(`${key}.${operation}`)
        }
        return noting(stores, used)
      })
    )
    const broken = yield* Contract.broken(promises, (keeps) => Effect.provide(keeps, Layer.fresh(layer)))
    assert.deepStrictEqual(broken, [])
    assert.deepStrictEqual(
      [...all].filter((operation) => !used.has(operation)),
      []
    )
  })
)
