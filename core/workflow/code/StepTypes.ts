/** What the parameters of a step may be, and what the step sets, as types. */
import type { ActionName, Parameters } from "../language/graph/Action.ts"
import type { Expect } from "../language/graph/Expect.ts"
import type { Conditional, RunIf } from "../language/graph/RunIf.ts"
import type { CheckedExpressions, CheckedFields, CheckedTexts, Keys } from "./ReadNames.ts"

/** The parameters of an action, with its condition and its expectation. */
export type Given<A extends ActionName> = Parameters<A> & {
  readonly expect?: Expect | null
} & (A extends Conditional ? { readonly run_if?: RunIf | null } : unknown)

/** The names of a data model. */
type Properties<M> = M extends { readonly properties: infer P } ? Keys<P> : never

/** The first name of a place such as `context.user.name`. */
type FirstName<T> = T extends `context.${infer N}.${string}`
  ? N
  : T extends `context.${infer N}`
    ? N
    : T extends `${infer N}.${string}`
      ? N
      : T

/** The variables that a step sets, by its parameters. Any, where they are known only in a run. */
export type SetBy<A extends ActionName, P> = Extract<
  A extends "CLICK"
    ? P extends { readonly copied_as: infer N }
      ? N
      : never
    : A extends "USER_INTERACTION"
      ? P extends { readonly expected_datamodel: infer M }
        ? Properties<M>
        : never
      : A extends "EXTRACT_DATAMODEL" | "EXTRACT_NETWORK"
        ? P extends { readonly extract_data_model: infer M }
          ? Properties<M>
          : never
        : A extends "API_FLOW"
          ? P extends { readonly field_json_map: infer M }
            ? M extends string
              ? string
              : FirstName<keyof M>
            : never
          : A extends "TRANSFORM"
            ? P extends { readonly operations: ReadonlyArray<infer O> }
              ? O extends { readonly target: infer T }
                ? FirstName<T>
                : never
              : never
            : A extends "LOOP"
              ? P extends { readonly variable_current_item: infer I; readonly variable_current_index: infer X }
                ? `runtime.${Extract<I | X, string>}`
                : never
              : A extends "START"
                ? P extends { readonly input_variables: infer V }
                  ? `inputs.${WithoutSign<Keys<V>>}`
                  : never
                : never,
  string
>

type WithoutSign<N extends string> = N extends `$${infer Name}` ? Name : N

/**
 * The parameters of a step after which `Known` may be read: a message takes the place of a parameter that the action
 * does not have, and of each text that reads a name which is not known.
 */
export type Checked<A extends ActionName, P, Known extends string> = {
  readonly [X in keyof P]: X extends keyof Given<A>
    ? X extends "run_if"
      ? CheckedFields<P[X], "field", Known>
      : X extends "expect"
        ? CheckedFields<P[X], "field", Known | SetBy<A, P>>
        : X extends "operations"
          ? CheckedFields<P[X], "value", Known | SetBy<A, P>>
          : X extends "field_json_map"
            ? CheckedExpressions<P[X], Known>
            : CheckedTexts<P[X], Known>
    : NoParameter<A, X>
}

/** The type of a parameter that an action does not have. No value has it, so that its name is in the error. */
export interface NoParameter<Action, Name> {
  readonly "has no parameter": readonly [Action, Name]
}

/** The inputs that a workflow may read, by the schema of its inputs. */
export type InputNames<I> = unknown extends I
  ? never
  : I extends { readonly ast: unknown; readonly fields: infer F }
    ? `inputs.${Keys<F>}`
    : I extends { readonly ast: unknown }
      ? `inputs.${string}`
      : I extends { readonly properties: infer P }
        ? `inputs.${Keys<P>}`
        : I extends { readonly additionalProperties: false }
          ? never
          : `inputs.${string}`
