/**
 * A session whose verbs are spans of the current trace. A span has the name of the verb, and neither its selector nor the
 * text that it typed or read.
 */
import { Effect } from "effect"
import * as Trace from "../runtime/Trace.ts"
import type { BrowserSession } from "./Browser.ts"
import type { Elements } from "./Elements.ts"
import type { Navigation } from "./Navigation.ts"
import type { Vision } from "./Vision.ts"

type Verb<Verbs> = keyof Verbs & string

type Spans<Verbs> = ReadonlyArray<readonly [Verb<Verbs>, ReturnType<typeof Trace.inLeafSpan>]>

/** A span for each verb of a port, made once for all sessions. */
const spansOf = <Verbs>(port: string, names: ReadonlyArray<Verb<Verbs>>): Spans<Verbs> =>
  names.map((name) => [name, Trace.inLeafSpan(`browser ${port}.${name}`, { kind: "client" })])

/** The verbs of a port, each in its span. Everything else stays as it is. */
const traced = <Verbs extends object>(verbs: Verbs, spans: Spans<Verbs>): Verbs => {
  const own: Partial<Record<Verb<Verbs>, unknown>> = {}
  for (const [name, span] of spans) {
    const verb: unknown = verbs[name]
    own[name] = Effect.isEffect(verb)
      ? span(verb)
      : // What is no effect among the verbs of a port is a function that returns one.
        (...given: ReadonlyArray<never>) => span((verb as (...all: typeof given) => Effect.Effect<unknown>)(...given))
  }
  return { ...verbs, ...own }
}

const spans = {
  elements: spansOf<Elements>("elements", [
    "find",
    "click",
    "clickToCopy",
    "drag",
    "type",
    "select",
    "check",
    "upload",
    "dropFile",
    "read",
    "extract",
    "readable",
    "inspect",
    "facts",
    "states",
    "scroll",
    "screenshot"
  ]),
  navigation: spansOf<Navigation>("navigation", [
    "goto",
    "back",
    "openTab",
    "switchTab",
    "closeTab",
    "request",
    "download",
    "print"
  ]),
  vision: spansOf<Vision>("vision", ["outline", "targets", "look", "clickAt", "dragAt", "typeAt"])
}

export const make = ({ elements, navigation, observation, vision }: BrowserSession): BrowserSession => ({
  observation,
  elements: traced(elements, spans.elements),
  navigation: traced(navigation, spans.navigation),
  vision: traced(vision, spans.vision)
})
