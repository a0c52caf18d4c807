/** The elements of a page that are most like what a step no longer finds. */
import type { Node } from "./Column.ts"
import type { PageTarget } from "./Conversation.ts"
import { pointOf } from "./StepModel.ts"

/** How many elements are offered. */
const most = 3

/** What is done with the element of an action; any element suits the others. */
const kinds: Readonly<Record<string, PageTarget["kind"]>> = {
  CLICK: "press",
  INPUT_TEXT: "type",
  TFA: "type",
  INPUT_SELECT: "choose"
}

/** The texts that a selector names an element by. */
const literalsIn = (selector: string): ReadonlyArray<string> =>
  [...selector.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, one, other]) => (one ?? other ?? "").toLowerCase())

const pairsOf = (text: string): ReadonlySet<string> => {
  const plain = text.toLowerCase().replace(/\s+/g, " ")
  return new Set(Array.from({ length: Math.max(plain.length - 1, 0) }, (_, at) => plain.slice(at, at + 2)))
}

/** How alike two texts are, from 0 to 1: the share of pairs of letters that both have. */
const alike = (one: string, other: string): number => {
  const [pairs, others] = [pairsOf(one), pairsOf(other)]
  const both = [...pairs].filter((pair) => others.has(pair)).length
  return pairs.size + others.size === 0 ? 0 : (2 * both) / (pairs.size + others.size)
}

/** The tags on the way to an element, as far as a selector says them. */
const tagsIn = (selector: string): ReadonlyArray<string> =>
  selector
    .replace(/\[[^[\]]*\]/g, "")
    .split("/")
    .filter((tag) => /^[a-z][\w-]*$/i.test(tag))

/** How many of the last tags of two ways are the same, up to 2. */
const sameTags = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  const [last, before] = [one.at(-1), one.at(-2)]
  if (last === undefined || last !== other.at(-1)) return 0
  return before !== undefined && before === other.at(-2) ? 2 : 1
}

/** How much an element is like what a step finds: by its texts first, then by its tags. */
const likeness = (node: Node, selector: string, target: PageTarget): number => {
  const texts = [...literalsIn(selector), node.name]
  const own = [target.name, ...target.selectors.flatMap((way) => literalsIn(way.selector))]
  const byText = Math.max(0, ...texts.flatMap((text) => own.map((one) => alike(text, one))))
  const tags = tagsIn(selector)
  const byTags = Math.max(0, ...target.selectors.map((way) => sameTags(tags, tagsIn(way.selector))))
  return byText + byTags / 4
}

/** The elements that a step most likely means, the likeliest first; none for a step that finds nothing. */
export const nearest = (node: Node, elements: ReadonlyArray<PageTarget>): ReadonlyArray<PageTarget> => {
  const selector = pointOf(node)?.selector
  if (selector === undefined) return []
  const kind = kinds[node.action]
  return elements
    .filter((target) => kind === undefined || target.kind === kind)
    .map((target) => ({ target, like: likeness(node, selector, target) }))
    .toSorted((one, other) => other.like - one.like)
    .slice(0, most)
    .map(({ target }) => target)
}
