/**
 * The sizes of answers. A token is taken for three characters, which is fewer than it has in JSON and English.
 */

const charactersOfToken = 3

/** How many tokens a text takes at most. */
export const tokensOf = (text: string): number => Math.ceil(text.length / charactersOfToken)

/** The most characters of an answer of so many tokens. */
export const charactersOf = (tokens: number): number => tokens * charactersOfToken

/** The most tokens of the JSON of an answer. */
export const mostTokens = 8_000

/** Cuts a text. What is left out is counted at its end. */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const kept = Math.max(0, most - 40)
  // Half of a pair would not be text.
  const end = /[\ud800-\udbff]/.test(text.charAt(kept - 1)) ? kept - 1 : kept
  return `${text.slice(0, end)}… (${text.length - end} more characters)`
}

/** The members of lists and the lengths of texts, from generous to small. */
const steps: ReadonlyArray<{ readonly text: number; readonly items: number }> = [
  { text: 8_000, items: 1_000 },
  { text: 2_000, items: 200 },
  { text: 500, items: 50 },
  { text: 200, items: 20 },
  { text: 80, items: 5 },
  { text: 20, items: 1 }
]

const shortened = (value: unknown, most: { readonly text: number; readonly items: number }): unknown => {
  if (typeof value === "string") return cut(value, most.text)
  if (Array.isArray(value)) {
    const kept = value.slice(0, most.items).map((one) => shortened(one, most))
    return value.length > most.items ? [...kept, `… ${value.length - most.items} more`] : kept
  }
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value)
  const kept = entries.slice(0, most.items).map(([name, one]) => [cut(name, 200), shortened(one, most)] as const)
  return Object.fromEntries(
    entries.length > most.items ? [...kept, ["…", `${entries.length - most.items} more`]] : kept
  )
}

/**
 * The value within the bound of an answer: as it is if it fits, and else with its longest texts and lists cut, and
 * `truncated` beside them.
 */
export const bounded = (data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const most = charactersOf(mostTokens)
  if (JSON.stringify(data).length <= most) return data
  for (const step of steps) {
    // An object stays one.
    const cutDown = { ...(shortened(data, step) as Readonly<Record<string, unknown>>), truncated: true }
    if (JSON.stringify(cutDown).length <= most) return cutDown
  }
  return { truncated: true }
}
