/**
 * Judges what was expected of a step by what was found: pure functions of a condition whose expressions are evaluated,
 * and of one look at the page.
 */
import type { Exchange } from "../browser/Exchange.ts"
import { type ElementState, nothing } from "../browser/element/ElementState.ts"
import * as SafePattern from "../workflow/language/expression/SafePattern.ts"
import { seen } from "../workflow/language/format/SeenText.ts"
import { testsFor } from "./action/ExtractNetwork.ts"

/** A text of a condition, and how a failure shows it. */
export interface Wanted {
  readonly text: string
  readonly shown: string
}

/** How a text is compared. */
export interface Comparison {
  readonly operator: "contains" | "equals" | "matches"
  readonly wanted: Wanted
}

/** A condition whose expressions are evaluated. */
export type Condition =
  | { readonly type: "address"; readonly comparison: Comparison }
  /** The text of the page where `selector` is `null`. */
  | { readonly type: "text"; readonly selector: string | null; readonly comparison: Comparison }
  | { readonly type: "value"; readonly selector: string; readonly comparison: Comparison }
  | {
      readonly type: "element"
      readonly selector: string
      readonly visible: boolean
      readonly least: number
      readonly most: number
    }
  | {
      readonly type: "request"
      readonly url: Wanted
      readonly method: string | null
      /** A status, or a class of them such as `2xx`; `null` for any below 400. */
      readonly status: number | string | null
    }
  | {
      readonly type: "file"
      readonly name: Wanted | null
      readonly mediaType: Wanted | null
      readonly bytes: number
    }
  /** A comparison of variables, which does not change any more. */
  | { readonly type: "variable"; readonly holds: boolean; readonly expected: string; readonly found: string }

/** A file that the step has kept. */
export interface KeptFile {
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: number
}

/** One look at what there is. */
export interface Facts {
  readonly address: string
  /** The states of the selectors, and of the page by `page`. */
  readonly states: ReadonlyMap<string, ElementState>
  /** The answers to requests that were made since the step began. */
  readonly requests: ReadonlyArray<Pick<Exchange, "method" | "url" | "status">>
  readonly files: ReadonlyArray<KeptFile>
}

/** How found texts are shown: cut, and without secrets. */
export interface Showing {
  readonly text: (text: string) => string
  readonly url: (url: string) => string
}

/** The selector of the page itself. */
export const page = "//body"

/** The judgement of one condition. */
export interface Verdict {
  readonly holds: boolean
  /** What was expected, such as `the address contains "/orders"`. */
  readonly expected: string
  readonly found: string
  /** It stays as it is: waiting changes nothing. */
  readonly isFinal: boolean
  /** It may hold because the page has not done anything yet, as that something is absent. */
  readonly precedes: boolean
  /** Whether a pop-up may be why it does not hold: not where something is there that must not be. */
  readonly mayBeHidden: boolean
}

/** The judgement of all of them. */
export interface Judgement {
  readonly holds: boolean
  readonly isFinal: boolean
  readonly precedes: boolean
  /** The conditions that do not hold. */
  readonly missed: ReadonlyArray<Verdict>
}

/** Judges conditions, of which all must hold, or any one. */
export const judge = (
  conditions: ReadonlyArray<Condition>,
  match: "all" | "any",
  facts: Facts,
  showing: Showing
): Judgement => {
  const verdicts = conditions.map((condition) => verdictOf(condition, facts, showing))
  const missed = verdicts.filter(({ holds }) => !holds)
  const held = verdicts.filter(({ holds }) => holds)
  return match === "any"
    ? {
        holds: held.length > 0,
        isFinal: missed.every(({ isFinal }) => isFinal),
        precedes: held.every(({ precedes }) => precedes),
        missed
      }
    : {
        holds: missed.length === 0,
        isFinal: missed.some(({ isFinal }) => isFinal),
        precedes: held.some(({ precedes }) => precedes),
        missed
      }
}

const verdictOf = (condition: Condition, facts: Facts, showing: Showing): Verdict => {
  const lasting = { isFinal: false, precedes: false, mayBeHidden: true }
  switch (condition.type) {
    case "address": {
      const { comparison } = condition
      const { address } = facts
      return {
        ...lasting,
        holds: compares(comparison, address, (text) => text),
        expected: said("the address", comparison),
        found: showing.url(address)
      }
    }
    case "text": {
      const { comparison, selector } = condition
      const { otherTexts, text } = facts.states.get(selector ?? page) ?? nothing
      const texts = text === null ? [] : [text, ...otherTexts]
      const holds = (one: string) => compares(comparison, one, seen)
      return {
        ...lasting,
        // A text may be in any of them. That there is none holds only where all have none.
        holds: texts.length > 0 && (holds("") ? texts.every(holds) : texts.some(holds)),
        expected: said(selector === null ? "the text of the page" : `the text of ${selector}`, comparison),
        found: textsFound(texts, showing)
      }
    }
    case "value": {
      const { comparison, selector } = condition
      const { isSecret, matched, values } = facts.states.get(selector) ?? nothing
      const [shown] = values
      return {
        ...lasting,
        holds: values.some((value) => compares(comparison, value, seen) || isSameNumber(comparison, value)),
        expected: said(`the value of ${selector}`, comparison),
        found:
          shown === undefined
            ? matched === 0
              ? "no such element"
              : "an element that is no field"
            : isSecret
              ? "another text, which the field hides"
              : showing.text(shown)
      }
    }
    case "element": {
      const { least, most, selector, visible } = condition
      const state = facts.states.get(selector) ?? nothing
      const count = visible ? state.visible : state.matched
      const hidden = visible ? state.matched - state.visible : 0
      return {
        holds: count >= least && count <= most,
        expected: `${numbered(least, most)} of ${selector}${visible ? ", visible" : ""}`,
        found: `${count}${hidden > 0 ? ` (and ${hidden} that cannot be seen)` : ""}`,
        isFinal: false,
        precedes: most !== Number.POSITIVE_INFINITY,
        mayBeHidden: count < least
      }
    }
    case "request":
      return { ...lasting, ...ofRequests(condition, facts.requests, showing) }
    case "file":
      return { isFinal: true, precedes: false, mayBeHidden: false, ...ofFiles(condition, facts.files, showing) }
    case "variable":
      return { isFinal: true, precedes: false, mayBeHidden: true, ...condition }
  }
}

const mostNamed = 3

const textsFound = (texts: ReadonlyArray<string>, showing: Showing): string => {
  const named = texts.slice(0, mostNamed).map(showing.text).join(", ")
  return texts.length === 0
    ? "no such element"
    : texts.length > mostNamed
      ? `${named} and ${texts.length - mostNamed} more`
      : named
}

const ofRequests = (
  { method, status, url }: Extract<Condition, { readonly type: "request" }>,
  requests: Facts["requests"],
  showing: Showing
) => {
  const tests = testsFor(url.text)
  const same = requests.filter(
    (request) => (method === null || request.method.toUpperCase() === method) && tests.some((test) => test(request))
  )
  const answered =
    status === null ? "any status below 400" : typeof status === "number" ? `status ${status}` : `a status ${status}`
  const found = same.map((pick) => `${pick.method} ${showing.url(pick.url)} with status ${pick.status}`)
  return {
    holds: same.some((pick) => isStatus(pick.status, status)),
    expected: `a request ${method === null ? "" : `${method} `}${url.shown} with ${answered}`,
    found: found.slice(-3).join(" and ") || "no such request"
  }
}

const isStatus = (status: number | null, wanted: number | string | null): boolean => {
  if (status === null) return false
  if (wanted === null) return status < 400
  return typeof wanted === "number" ? status === wanted : `${Math.floor(status / 100)}xx` === wanted
}

const ofFiles = (
  { bytes, mediaType, name }: Extract<Condition, { readonly type: "file" }>,
  files: Facts["files"],
  showing: Showing
) => {
  const wanted = [
    ...(name === null ? [] : [`named ${name.shown}`]),
    ...(mediaType === null ? [] : [`of the type ${mediaType.shown}`]),
    `of at least ${bytes} bytes`
  ]
  const found = files.map((file) => `${showing.text(file.fileName)} (${file.mediaType}, ${file.bytes} bytes)`)
  return {
    holds: files.some(
      (file) =>
        file.bytes >= bytes &&
        (name === null || isNamed(file.fileName, name.text)) &&
        (mediaType === null || file.mediaType.toLowerCase() === mediaType.text.trim().toLowerCase())
    ),
    expected: `a file ${wanted.join(", ")}`,
    found: found.slice(0, 3).join(" and ") || "no file"
  }
}

/** Whether a name is that of a pattern, in which `*` stands for any characters. Upper and lower case are the same. */
export const isNamed = (name: string, pattern: string): boolean => {
  const [first = "", ...parts] = pattern.toLowerCase().split("*")
  const text = name.toLowerCase()
  const last = parts.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

const compares = ({ operator, wanted }: Comparison, text: string, form: (text: string) => string): boolean => {
  switch (operator) {
    case "contains":
      return form(text).includes(form(wanted.text))
    case "equals":
      return form(text) === form(wanted.text)
    case "matches":
      return SafePattern.compile(wanted.text, "").test(form(text))
  }
}

const plainNumber = /^[-+]?\d{1,15}(\.\d{1,15})?$/

/** Whether a field holds the expected number in another form, such as `12.50` for `12.5`. */
const isSameNumber = ({ operator, wanted }: Comparison, value: string): boolean => {
  const [one, other] = [seen(value), seen(wanted.text)]
  return operator === "equals" && plainNumber.test(one) && plainNumber.test(other) && Number(one) === Number(other)
}

const said = (subject: string, { operator, wanted }: Comparison): string => `${subject} ${operator} ${wanted.shown}`

const numbered = (least: number, most: number): string => {
  if (most === 0) return "none"
  if (least === most) return `exactly ${least}`
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`
  return least === 0 ? `at most ${most}` : `${least} to ${most}`
}

/** The selectors of what does not hold, where a pop-up may hide all of it; `null` otherwise. */
export const hiddenOf = (
  conditions: ReadonlyArray<Condition>,
  { missed }: Pick<Judgement, "missed">
): ReadonlyArray<string> | null =>
  missed.every(({ mayBeHidden }) => mayBeHidden)
    ? conditions.flatMap((condition) =>
        "selector" in condition && condition.selector !== null ? [condition.selector] : []
      )
    : null

/** What was expected and what was found, in one sentence. */
export const sentenceOf = (
  { missed }: Pick<Judgement, "missed">,
  match: "all" | "any",
  waitedMillis: number | null
): string => {
  const time = waitedMillis === null ? "" : ` within ${waitedMillis} ms`
  const list = missed.map(({ expected, found }) => `${expected}; found ${found}`)
  if (match === "any" && list.length > 1) return `Expected${time} that one of these holds: ${list.join(". Or: ")}`
  return `Expected${time}: ${list.join(". Expected too: ")}`
}
