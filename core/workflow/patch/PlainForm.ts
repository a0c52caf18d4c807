/**
 * The plain form of a step that a model has done: the parameters by which the step does the same without one.
 *
 * A run finds it and offers it as a patch. Until it is applied, later runs of a workflow with `enable_compile` use it for
 * as long as the node says what it said then.
 */
import { Result, Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { parameters } from "../language/graph/Action.ts"
import type { Node } from "../language/graph/Graph.ts"

/** Where a plain form may take the place of a model. */
export const Reach = Schema.Struct({
  /** The host of the page that it was tried on; `null` where it reads no page. */
  site: Schema.NullOr(Schema.String),
  /** The decision of a condition that it was tried with; `null` for other steps. */
  decides: Schema.NullOr(Schema.Boolean)
})
export type Reach = typeof Reach.Type

export interface PlainForm extends Reach {
  readonly nodeId: string
  /** All parameters of the node when the form was found, as `textOf` has them. */
  readonly before: string
  /** Those that the form gives it, as `textOf` has them. */
  readonly after: string
}

/** Parameters as a text: in the order of their names, and without those that are `null`. */
export const textOf = (given: object): string =>
  JSON.stringify(given, (_, value: unknown) =>
    Json.isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, one]) => one !== null && one !== undefined)
            .toSorted(([one], [other]) => (one < other ? -1 : 1))
        )
      : value
  )

/** Whether a node still says what it said when the form was found. */
export const fits = ({ before, nodeId }: Pick<PlainForm, "before" | "nodeId">, node: Node): boolean =>
  node.id === nodeId && textOf(node.parameters) === before

/** The forms of a node that fit it. */
export const fitting = (forms: ReadonlyArray<PlainForm>, node: Node): ReadonlyArray<PlainForm> =>
  forms.filter((form) => fits(form, node))

/** The node with the parameters of a form; `null` where its action does not take them. */
export const nodeWith = (node: Node, after: string): Node | null => {
  const read = Schema.decodeUnknownResult(parameters[node.action] as Schema.Codec<Node["parameters"]>)({
    ...node.parameters,
    ...paramsOf(after)
  })
  // The parameters were read by the schema of the action.
  return Result.isSuccess(read) ? ({ ...node, parameters: read.success } as Node) : null
}

/**
 * The parameters of a saved node with those of a form. `null` where a parameter that the form was found with has another
 * value by now.
 */
export const mergedInto = (
  saved: Readonly<Record<string, unknown>>,
  { after, before }: Pick<PlainForm, "after" | "before">
): Readonly<Record<string, unknown>> | null => {
  const isSame = Object.entries(paramsOf(before)).every(
    ([name, value]) => textOf({ value: saved[name] }) === textOf({ value })
  )
  return isSame ? { ...saved, ...paramsOf(after) } : null
}

const paramsOf = (text: string): Schema.JsonObject => Json.objectOf(Json.parse(text))
