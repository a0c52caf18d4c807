/**
 * Finds out what a step is about to do: its action is done on a session that notes its one act on an element and does
 * nothing. The same session does that act later, and no other.
 */
import { Effect } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import type { Elements } from "../../browser/Elements.ts"
import type { ElementFacts } from "../../browser/element/ElementFacts.ts"
import type { ElementQuery } from "../../browser/element/ElementQuery.ts"
import { PageFailure } from "../../browser/PageFailure.ts"
import * as Json from "../../workspace/Json.ts"

/** The one act of a step. */
export interface Call {
  readonly query: ElementQuery
  /** What is done to the element, with all that is typed or chosen, secrets included: it never leaves the worker. */
  readonly said: string
}

type Verb = "click" | "clickToCopy" | "check" | "select" | "type"

/** A session whose verbs on elements are these. */
const acting = (
  page: BrowserSession,
  on: (
    call: Call,
    act: (query: ElementQuery) => Effect.Effect<unknown, PageFailure>
  ) => Effect.Effect<unknown, PageFailure>
): BrowserSession => {
  const { elements } = page
  const call = (query: ElementQuery, ...what: ReadonlyArray<unknown>): Call => ({
    query,
    // What is done is plain data.
    said: Json.canonical(JSON.parse(JSON.stringify([query.selector, ...what])))
  })
  const verbs: Pick<Elements, Verb> = {
    click: (query, kind, gesture, aim) =>
      Effect.asVoid(on(call(query, "click", kind, aim), (bound) => elements.click(bound, kind, gesture, aim))),
    clickToCopy: (query, kind, gesture, aim) =>
      Effect.map(
        on(call(query, "copy", kind, aim), (bound) => elements.clickToCopy(bound, kind, gesture, aim)),
        (text) => (typeof text === "string" ? text : "")
      ),
    check: (query, checked) =>
      Effect.asVoid(on(call(query, "check", checked), (bound) => elements.check(bound, checked))),
    select: (query, value, fuzzy, by) =>
      Effect.asVoid(on(call(query, "select", value, fuzzy, by), (bound) => elements.select(bound, value, fuzzy, by))),
    type: (query, typing) => {
      if (query === null) return Effect.die(new Error("An approved step types where the focus is"))
      const { existing, html, paste, strokes } = typing
      const typed = call(query, "type", strokes, existing, paste, html)
      return Effect.asVoid(on(typed, (bound) => elements.type(bound, typing)))
    }
  }
  return { ...page, elements: { ...elements, ...verbs } }
}

/** A session that notes acts and does none. */
export const noting = (page: BrowserSession, noted: Array<Call>): BrowserSession =>
  acting(page, (call) => Effect.sync(() => void noted.push(call)))

/** A session that does this act, once and while the element has these facts. Any other act fails with `changed`. */
export const bound = (page: BrowserSession, { query, said }: Call, unchanged: ElementFacts): BrowserSession => {
  let isDone = false
  return acting(page, (call, act) =>
    Effect.suspend(() => {
      if (isDone || call.said !== said) {
        const reason = isDone ? "the step acts a second time" : "what the step does is not what was approved"
        return Effect.fail(new PageFailure({ kind: "changed", reason, selector: query.selector, acted: isDone }))
      }
      isDone = true
      return Effect.tapError(act({ ...call.query, unchanged }), ({ acted }) =>
        Effect.sync(() => {
          isDone = acted === true
        })
      )
    })
  )
}
