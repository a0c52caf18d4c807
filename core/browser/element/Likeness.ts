/**
 * Finds the element of a page that a step means, if it can be identified.
 *
 * Each known trait of the wanted element that the candidate shares counts with its weight. A candidate is accepted only
 * when it is similar enough, when no other comes close, and when at least one trait that names an element agrees: being
 * a button in the same place is not enough.
 */
import type { Appearance, Trait } from "./Appearance.ts"

/** An element of the page that may be the wanted one, and a selector that leads to it alone. */
export interface Candidate {
  readonly selector: string
  readonly appearance: Appearance
  /** The address of its frame; `null` in the document itself. */
  readonly frame: string | null
}

export interface ScoredCandidate extends Candidate {
  /** From 0 to 1. */
  readonly likeness: number
  /** Whether a trait that names an element agrees. */
  readonly isNamed: boolean
}

/** The weight of each trait as evidence of identity. */
const weights: Readonly<Record<Trait, number>> = {
  testId: 5,
  id: 4,
  name: 4,
  ariaLabel: 4,
  label: 4,
  text: 5,
  placeholder: 3,
  hrefPath: 3,
  signIn: 4,
  alt: 3,
  title: 2,
  type: 1.5,
  role: 1.5,
  section: 3,
  before: 1,
  after: 1
}

const pathWeight = 1.5
const tagWeight = 1

/** The traits that identify an element, as opposed to its kind or position. */
const naming: ReadonlySet<Trait> = new Set([
  "testId",
  "id",
  "name",
  "ariaLabel",
  "label",
  "text",
  "placeholder",
  "hrefPath",
  "signIn",
  "alt"
])

/** A naming trait agrees from this likeness on. */
const agrees = 0.85

/** The minimum likeness of the names of two links for their addresses to count as a naming trait. */
const akin = 0.8

/** The minimum likeness of a match, and its minimum lead over the next candidate. */
export const enough = 0.55
export const ahead = 0.12

/** Minimum number of known traits of the wanted element: with fewer, elements cannot be distinguished. */
const leastKnown = 4

// All keys of a constant record, which the type of `Object.keys` does not say.
const traits = Object.keys(weights) as ReadonlyArray<Trait>

/** The candidates with their likeness to the wanted element, highest first. */
export const ranked = (wanted: Appearance, candidates: ReadonlyArray<Candidate>): ReadonlyArray<ScoredCandidate> =>
  candidates
    .map((candidate) => ({ ...candidate, ...compare(wanted, candidate.appearance) }))
    .sort((a, b) => b.likeness - a.likeness || Number(a.frame !== null) - Number(b.frame !== null))

/**
 * The candidate that is the wanted element; `null` when no candidate, or more than one, is similar enough. Among equals,
 * one in the document itself precedes those in frames, as it does for selectors.
 */
export const theOne = (wanted: Appearance, candidates: ReadonlyArray<Candidate>): ScoredCandidate | null => {
  if (known(named(wanted)) < leastKnown) return null
  const [best, ...others] = ranked(wanted, candidates)
  const next = others.find(({ frame }) => frame === null || best?.frame !== null)
  if (best === undefined || !best.isNamed || best.likeness < enough) return null
  return next === undefined || best.likeness - next.likeness >= ahead ? best : null
}

const known = (wanted: Appearance): number =>
  traits.reduce((sum, trait) => sum + (wanted[trait] === null || !naming.has(trait) ? 0 : weights[trait]), 0)

/** The appearance with its title as its name, where the element has no other: a title beside a name is only a hint. */
const named = (one: Appearance): Appearance =>
  one.title !== null && (one.text ?? one.ariaLabel ?? one.label) === null
    ? { ...one, ariaLabel: one.title, title: null }
    : one

const nameOf = ({ ariaLabel, label, text }: Appearance): string | null => text ?? ariaLabel ?? label

/** Whether both elements have a name, and the two are not alike. */
const isContrary = (wanted: Appearance, seen: Appearance): boolean => {
  const [one, other] = [wanted, seen].map(nameOf)
  return one != null && other != null && textLikeness(one, other) < akin
}

/**
 * Whether both elements have a name, and the two begin alike and share half of it. That is too little to identify any
 * element, but enough for the only button of a sign-in form.
 */
const isRelated = (wanted: Appearance, seen: Appearance): boolean => {
  const [one, other] = [wanted, seen].map(nameOf)
  return one != null && other != null && beginsAlike(one, other) && textLikeness(one, other) > 0
}

const compare = (former: Appearance, present: Appearance): Pick<ScoredCandidate, "likeness" | "isNamed"> => {
  if (!isSameKind(former, present)) return { likeness: 0, isNamed: false }
  const [wanted, seen] = [named(former), named(present)]
  let total = 0
  let shared = 0
  let isNamed = false
  const count = (weight: number, likeness: number) => {
    total += weight
    shared += weight * likeness
  }
  for (const trait of traits) {
    const [one, other] = [wanted[trait], seen[trait]]
    if (one === null) continue
    const likeness = other === null ? 0 : textLikeness(one, other)
    count(weights[trait], likeness)
    // Links with other queries, or that only run a script, share the path.
    if (trait === "hrefPath" && isContrary(wanted, seen)) continue
    if (trait === "signIn" && (likeness < 1 || !isRelated(wanted, seen))) continue
    if (naming.has(trait) && likeness >= agrees && other !== null && beginsAlike(one, other)) isNamed = true
  }
  if (wanted.tag !== "") count(tagWeight, wanted.tag === seen.tag ? 1 : 0)
  if (wanted.path !== "") count(pathWeight, pathLikeness(wanted.path, seen.path))
  return { likeness: total === 0 ? 0 : shared / total, isNamed }
}

/** An editable element is never a button, even if all else agrees. */
export const isSameKind = (wanted: Appearance, seen: Appearance): boolean => {
  const [one, other] = [kindOf(wanted), kindOf(seen)]
  return one === null || other === null || one === other
}

type Kind = "text" | "list" | "tick" | "press"

const kindOf = ({ role, tag, type }: Appearance): Kind | null => {
  if (tag === "select" || role === "combobox" || role === "listbox") return "list"
  if (role === "checkbox" || role === "radio" || role === "switch" || type === "checkbox" || type === "radio")
    return "tick"
  if (role === "button" || role === "link" || role === "tab" || role === "menuitem" || tag === "button" || tag === "a")
    return "press"
  if (tag === "input") return type !== null && /^(submit|button|image|reset)$/.test(type) ? "press" : "text"
  return tag === "textarea" || role === "textbox" || role === "searchbox" ? "text" : null
}

/**
 * How much two texts share, by their pairs of letters, from 0 to 1. Below a half it is chance. Texts with other numbers in
 * them are of other things, such as two rows of one list.
 */
export const textLikeness = (one: string, other: string): number => {
  const [a, b] = [plain(one), plain(other)]
  if (a === b) return 1
  if (numbersIn(a) !== numbersIn(b)) return 0
  const [pairs, others] = [pairsOf(a), pairsOf(b)]
  if (pairs.length + others.length === 0) return 0
  const left = new Map<string, number>()
  for (const pair of others) left.set(pair, (left.get(pair) ?? 0) + 1)
  let both = 0
  for (const pair of pairs) {
    const count = left.get(pair) ?? 0
    if (count > 0) {
      both++
      left.set(pair, count - 1)
    }
  }
  const likeness = (2 * both) / (pairs.length + others.length)
  return likeness < 0.5 ? 0 : likeness
}

const numbersIn = (text: string): string => (text.match(/\d+/g) ?? []).join(" ")

/** The word before a word often negates it. */
const beginsAlike = (one: string, other: string): boolean => plain(one).charAt(0) === plain(other).charAt(0)

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim()
    .slice(0, 200)

const pairsOf = (text: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2))

/** The share of their paths that two elements have in common, from the element up and from the document down. */
const pathLikeness = (one: string, other: string): number => {
  const [a, b] = [one.split(">"), other.split(">")]
  const length = Math.max(a.length, b.length)
  let fromTop = 0
  while (fromTop < Math.min(a.length, b.length) && a[fromTop] === b[fromTop]) fromTop++
  let fromEnd = 0
  while (fromEnd < Math.min(a.length, b.length) - fromTop && a.at(-1 - fromEnd) === b.at(-1 - fromEnd)) fromEnd++
  return (fromTop + fromEnd) / length
}
