import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Predicate } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Tables } from "../../../adapters/memory/Tables.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import { promises } from "./AllPromises.ts"

/** What is only the way in which the stores in memory are made. */
const isOwn = (key: string): boolean => key === Tables.key || !key.startsWith("sluice/core/")

/** The services of a context, each with its operations in another form. */
const altered = <Services>(
  stores: Context.Context<Services>,
  alter: (operation: string, member: unknown) => unknown
): Context.Context<Services> =>
  Context.makeUnsafe(
    new Map(
      [...stores.mapUnsafe].map(([key, service]) => [
        key,
        isOwn(key) || Array.isArray(service)
          ? service
          : new Proxy(service, {
              get: (target, operation) => alter(`${key}.${String(operation)}`, Reflect.get(target, operation))
            })
      ])
    )
  )

/** A failure as somebody else may write it: with the same tag, fields and message, and a class of its own. */
const foreign = (error: unknown): unknown =>
  error instanceof Error && Predicate.hasProperty(error, "_tag")
    ? Object.assign(new Error(error.message), { ...error, name: error.name, _tag: error._tag })
    : error

const failingForeign = (member: unknown): unknown => {
  if (Effect.isEffect(member)) return Effect.mapError(member, foreign)
  if (typeof member !== "function") return member
  return (...given: ReadonlyArray<unknown>) => {
    const answer: unknown = Reflect.apply(member, undefined, given)
    return Effect.isEffect(answer) ? Effect.mapError(answer, foreign) : answer
  }
}

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
        return altered(stores, (operation, member) => {
          used.add(operation)
          return member
        })
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

it.live("every contract is kept by stores that fail with classes of their own, by the tags and fields", () =>
  Effect.gen(function* () {
    const layer = Layer.effectContext(
      Effect.map(Layer.build(Layer.fresh(Memory.layer)), (stores) =>
        altered(stores, (_operation, member) => failingForeign(member))
      )
    )
    const broken = yield* Contract.broken(promises, (keeps) => Effect.provide(keeps, Layer.fresh(layer)))
    assert.deepStrictEqual(broken, [])
  })
)
