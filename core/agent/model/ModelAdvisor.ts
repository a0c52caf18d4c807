/**
 * The advisor of recovery that asks a language model which of several elements a lost selector meant.
 */
import { Effect } from "effect"
import type { Appearance, Trait } from "../../browser/element/Appearance.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { ElementAdvisor } from "../recovery/Advisor.ts"
import * as ElementChoice from "./ElementChoice.ts"
import * as ModelRequest from "./ModelRequest.ts"

/**
 * Asks the model within the budget of the run. Gives no advice if no model is configured or its answer is unusable: the
 * step then fails with its first failure.
 */
export const make = (secrets: Secrets): ElementAdvisor => ({
  choose: Effect.fnUntraced(function* ({ candidates, node, wanted }) {
    if (!(yield* ModelRequest.isConfigured)) return null
    const named = candidates.map((appearance, index) => ({ ref: `c${index + 1}`, description: describe(appearance) }))
    const located = yield* Effect.result(
      ElementChoice.locate({ node, description: describe(wanted), candidates: named, secrets })
    )
    if (located._tag === "Failure") {
      yield* Effect.logDebug(`The model could not identify a lost element: ${secrets.hide(located.failure.sentence)}`)
      return null
    }
    const choice = named.findIndex(({ ref }) => ref === located.success)
    const chosen = named[choice]
    if (chosen === undefined) return null
    const said = chosen.description === "" ? "candidate" : chosen.description
    return { choice, reason: `The model took this element for the one that the step means: ${said}` }
  })
})

const words: ReadonlyArray<readonly [trait: Trait, name: string]> = [
  ["role", "role"],
  ["text", "text"],
  ["label", "label"],
  ["ariaLabel", "aria-label"],
  ["placeholder", "placeholder"],
  ["title", "title"],
  ["alt", "alt"],
  ["testId", "test id"],
  ["id", "id"],
  ["name", "name"],
  ["type", "type"],
  ["hrefPath", "leads to"],
  ["signIn", "signs in by"],
  ["section", "in"],
  ["before", "after"],
  ["after", "before"]
]

/** An element in one line. */
const describe = (appearance: Appearance): string =>
  [
    ...(appearance.tag === "" ? [] : [`<${appearance.tag}>`]),
    ...words.flatMap(([trait, name]) => {
      const value = appearance[trait]
      return value === null ? [] : [`${name} ${JSON.stringify(value)}`]
    }),
    ...(appearance.path === "" ? [] : [`at ${appearance.path}`])
  ].join(", ")
