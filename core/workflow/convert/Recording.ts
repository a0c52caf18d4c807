/**
 * What a person did on pages, in the form that recordings, scripts and workflows of other programs share with the
 * recorder of the console. A format reads a file into it; `Assembly` makes a workflow of it.
 */
import type { Schema } from "effect"

/** The formats that are recognised by their content. */
export const formats = [
  "chrome-recorder",
  "selenium-ide",
  "playwright",
  "puppeteer",
  "ui-vision",
  "skyvern",
  "automa",
  "n8n"
] as const
export type Format = (typeof formats)[number]

export const outcomes = ["kept", "translated", "not_translated"] as const

/** A text with expressions in it. Its literal parts stand for themselves, braces included. */
export type Text = ReadonlyArray<string | { readonly expression: string }>

export const literal = (text: string): Text => [text]

/** The literal text; `null` for one with expressions. */
export const literalOf = (text: Text): string | null =>
  text.every((part) => typeof part === "string") ? text.join("") : null

/** The expression of an opening brace. */
const brace = '{{"{"}}'

/** The text as a template of a node. */
export const written = (text: Text): string =>
  text
    .map((part) => (typeof part === "string" ? part.replaceAll("{{", brace + brace) : `{{${part.expression}}}`))
    .join("")

/** Changes a template, such as to put it in quotation marks, but not the quotation marks in expressions of braces. */
export const aroundBraces = (template: string, change: (part: string) => string): string =>
  template.split(brace).map(change).join(brace)

/** A template for people: braces as they are. */
export const shown = (template: string): string => template.replaceAll(brace, "{")

/** An element, by the selectors that the file offers for it. */
export interface Element {
  /** In the language of workflows, the most durable first; at least one. */
  readonly selectors: readonly [string, ...ReadonlyArray<string>]
  /** What a person calls it; empty if the file does not tell. */
  readonly name: string
}

export type ClickType =
  | "click"
  | "double_click"
  | "triple_click"
  | "right_click"
  | "middle_click"
  | "hover"
  | "press"
  | "release"

/** What decides about a branch or a loop: a comparison, or a model. */
export type Condition = Comparison | Judgement

/** A question that a model answers. */
export interface Judgement {
  readonly execution: "LLM_VISION" | "PROMPT"
  readonly prompt: string
  readonly error_on_false_message?: string
}

/** A comparison of two values, which are templates. */
export interface Comparison {
  readonly comparison_operator:
    | "EQUAL"
    | "NOT_EQUAL"
    | "CONTAINS"
    | "NOT_CONTAINS"
    | "STARTS_WITH"
    | "ENDS_WITH"
    | "IS_NULL"
    | "IS_NOT_NULL"
  readonly comparison_value_1: string
  readonly comparison_value_2?: string
  readonly wait_time?: number
  /** The condition must hold: the run fails otherwise. */
  readonly error_on_false_message?: string
}

/** Something that a person does, or that a page must show. */
export type PageAct =
  | { readonly _tag: "Open"; readonly url: Text }
  | { readonly _tag: "Back" }
  | {
      readonly _tag: "Click"
      readonly element: Element
      readonly type: ClickType
      readonly more?: Schema.JsonObject
    }
  | {
      readonly _tag: "Type"
      /** `null`: where the focus is. */
      readonly element: Element | null
      readonly text: Text
      readonly more?: Schema.JsonObject
    }
  /** Keys in the notation of texts, such as `Shift+Tab`. */
  | { readonly _tag: "Press"; readonly element: Element | null; readonly keys: ReadonlyArray<string> }
  | {
      readonly _tag: "Choose"
      readonly element: Element
      readonly value: Text
      readonly more?: Schema.JsonObject
    }
  /** Any other action of the language. */
  | { readonly _tag: "Do"; readonly action: string; readonly name: string; readonly parameters: Schema.JsonObject }

export type Act =
  | PageAct
  /** Keeps a text, or the value of an expression, under a name. */
  | { readonly _tag: "Set"; readonly name: string; readonly value: Text | { readonly computed: string } }
  /** What must be true after the act before. */
  | { readonly _tag: "Expect"; readonly conditions: ReadonlyArray<Schema.JsonObject>; readonly wait?: number }
  /** Blocks. Each of `If`, `While`, `Each` and `Do` ends at its `End`, or `Until` for `Turn`. */
  | { readonly _tag: "If"; readonly condition: Condition }
  | { readonly _tag: "Else" }
  | { readonly _tag: "While"; readonly condition: Condition }
  | { readonly _tag: "Each"; readonly over: Schema.Json; readonly item: string; readonly index: string }
  /** A block that is done once, and again while the condition of its `Until` holds. */
  | { readonly _tag: "Turn" }
  | { readonly _tag: "Until"; readonly condition: Condition }
  | { readonly _tag: "End" }
  /** A block that cannot be translated, with all that is in it. */
  | { readonly _tag: "Skip" }

/** One step of the file. */
export interface Step {
  /** Its path in the file, such as `steps[3]`, or its number in a script. */
  readonly step: string
  /** Counted from 1; `null` where the file has no lines. */
  readonly line: number | null
  /** What the file calls it. */
  readonly kind: string
  /** Its acts, in order. A step that only belongs to another one has none. */
  readonly acts: ReadonlyArray<Act>
  /** What changes by the translation. */
  readonly changes: ReadonlyArray<string>
  /** Why it is not translated, and what to do instead; `null` if it is. */
  readonly lost: string | null
}

/** Where a step stands in its file, and what the file calls it. */
export type Where = Pick<Step, "step" | "line" | "kind">

/** A file that was read. */
export interface Recording {
  readonly format: Format
  readonly name: string
  readonly description: string | null
  readonly steps: ReadonlyArray<Step>
  /** The steps in the order in which they are done, where some are done several times or never; each once in order otherwise. */
  readonly order?: ReadonlyArray<number>
  /** The address of the site, for a file that does not open a page first. */
  readonly site?: string
  /** Credentials that the file names. */
  readonly credentials?: ReadonlyArray<{
    readonly alias: string
    readonly domain: string
    readonly fields: ReadonlyArray<string>
  }>
  /** Values that the file reads and does not set. */
  readonly reads?: ReadonlyArray<{ readonly name: string; readonly reason: string; readonly example?: string }>
}

/** A step without acts, as another one includes it or nothing needs to be done. */
export const step = (where: Where, acts: ReadonlyArray<Act>, changes: ReadonlyArray<string> = []): Step => ({
  ...where,
  acts,
  changes,
  lost: null
})

export const lost = (where: Where, reason: string, acts: ReadonlyArray<Act> = []): Step => ({
  ...where,
  acts,
  changes: [],
  lost: reason
})

/** Whether a value goes into a field for files. Browsers show the path of a chosen file as one of their own. */
export const isFile = (selectors: ReadonlyArray<string>, value: string): boolean =>
  /type=["']?file/.test(selectors.join(" ")) || /^[a-z]:\\fakepath\\/i.test(value)

/** What a report says of several files for one field, or none. */
export const notOneFile = "A FILE_UPLOAD puts one file into a field: add one with its address"

/** The step of a file that says what a dialog is answered, which runs accept at once. */
export const answered = (where: Where, answer: { readonly accepts: boolean; readonly text: boolean }): Step => {
  if (answer.accepts && answer.text) {
    return lost(where, "Runs accept a prompt with its default text: the page must offer another way to answer")
  }
  const dismissed = ", and here it is dismissed: the page must offer another way to cancel"
  return step(where, [], [`Runs accept each dialog by themselves${answer.accepts ? "" : dismissed}`])
}

/** Fails where a condition does not hold, for what a step cannot expect. */
export const requires = (condition: Condition, message: string): ReadonlyArray<Act> => [
  { _tag: "If", condition: { ...condition, error_on_false_message: message } },
  { _tag: "End" }
]

/** The value of an expression, which must hold. */
export const holds = (expression: string): Comparison => ({
  comparison_operator: "EQUAL",
  comparison_value_1: `{{${expression}}}`,
  comparison_value_2: "true"
})

/** Maximum number of steps of a file. */
export const mostSteps = 5_000

/** A file that cannot be read: where, and what was expected. */
export interface Unreadable {
  /** Below the content, such as `steps[3].url`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}
