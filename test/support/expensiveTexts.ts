/**
 * Expensive texts for a regular expression, made from its structure: a match of what precedes a repetition, many matches of
 * the repeated part, then a text that makes the match fail.
 */
import { remover } from "./CountedRegex.ts"
import { alternatives, type Node, parse, type Tree } from "./RegexTree.ts"

/** From this number, repetitions count as unbounded. */
const many = 200

const atomsOf = (node: Node): ReadonlyArray<string> => {
  switch (node.tag) {
    case "atom":
      return [node.source]
    case "sequence":
      return node.parts.flatMap(atomsOf)
    case "choice":
      return node.options.flatMap(atomsOf)
    case "group":
    case "look":
    case "repeat":
      return atomsOf(node.body)
    default:
      return []
  }
}

const signs = [...`aA019 \t\n\\/-_.@:;,%&+=?#"'<>()[]{}|$^*!~\`éßxuzZf—\u00a0😀`]

/** One character of each kind that the atoms of an expression distinguish, with the atoms that match it. */
const kindsOf = (tree: Node, flags: string) => {
  const atoms = [...new Set(atomsOf(tree))]
  const tests = new Map(atoms.map((atom) => [atom, new RegExp(`^(?:${atom})$`, flags.replace(/[gy]/g, ""))]))
  const literal = atoms.flatMap((atom) => [...atom.replace(/^\\(?![a-zA-Z])/, "")])
  const kinds = new Map<string, string>()
  for (const one of [...literal, ...signs]) {
    const kind = atoms.map((atom) => (tests.get(atom)?.test(one) === true ? "1" : "0")).join("")
    if (!kinds.has(kind)) kinds.set(kind, one)
  }
  return { all: [...kinds.values()], matches: (atom: string, one: string) => tests.get(atom)?.test(one) === true }
}

/** What few atoms take: a match begins anew after it, and fails before it. */
const foreign = "\n\u0001"
const around = [
  ["", ""],
  ["", foreign],
  [foreign, foreign]
] as const

const nothing: Node = { tag: "sequence", parts: [] }

/** Expensive texts for an expression, as functions of the number of repetitions. */
export const attacks = ({ root: tree }: Tree, flags: string): ReadonlyArray<(count: number) => string> => {
  const kinds = kindsOf(tree, flags)
  const found = new Map<string, (count: number) => string>()

  /** Some texts that match a node, the shortest first. */
  const samples = (node: Node): ReadonlyArray<string> => {
    switch (node.tag) {
      case "atom": {
        const own = kinds.all.filter((one) => kinds.matches(node.source, one))
        return own.length === 0 ? [""] : own
      }
      case "choice":
        return node.options.flatMap((option) => samples(option).slice(0, 4)).slice(0, 24)
      case "repeat":
        return samples(node.body).map((one) => one.repeat(Math.max(1, Math.min(node.min, 40))))
      case "sequence": {
        const first = node.parts.map((part) => samples(part)[0] ?? "").join("")
        const required = node.parts
          .map((part) => (part.tag === "repeat" && part.min === 0 ? "" : (samples(part)[0] ?? "")))
          .join("")
        const varied = node.parts.flatMap((_, index) =>
          samples(node.parts[index] ?? nothing)
            .slice(1, 8)
            .map((other) => node.parts.map((part, at) => (at === index ? other : (samples(part)[0] ?? ""))).join(""))
        )
        return [...new Set([first, required, ...varied])].slice(0, 24)
      }
      case "group":
        return samples(node.body)
      // Assertions take nothing, and what is matched again is seldom longer.
      default:
        return [""]
    }
  }

  const add = (before: string, pumped: string): void => {
    if (pumped === "") return
    for (const [begin, end] of around) {
      found.set(JSON.stringify([begin + before, pumped, end]), (count) => begin + before + pumped.repeat(count) + end)
    }
  }

  const visit = (node: Node, before: string): void => {
    if (node.tag === "choice") for (const option of node.options) visit(option, before)
    if (node.tag === "sequence") {
      let sofar = before
      for (const part of node.parts) {
        visit(part, sofar)
        sofar += samples(part)[0] ?? ""
      }
    }
    if (node.tag === "group" || node.tag === "look") visit(node.body, before)
    if (node.tag !== "repeat") return
    visit(node.body, before)
    if (node.max < many) return
    for (const pumped of samples(node.body)) {
      add(before, pumped)
      add("", pumped)
      add("", before + pumped)
    }
    add("", before)
  }
  visit(tree, "")
  return [...found.values()]
}

/** So many repetitions, and characters, tell what grows with the square of them from what does not. */
const repetitions = 160
const characters = 500

/** A linear expression of ours takes at most 40 steps for a character; so many repetitions make at least 80 of a square. */
const usualSteps = 64
/** Repetitions that are bounded, as in `\\w{1,64}@`, take more steps of a short text. Beyond this an expression is slow. */
const mostSteps = 4_000
/** How many times as many steps four times as many repetitions may take: linear ones take 4, squares 16. */
const mostGrowth = 8

export interface Slow {
  /** A short form of the text. */
  readonly text: string
  readonly characters: number
  /** The steps for a character, as far as they were counted. */
  readonly steps: number
}

/** The first text for which the steps of an expression grow with more than the length; `null` when there is none. */
export const slowest = (source: string, flags: string): Slow | null => {
  for (const tree of alternatives(parse(source, flags))) {
    const remove = remover(tree, flags)
    for (const attack of attacks(tree, flags)) {
      const count = Math.max(repetitions, Math.ceil(characters / (attack(2).length - attack(1).length)))
      const text = attack(count)
      const { rest, steps } = remove(text, mostSteps * text.length)
      if (rest === null) return slow(attack, text, steps)
      if (steps <= usualSteps * text.length) continue
      const longer = attack(4 * count)
      const more = remove(longer, mostGrowth * steps)
      if (more.rest === null) return slow(attack, longer, more.steps)
    }
  }
  return null
}

const slow = (attack: (count: number) => string, { length }: string, steps: number): Slow => ({
  text: JSON.stringify(attack(3)),
  characters: length,
  steps: Math.round(steps / length)
})
