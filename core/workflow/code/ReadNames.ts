/**
 * The names that expressions in texts read, as types: `context.total` reads `total`, `context.inputs.month` reads
 * `inputs.month`, `context.runtime.row` reads `runtime.row`.
 *
 * `SetVariables` and `Variables` decide whether a graph may be saved. These types find the same mistakes while the code
 * is written. A text whose type is only `string` is not checked here.
 */

type Letter =
  | ("a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m")
  | ("n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z")

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"

type NameCharacter = Letter | Uppercase<Letter> | Digit | "_" | "$"

/** The name at the beginning of a text. */
type Name<S extends string, Taken extends string = ""> = S extends `${infer C}${infer Rest}`
  ? C extends NameCharacter
    ? Name<Rest, `${Taken}${C}`>
    : Taken
  : Taken

type Below<Root extends string, N extends string> = N extends "" ? never : `${Root}.${N}`

/** What is read by a text that stands behind `context.`. */
type Place<S extends string> = S extends `inputs.${infer Rest}`
  ? Below<"inputs", Name<Rest>>
  : S extends `runtime.${infer Rest}`
    ? Below<"runtime", Name<Rest>>
    : Exclude<Name<S>, "" | "inputs" | "runtime">

/** The names that an expression reads. */
export type InExpression<
  S extends string,
  Found extends string = never
> = S extends `${infer Before}context.${infer After}`
  ? InExpression<After, Found | (Before extends `${string}${NameCharacter | "."}` ? never : Place<After>)>
  : Found

/** The names that the expressions of a text read. */
export type InText<S extends string, Found extends string = never> = S extends `${string}{{${infer E}}}${infer Rest}`
  ? InText<Rest, Found | InExpression<E>>
  : Found

/** The type of a text that reads a name which is not there. No text has it, so that its name is in the error. */
export interface NoStepSets<Name extends string> {
  readonly "No step before this one sets": Name
}

type Held<S extends string, Names extends string, Known extends string> = [Exclude<Names, Known>] extends [never]
  ? S
  : NoStepSets<Exclude<Names, Known>>

/** `T`, with a message in place of each text whose expressions read a name that is not known. */
export type CheckedTexts<T, Known extends string> = T extends string
  ? string extends T
    ? T
    : Held<T, InText<T>, Known>
  : T extends object
    ? { readonly [X in keyof T]: CheckedTexts<T[X], Known> }
    : T

/** The same for values that are expressions without braces. */
export type CheckedExpressions<T, Known extends string> = T extends string
  ? string extends T
    ? T
    : Held<T, InExpression<T>, Known>
  : T extends object
    ? { readonly [X in keyof T]: CheckedExpressions<T[X], Known> }
    : T

/** The same for conditions and operations, in which the fields of one name are expressions without braces. */
export type CheckedFields<T, Field extends string, Known extends string> = T extends object
  ? {
      readonly [X in keyof T]: X extends Field
        ? CheckedExpressions<T[X], Known>
        : T[X] extends string
          ? CheckedTexts<T[X], Known>
          : CheckedFields<T[X], Field, Known>
    }
  : T

/** The keys of an object that are texts. */
export type Keys<T> = Extract<keyof T, string>
