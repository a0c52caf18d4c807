/**
 * Values to generate, described once: an Effect `Arbitrary` and an arbitrary of fast-check are both made from the
 * description, and both shrink by its parts: numbers towards the smallest or 0, lists towards none, choices towards the
 * first.
 */
import { Arbitrary, Schema } from "effect"

/** A description of values to generate. */
export type Generated<A> = {
  /** Makes the arbitrary in a library. */
  readonly in: <Own>(library: Library<Own>) => Own
  readonly "~A"?: A
}

/** The operations of a library of generators. `Generated` records the type of the values. */
export interface Library<Own> {
  readonly integer: (minimum: number, maximum: number) => Own
  readonly array: (item: Own, maximum: number) => Own
  readonly record: (fields: Readonly<Record<string, Own>>) => Own
  readonly map: (of: Own, to: (value: never) => unknown) => Own
}

/** Whole numbers, both bounds included. */
export const integer = (minimum: number, maximum: number): Generated<number> => ({
  in: (library) => library.integer(minimum, maximum)
})

/** Lists of at most so many items. */
export const array = <A>(item: Generated<A>, maximum: number): Generated<ReadonlyArray<A>> => ({
  in: (library) => library.array(item.in(library), maximum)
})

/** Objects with a value for each field. */
export const record = <Fields extends Readonly<Record<string, Generated<unknown>>>>(
  fields: Fields
): Generated<{ readonly [Name in keyof Fields]: GeneratedValue<Fields[Name]> }> => ({
  in: (library) =>
    library.record(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.in(library)])))
})

/** The values of a description. */
export type GeneratedValue<G> = G extends Generated<infer A> ? A : never

/** Values that are made from others. */
export const map = <A, B>(of: Generated<A>, to: (value: A) => B): Generated<B> => ({
  in: (library) => library.map(of.in(library), to as (value: never) => unknown)
})

/** True or false. Shrinks towards false. */
export const boolean: Generated<boolean> = map(integer(0, 1), (bit) => bit === 1)

/** An item of a list. Shrinks towards the first. */
export const oneOf = <A>(items: readonly [A, ...ReadonlyArray<A>]): Generated<A> =>
  map(integer(0, items.length - 1), (index) => items[index] ?? items[0])

const effect: Library<Arbitrary.Arbitrary<unknown>> = {
  integer: (minimum, maximum) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum }))),
  array: (item, maxLength) => Arbitrary.array(item, { maxLength }),
  record: (fields) => Arbitrary.all(fields),
  map: (of, to) => Arbitrary.map(of, to as (value: unknown) => unknown)
}

/** The arbitrary of Effect. */
export const arbitrary = <A>(generated: Generated<A>): Arbitrary.Arbitrary<A> =>
  // The description has values of no other type.
  generated.in(effect) as Arbitrary.Arbitrary<A>

/** The used part of an arbitrary of fast-check. */
interface FastCheckArbitrary {
  readonly map: (to: (value: never) => unknown) => unknown
}

/** What an arbitrary of fast-check has, to tell the type of its values. */
export interface Produces<A> {
  // biome-ignore lint/suspicious/noExplicitAny: the parameters are those of fast-check.
  readonly generate: (...args: any) => { readonly value: A }
}

/** The used part of the module `fast-check`. */
export interface FastCheck {
  readonly integer: (bounds: { readonly min: number; readonly max: number }) => unknown
  readonly array: (item: never, bounds: { readonly maxLength: number }) => unknown
  readonly record: (fields: never) => unknown
}

/** The arbitrary of fast-check, of the copy that is given. `Own` is its type, such as `fc.Arbitrary<number>`. */
export const fastCheck = <A, Own extends Produces<A>>(fc: FastCheck, generated: Generated<A>): Own =>
  // Each function of the library answers one of its arbitraries.
  generated.in<unknown>({
    integer: (min, max) => fc.integer({ min, max }),
    array: (item, maxLength) => fc.array(item as never, { maxLength }),
    record: (fields) => fc.record(fields as never),
    map: (of, to) => (of as FastCheckArbitrary).map(to)
  }) as Own
