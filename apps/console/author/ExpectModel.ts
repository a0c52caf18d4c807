/** What a step expects, as the lines of a form and as the parameter of a node. */

/** What a line says, each with its words, and with the fields that it needs. */
export const kinds = {
  address: { word: "The address contains", hasSelector: false, hasText: true },
  page: { word: "The page says", hasSelector: false, hasText: true },
  text: { word: "An element says", hasSelector: true, hasText: true },
  value: { word: "A field holds", hasSelector: true, hasText: true },
  visible: { word: "An element is there", hasSelector: true, hasText: false },
  absent: { word: "An element is not there", hasSelector: true, hasText: false },
  request: { word: "The server has accepted", hasSelector: false, hasText: true }
} as const satisfies Readonly<
  Record<string, { readonly word: string; readonly hasSelector: boolean; readonly hasText: boolean }>
>

export type Kind = keyof typeof kinds

/** One line of the form. The text of a request is a part of its address. */
export interface Line {
  readonly kind: Kind
  readonly selector: string
  readonly text: string
}

export const emptyLine: Line = { kind: "page", selector: "", text: "" }

type Json = Readonly<Record<string, unknown>>

const conditionOf = ({ kind, selector, text }: Line): Json => {
  switch (kind) {
    case "address":
      return { type: "address", contains: text }
    case "page":
      return { type: "text", contains: text }
    case "text":
      return { type: "text", selector, contains: text }
    case "value":
      return { type: "value", selector, equals: text }
    case "visible":
      return { type: "element", selector }
    case "absent":
      return { type: "element", selector, state: "absent" }
    case "request":
      return { type: "request", url: text }
  }
}

/** The `expect` of a node that must fulfil all lines; `null` without lines. */
export const expectOf = (lines: ReadonlyArray<Line>): Json | null =>
  lines.length === 0 ? null : { conditions: lines.map(conditionOf) }

/** The lines of an `expect`; `null` for one that says more than lines can. */
export const linesOf = (expect: unknown): ReadonlyArray<Line> | null => {
  if (expect === undefined || expect === null) return []
  const { conditions } = expect as { readonly conditions?: unknown }
  const lines = (Array.isArray(conditions) ? conditions : []).map(lineOf)
  const isSame = JSON.stringify(expect) === JSON.stringify(expectOf(lines))
  return isSame ? lines : null
}

const lineOf = (condition: unknown): Line => {
  const given = condition as Readonly<Record<string, string | undefined>>
  const { contains, equals, selector = "", state, type, url } = given
  const kind: Kind =
    type === "element"
      ? state === "absent"
        ? "absent"
        : "visible"
      : type === "text" && selector === ""
        ? "page"
        : type !== undefined && type in kinds
          ? (type as Kind)
          : "page"
  return { kind, selector, text: contains ?? equals ?? url ?? "" }
}

/** What is missing in a line; `null` where it is whole. */
export const missingIn = ({ kind, selector, text }: Line): "selector" | "text" | null => {
  const { hasSelector, hasText } = kinds[kind]
  if (hasSelector && selector.trim() === "") return "selector"
  return hasText && text.trim() === "" ? "text" : null
}

/** The message of a conversation that sets what a step expects. */
export const expecting = (step: string, expect: Json | null): string =>
  `expect ${step} = ${expect === null ? "none" : JSON.stringify(expect)}`

/** What a step expects, as the object of a sentence; `null` where it is more than lines can say. */
export const sentenceOf = (expect: unknown): string | null => {
  const lines = linesOf(expect)
  if (lines === null || lines.length === 0) return null
  return lines
    .map(({ kind, selector, text }) => {
      if (kind === "address") return `that it leads to ${text}`
      return selector === ""
        ? `that the page says “${text}”`
        : text === ""
          ? `at least one ${selector}`
          : `“${text}” in ${selector}`
    })
    .join(" and ")
}

/** What a step expects, in a few words. */
export const wordsOf = (expect: unknown): string => {
  const { conditions } = (expect ?? {}) as { readonly conditions?: unknown }
  const count = Array.isArray(conditions) ? conditions.length : 0
  return count === 0 ? "" : count === 1 ? "1 expectation" : `${count} expectations`
}
