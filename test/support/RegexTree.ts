/** The structure of a regular expression. */

export type Node =
  | { readonly tag: "atom"; readonly source: string }
  | { readonly tag: "assertion"; readonly source: string }
  | { readonly tag: "reference"; readonly group: number | string }
  | { readonly tag: "group"; readonly number: number; readonly body: Node }
  | { readonly tag: "look"; readonly body: Node; readonly isBehind: boolean; readonly isNegative: boolean }
  | { readonly tag: "sequence"; readonly parts: ReadonlyArray<Node> }
  | { readonly tag: "choice"; readonly options: ReadonlyArray<Node> }
  | Repeat

export interface Repeat {
  readonly tag: "repeat"
  readonly body: Node
  readonly min: number
  readonly max: number
  readonly isLazy: boolean
  /** The groups within it, which each repetition empties: from the first up to, but not including, the second. */
  readonly groups: readonly [from: number, to: number]
}

export interface Tree {
  readonly root: Node
  /** The number of groups, with the whole match. */
  readonly groups: number
  readonly names: ReadonlyMap<string, number>
}

const atoms = String.raw`\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]`
const atomOfPoints = new RegExp(`^(?:${atoms})`, "u")
const atomOfUnits = new RegExp(`^(?:${atoms})`)

/** Parses an expression that the engine accepts. */
export const parse = (source: string, flags: string): Tree => {
  const names = new Map<string, number>()
  const atom = /[uv]/.test(flags) ? atomOfPoints : atomOfUnits
  let groups = 1
  let at = 0
  const take = (expected: RegExp): string => {
    const found = expected.exec(source.slice(at))?.[0] ?? ""
    at += found.length
    return found
  }
  const choice = (): Node => {
    const options = [sequence()]
    while (take(/^\|/) !== "") options.push(sequence())
    const [only] = options
    return options.length === 1 && only !== undefined ? only : { tag: "choice", options }
  }
  const sequence = (): Node => {
    const parts: Array<Node> = []
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated())
    return { tag: "sequence", parts }
  }
  const repeated = (): Node => {
    const from = groups
    const body = single()
    const sign = take(/^(?:[*+?]|\{\d+(?:,\d*)?\})/)
    if (sign === "") return body
    const [, least = "", comma, most = ""] = /(\d+)(,?)(\d*)/.exec(sign) ?? []
    const min = sign === "+" ? 1 : Number(least)
    const max = sign === "?" ? 1 : comma === "" ? min : most === "" ? Number.POSITIVE_INFINITY : Number(most)
    return { tag: "repeat", body, min, max, isLazy: take(/^\?/) !== "", groups: [from, groups] }
  }
  const within = (): Node => {
    const body = choice()
    at++
    return body
  }
  const single = (): Node => {
    const look = take(/^\(\?<?[=!]/)
    if (look !== "")
      return { tag: "look", body: within(), isBehind: look.includes("<"), isNegative: look.endsWith("!") }
    if (take(/^\(\?:/) !== "") return within()
    const opened = take(/^\((?:\?<[^>]*>)?/)
    if (opened !== "") {
      const number = groups++
      if (opened !== "(") names.set(opened.slice(3, -1), number)
      return { tag: "group", number, body: within() }
    }
    const assertion = take(/^(?:[\^$]|\\[bB])/)
    if (assertion !== "") return { tag: "assertion", source: assertion }
    const reference = take(/^\\(?:[1-9]|k<[^>]*>)/)
    if (reference.startsWith("\\k")) return { tag: "reference", group: reference.slice(3, -1) }
    if (reference !== "") return { tag: "reference", group: Number(reference.slice(1)) }
    return { tag: "atom", source: take(atom) }
  }
  return { root: choice(), groups, names }
}

/** Each alternative as a whole expression. The cost of an expression is at most that of its alternatives together. */
export const alternatives = ({ root, ...tree }: Tree): ReadonlyArray<Tree> =>
  (root.tag === "choice" && !hasReference(root) ? root.options : [root]).map((one) => ({ ...tree, root: one }))

const hasReference = (node: Node): boolean => {
  switch (node.tag) {
    case "reference":
      return true
    case "sequence":
      return node.parts.some(hasReference)
    case "choice":
      return node.options.some(hasReference)
    case "group":
    case "look":
    case "repeat":
      return hasReference(node.body)
    default:
      return false
  }
}
