/**
 * A session whose verbs are spans of the current trace. A span has the name of the verb, and neither its selector nor the
 * text that it typed or read.
 */
import { Effect } from "effect"
import * as Trace from "../runtime/Trace.ts"
import type { BrowserSession } from "./Browser.ts"

/** The verbs of a port with a span each, by their names. Everything else stays as it is. */
const traced = <Verbs extends object>(
  port: string,
  verbs: Verbs,
  names: ReadonlyArray<keyof Verbs & string>
): Verbs => {
  const own: Partial<Record<keyof Verbs, unknown>> = {}
  for (const name of names) {
    const verb: unknown = verbs[name]
    const span = Trace.inSpan(`browser ${port}.${name}`, { kind: "client" })
    own[name] = Effect.isEffect(verb)
      ? span(verb)
      : // What is no effect among the verbs of a port is a function that returns one.
        (...given: ReadonlyArray<never>) => span((verb as (...all: typeof given) => Effect.Effect<unknown>)(...given))
  }
  return { ...verbs, ...own }
}

export const make = ({ elements, navigation, observation, vision }: BrowserSession): BrowserSession => ({
  observation,
  elements: traced("elements", elements, [
    "find",
    "click",
    "clickToCopy",
    "drag",
    "type",
    "select",
    "upload",
    "dropFile",
    "read",
    "extract",
    "readable",
    "inspect",
    "scroll",
    "screenshot"
  ]),
  navigation: traced("navigation", navigation, [
    "goto",
    "back",
    "openTab",
    "switchTab",
    "closeTab",
    "request",
    "download",
    "print"
  ]),
  vision: traced("vision", vision, ["outline", "targets", "look", "clickAt", "dragAt", "typeAt"])
})
