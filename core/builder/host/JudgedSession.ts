/**
 * A session that does no act unless it is judged to be allowed, and only while its element is what was judged. It judges
 * whatever acts: a proposed step, the further turns of a loop, and the run that tries the draft.
 */
import { Effect, type Schema } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import type { ElementFacts } from "../../browser/element/ElementFacts.ts"
import type { ElementQuery } from "../../browser/element/ElementQuery.ts"
import { PageFailure } from "../../browser/PageFailure.ts"
import * as Json from "../../workspace/Json.ts"
import * as ActJudge from "../proposal/ActJudge.ts"
import * as Irreversible from "../proposal/Irreversible.ts"

/** An act that waits for a person. */
export interface Held {
  /** The act in words, with its element as the page shows it. */
  readonly act: string
  readonly why: string
  /** All of it as one text. It may have secrets, and never leaves the worker. */
  readonly exact: string
}

/** The judging of a page, from act to act. */
export interface Judging {
  readonly sites: ActJudge.Surroundings["sites"]
  /** Whether the password of a credential was typed, and nothing was sent since. */
  signsIn: boolean
  /** Whether the text that is typed next is a password. */
  isPassword: boolean
  /** The act that a person allowed, once. */
  allowed: string | null
  /** The last act that waits. */
  held: Held | null
}

export const judging = (sites: Judging["sites"]): Judging => ({
  sites,
  signsIn: false,
  isPassword: false,
  allowed: null,
  held: null
})

const refusal = (reason: string, selector?: string) =>
  new PageFailure({ kind: "foreign", reason, ...(selector === undefined ? {} : { selector }) })

/** Fails unless the act is allowed, by its judgement or by a person. */
const permitted = (now: Judging, act: ActJudge.Act, said: Schema.Json, selector?: string) =>
  Effect.suspend(() => {
    const verdict = ActJudge.judge(act, now)
    if (verdict._tag === "Refused") return Effect.fail(refusal(`it was refused: ${verdict.why}`, selector))
    const exact = Json.canonical({ said, facts: act._tag === "Open" ? null : act.facts })
    if (verdict._tag === "Waits" && now.allowed !== exact) {
      now.held = { act: wordsOf(act), why: verdict.why, exact }
      return Effect.fail(refusal(`a person has to allow it: ${verdict.why}`, selector))
    }
    now.allowed = null
    return Effect.void
  })

export const make = (page: BrowserSession, now: Judging): BrowserSession => {
  const { elements, navigation } = page
  const on = <A>(
    query: ElementQuery,
    what: Schema.Json,
    actOf: (facts: ElementFacts) => ActJudge.Act,
    perform: (query: ElementQuery) => Effect.Effect<A, PageFailure>
  ) =>
    Effect.gen(function* () {
      const { facts } = yield* elements.facts(query)
      const act = actOf(facts)
      yield* permitted(now, act, [query.selector, what], query.selector)
      const done = yield* perform({ ...query, unchanged: facts })
      if (act._tag === "Click" && (facts.form === null || Irreversible.isSubmit(facts))) now.signsIn = false
      if (act._tag === "Type") now.signsIn = !act.sends && (now.signsIn || isFilledIn(facts, query))
      return done
    })
  const clicked = (facts: ElementFacts): ActJudge.Act => ({ _tag: "Click", facts })
  return {
    ...page,
    navigation: {
      ...navigation,
      goto: (url) => Effect.andThen(permitted(now, { _tag: "Open", address: url }, url), navigation.goto(url))
    },
    elements: {
      ...elements,
      click: (query, kind, gesture, aim) => on(query, kind, clicked, (one) => elements.click(one, kind, gesture, aim)),
      clickToCopy: (query, kind, gesture, aim) =>
        on(query, kind, clicked, (one) => elements.clickToCopy(one, kind, gesture, aim)),
      check: (query, checked) => on(query, checked, clicked, (one) => elements.check(one, checked)),
      select: (query, value, fuzzy, by) =>
        on(
          query,
          value,
          (facts) => ({ _tag: "Choose", facts }),
          (one) => elements.select(one, value, fuzzy, by)
        ),
      type: (query, typing) => {
        const sends = typing.strokes.some((stroke) => typeof stroke !== "string" && /enter/i.test(stroke.key))
        // A proposed step names its field. One that a person recorded may type where the focus is.
        if (query === null) return elements.type(null, typing)
        return on(
          query,
          typing.strokes.map((stroke) => (typeof stroke === "string" ? stroke : { key: stroke.key })),
          (facts) => ({ _tag: "Type", facts, sends, isPassword: now.isPassword }),
          (one) => elements.type(one, typing)
        )
      }
    }
  }
}

/** Whether the password of a credential, which alone is guarded, was typed into a field for one. */
const isFilledIn = ({ attributes }: ElementFacts, { guard }: ElementQuery): boolean =>
  guard !== undefined && attributes.some(({ name, value }) => name === "type" && value.toLowerCase() === "password")

const short = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text)

/** An act for the person who is asked: what the page says of the element, where it goes, and what the form holds. */
const wordsOf = (act: ActJudge.Act): string => {
  if (act._tag === "Open") return `Open ${act.address}`
  const { address, attributes, form, link, tag, text } = act.facts
  const label = text.trim() || attributes.find(({ name }) => /^(value|aria-label|title|name|id)$/.test(name))?.value
  const verb = act._tag === "Click" ? "Click" : act._tag === "Type" ? "Type and press Enter in" : "Choose in"
  const fields = (form?.fields ?? []).filter(({ kind, value }) => kind === "shown" && value !== "")
  const held = fields.slice(0, 10).map(({ name, value }) => `${name} = ${short(value)}`)
  return [
    `${verb} the ${tag} "${short(label ?? "")}" on ${short(address)}`,
    ...(link === null ? [] : [`which leads to ${short(link.address)}`]),
    ...(form === null ? [] : [`whose form goes to ${short(form.address)} by ${form.method.toUpperCase()}`]),
    ...(held.length === 0 ? [] : [`with ${held.join(", ")}`])
  ].join(", ")
}
