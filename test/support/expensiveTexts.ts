/**
 * Expensive texts for a regular expression, made from its structure: a match of what precedes a repetition, many matches of
 * the repeated part, then a text that makes the match fail.
 */
import { leastMillis } from "./processorTime.ts"

type Node =
  | { readonly tag: "atom"; readonly source: string }
  | { readonly tag: "empty" }
  | { readonly tag: "sequence"; readonly parts: ReadonlyArray<Node> }
  | { readonly tag: "choice"; readonly options: ReadonlyArray<Node> }
  | { readonly tag: "repeat"; readonly body: Node; readonly min: number; readonly max: number }

/** From this number, repetitions count as unbounded. */
const many = 200

const parse = (source: string): Node => {
  let at = 0
  const choice = (): Node => {
    const options = [sequence()]
    while (source[at] === "|") {
      at++
      options.push(sequence())
    }
    return options.length === 1 ? (options[0] ?? empty) : { tag: "choice", options }
  }
  const sequence = (): Node => {
    const parts: Array<Node> = []
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated())
    return { tag: "sequence", parts }
  }
  const repeated = (): Node => {
    const body = single()
    const [found = "", min = "", comma, max = ""] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at)) ?? []
    at += found.length
    if (found === "") return body
    if (found[0] === "*") return { tag: "repeat", body, min: 0, max: Infinity }
    if (found[0] === "+") return { tag: "repeat", body, min: 1, max: Infinity }
    if (found[0] === "?") return { tag: "repeat", body, min: 0, max: 1 }
    return {
      tag: "repeat",
      body,
      min: Number(min),
      max: comma === "" ? Number(min) : max === "" ? Infinity : Number(max)
    }
  }
  const single = (): Node => {
    const rest = source.slice(at)
    const group = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/.exec(rest)?.[0]
    if (group !== undefined) {
      at += group.length
      const body = choice()
      at++
      // A negative assertion consumes nothing, and the text of a positive one is matched again by the next part.
      return /^\(\?<?[!=]/.test(group) ? empty : body
    }
    const atom =
      /^(?:\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\k<[^>]*>|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S])/u.exec(
        rest
      )?.[0] ?? ""
    at += atom.length
    return /^(?:[\^$]|\\[bB]|\\[1-9]|\\k<.*)$/.test(atom) ? empty : { tag: "atom", source: atom }
  }
  return choice()
}

const empty: Node = { tag: "empty" }

const atomsOf = (node: Node): ReadonlyArray<string> =>
  node.tag === "atom"
    ? [node.source]
    : node.tag === "sequence"
      ? node.parts.flatMap(atomsOf)
      : node.tag === "choice"
        ? node.options.flatMap(atomsOf)
        : node.tag === "repeat"
          ? atomsOf(node.body)
          : []

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

/** Expensive texts for an expression, as functions of the number of repetitions. */
export const attacks = (source: string, flags: string): ReadonlyArray<(count: number) => string> => {
  const tree = parse(source)
  const kinds = kindsOf(tree, flags)
  const found = new Map<string, (count: number) => string>()

  /** Some texts that match a node, the shortest first. */
  const samples = (node: Node): ReadonlyArray<string> => {
    switch (node.tag) {
      case "empty":
        return [""]
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
          samples(node.parts[index] ?? empty)
            .slice(1, 8)
            .map((other) => node.parts.map((part, at) => (at === index ? other : (samples(part)[0] ?? ""))).join(""))
        )
        return [...new Set([first, required, ...varied])].slice(0, 24)
      }
    }
  }

  const add = (before: string, pumped: string): void => {
    if (pumped === "") return
    for (const end of ["", "\n\u0001"]) {
      found.set(`${before}|${pumped}|${end}`, (count) => before + pumped.repeat(count) + end)
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

/**
 * An expression that takes less than `probeMillis` for this many characters is fast for the longest text, even if
 * quadratic.
 */
const probeCharacters = 3_000
const probeMillis = 0.5

/** Lengths that grow slowly at first: an exponential expression then exceeds the bound only by little. */
const steps = [16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 200, 800, probeCharacters, 5_500, 8_000, 12_000, 20_000]

/**
 * The first text, shortened, on which an expression exceeds its bound of processor time; `null` when there is none. Short
 * texts come first, so that exponential expressions are found in a short time.
 */
export const slowest = (
  source: string,
  flags: string,
  most: { readonly millis: number; readonly characters: number }
): { readonly text: string; readonly characters: number; readonly millis: number } | null => {
  const expression = new RegExp(source, flags)
  for (const attack of attacks(source, flags)) {
    const unit = attack(2).length - attack(1).length
    for (const characters of [...steps, most.characters]) {
      const text = attack(Math.ceil(characters / unit))
      const use = () => void text.replace(expression, "")
      // The bound is far above what a linear one takes, so three rounds exclude a garbage collection.
      const millis = leastMillis(most.millis, use, 3)
      if (characters === probeCharacters && millis < probeMillis) break
      if (millis > most.millis) return { text: JSON.stringify(attack(3)), characters, millis: Math.round(millis) }
    }
  }
  return null
}
