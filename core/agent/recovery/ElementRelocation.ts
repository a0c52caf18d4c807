/**
 * Finds an element that its selector no longer matches by its former appearance, or by the properties in the selector.
 * It is taken only if it can be distinguished from all others; if not, a configured model is asked.
 */
import { Effect } from "effect"
import { redirected } from "../../browser/Elements.ts"
import { cleanOf, scrubbed } from "../../browser/element/Appearance.ts"
import * as Likeness from "../../browser/element/Likeness.ts"
import type { Account } from "../../vault/Account.ts"
import * as SecretSites from "../../vault/site/SecretSites.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import * as KeyTokens from "../../workflow/language/parameters/KeyTokens.ts"
import type { Offer } from "../../workflow/patch/Patch.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import { Advisor } from "./Advisor.ts"
import type { FailedStep, RecoveryContext, RecoveryStrategy, Remedy } from "./RecoveryStrategy.ts"
import * as SelectorHints from "./SelectorHints.ts"

/** Maximum number of candidates for a model. */
const mostShown = 25

export const elementRelocation: RecoveryStrategy = Effect.fnUntraced(function* (
  trouble,
  { remembered, secrets, settings }
) {
  const { failure, memory, node, page, tried } = trouble
  const { selector } = failure
  if (!settings.selectors || tried > 0 || failure.code !== "SELECTOR-E0001" || selector === undefined) return null
  const wanted = (yield* remembered(node)) ?? SelectorHints.of(selector)
  const found = yield* Effect.result(page.observation.candidates(wanted))
  if (found._tag === "Failure") return null
  const address = yield* page.navigation.address
  const text = node.action === "INPUT_TEXT" ? KeyTokens.without(node.parameters.text ?? "") : ""
  const used = yield* Effect.orElseSucceed(SecretUse.usedBy(text, memory), () => null)
  if (used === null) return null
  const candidates = found.success.filter(({ frame }) => frame === null || isHome(node, used, address, frame))
  const ranked = Likeness.ranked(wanted, candidates).filter(({ appearance }) => Likeness.isSameKind(wanted, appearance))
  let chosen: Likeness.Candidate | null = Likeness.theOne(wanted, candidates)
  let byModel: string | null = null
  if (chosen === null && ranked.length > 0) {
    const shown = ranked.slice(0, mostShown)
    const advisor = yield* Advisor
    const advice = yield* advisor.choose({
      node,
      wanted,
      candidates: shown.map(({ appearance }) => scrubbed(appearance, secrets, {}))
    })
    chosen = advice === null ? null : (shown[advice.choice] ?? null)
    byModel = advice?.reason ?? null
  }
  if (chosen === null) return null
  const offer = cleanOf(secrets, memory.inputs)(chosen.selector) ? offerFor(node, selector, chosen.selector) : null
  return {
    _tag: "Again",
    remedy: `Used ${secrets.hide(chosen.selector)} in place of ${secrets.hide(selector)}`,
    page: { ...page, elements: redirected(page.elements, selector, chosen.selector) },
    ...(byModel === null ? {} : { byModel: secrets.hide(byModel) }),
    ...(offer === null ? {} : { offer })
  } satisfies Remedy
})

/** How many similar elements a failure names. */
const mostNamed = 3

/**
 * The elements most similar to the one that a step did not find, for its failure: each by a selector that leads to it alone.
 * Empty where none is similar, or the page cannot be looked at.
 */
export const similarTo = Effect.fnUntraced(function* (
  { failure, memory, node, page }: Pick<FailedStep, "failure" | "memory" | "node" | "page">,
  { remembered, secrets }: Pick<RecoveryContext, "remembered" | "secrets">
) {
  const { selector } = failure
  if (failure.code !== "SELECTOR-E0001" || selector === undefined) return ""
  const wanted = (yield* remembered(node)) ?? SelectorHints.of(selector)
  const found = yield* Effect.result(page.observation.candidates(wanted))
  if (found._tag === "Failure") return ""
  const isClean = cleanOf(secrets, memory.inputs)
  const named = Likeness.ranked(wanted, found.success)
    .filter(({ likeness, selector }) => likeness > 0 && isClean(selector))
    .slice(0, mostNamed)
    .map(({ appearance, selector }) => {
      const name = appearance.label ?? appearance.ariaLabel ?? appearance.text ?? appearance.placeholder
      return name === null ? selector : `${selector} (${secrets.hideWithin(name.replace(/\s+/g, " "), 40)})`
    })
  return named.length === 0 ? "" : `. Similar elements: ${named.join(", ")}`
})

/** Whether what a node types may be typed in a frame: secrets on their own site alone, one-time codes on that of the page. */
const isHome = (node: Node, used: ReadonlyArray<Account>, address: string, frame: string): boolean => {
  if (node.action === "TFA") return originOf(frame) === originOf(address)
  return used.every(({ entry }) => SecretSites.permits(entry, frame))
}

const originOf = (address: string): string => URL.parse(address)?.origin ?? "null"

/** A selector that was written with expressions means another element each time: no fixed one can take its place. */
const offerFor = (node: Node, before: string, after: string): Offer | null => {
  const parameter = Object.entries(node.parameters).find(([, value]) => value === before)?.[0]
  if (parameter === undefined) return null
  const reason = `The selector no longer matched an element; ${after} matches the most similar one`
  return { kind: "selector", nodeId: node.id, nodeName: node.name, parameter, before, after, reason }
}
