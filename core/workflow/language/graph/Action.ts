/**
 * The actions of the graph language that are served, and the parameters of each.
 *
 * A schema says what a saved workflow may hold. Left out parameters take the defaults that the interface names.
 */
import { apiFlow } from "../parameters/ApiFlowParameters.ts"
import { control } from "../parameters/Control.ts"
import { data } from "../parameters/Data.ts"
import { elements } from "../parameters/ElementParameters.ts"
import { pages } from "../parameters/Pages.ts"
import { pointer } from "../parameters/PointerParameters.ts"

/** The parameters of every served action. */
export const parameters = { ...pages, ...elements, ...pointer, ...data, ...apiFlow, ...control } as const

export type ActionName = keyof typeof parameters

/** The parameters of one action, as a saved workflow has them. */
export type Parameters<A extends ActionName> = (typeof parameters)[A]["Type"]

export const isServed = (action: string): action is ActionName => Object.hasOwn(parameters, action)

/** Actions of the language that are not served, and why. */
export const unserved: Readonly<Record<string, string>> = {
  COMPONENT_CALL: "its meaning was never published",
  APP_ACTION: "it belongs to another product"
}
