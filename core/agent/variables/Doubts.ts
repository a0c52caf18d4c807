/** The warnings about values that were read with a doubt. */
import type { Doubt } from "../../browser/element/ReadValue.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Warning } from "../Warning.ts"

/** One warning for each field and kind of doubt, by its first text. */
export const warningsOf = (doubts: ReadonlyArray<Doubt>, secrets: Secrets): ReadonlyArray<Warning> => {
  const alike = new Map<string, { readonly first: Doubt; count: number }>()
  for (const doubt of doubts) {
    const key = `${doubt.kind} ${doubt.value === null} ${doubt.field}`
    const known = alike.get(key)
    if (known === undefined) alike.set(key, { first: doubt, count: 1 })
    else known.count++
  }
  return [...alike.values()].map(({ count, first: { field, kind, reason, text, value } }) => {
    const read = value === null ? (kind === "figure" ? "no number" : "no value") : String(value)
    // A reason can repeat a part of the text, which must not be a part of a secret.
    const why = secrets.hide(text) === text ? reason : "it holds a secret"
    const more = count === 1 ? "" : ` (and ${count - 1} more)`
    const sentence = `Read ${read} for ${field} from "${secrets.hideWithin(text, maxShown)}": ${why}${more}`
    return { code: kind === "figure" ? "FIGURE-W0001" : "VALUE-W0001", sentence, value: text }
  })
}

/** Maximum length of a text in a warning, in characters. */
const maxShown = 100
