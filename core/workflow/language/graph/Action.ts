/**
 * The supported actions of the graph language, and the parameters of each.
 *
 * A schema describes the parameters of a saved workflow. Absent parameters take the defaults of the interface.
 */
import { apiFlow } from "../parameters/ApiFlowParameters.ts"
import { control } from "../parameters/Control.ts"
import { data } from "../parameters/Data.ts"
import { elements } from "../parameters/ElementParameters.ts"
import { pages } from "../parameters/Pages.ts"
import { pointer } from "../parameters/PointerParameters.ts"

/** The parameters of every supported action. */
export const parameters = { ...pages, ...elements, ...pointer, ...data, ...apiFlow, ...control } as const

export type ActionName = keyof typeof parameters

/** The parameters of one action, as a saved workflow has them. */
export type Parameters<A extends ActionName> = (typeof parameters)[A]["Type"]

export const isServed = (action: string): action is ActionName => Object.hasOwn(parameters, action)

/** Actions of the language that are not supported, with the reason. */
export const unserved: Readonly<Record<string, string>> = {
  COMPONENT_CALL: "its meaning was never published",
  APP_ACTION: "it belongs to another product"
}
