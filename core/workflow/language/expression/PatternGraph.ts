/**
 * The positions of a pattern and the possible steps of a match between them, from which its cost is computed.
 */
import { type CharSet, overlap, type Pattern } from "./Pattern.ts"

/** Positions are numbered; position 0 is before the pattern. */
export interface PatternGraph {
  readonly sets: ReadonlyArray<CharSet>
  /** The transitions of a match from each position. A part that is reached in two ways appears twice. */
  readonly next: ReadonlyArray<ReadonlyArray<number>>
}

/** A repeat of more copies than this counts as unbounded. This can only overestimate the cost of a pattern. */
const maxCopies = 20

const maxPositions = 300

interface Fragment {
  readonly nullable: boolean
  readonly first: ReadonlyArray<number>
  readonly last: ReadonlyArray<number>
}

const nothing: Fragment = { nullable: true, first: [], last: [] }

/**
 * Builds the graph; `null` if it would be too large, or if the cost could not be computed from it. `any` precedes a
 * match that may begin anywhere; `null` for a pattern that begins at the start of the text.
 */
export const build = (pattern: Pattern, any: CharSet | null): PatternGraph | null => {
  const sets: Array<CharSet> = [any ?? []]
  const next: Array<Array<number>> = [any === null ? [] : [0]]

  const connect = (from: ReadonlyArray<number>, to: ReadonlyArray<number>) => {
    for (const position of from) next[position]?.push(...to)
  }

  const inOrder = (one: Fragment, other: Fragment): Fragment => {
    connect(one.last, other.first)
    return {
      nullable: one.nullable && other.nullable,
      first: one.nullable ? [...one.first, ...other.first] : one.first,
      last: other.nullable ? [...one.last, ...other.last] : other.last
    }
  }

  const read = (part: Pattern): Fragment => {
    if (sets.length > maxPositions) return nothing
    switch (part._tag) {
      case "Empty":
      case "Start":
      case "End":
      case "Lookaround":
        return nothing
      case "Chars": {
        const position = sets.push(part.set) - 1
        next.push([])
        return { nullable: false, first: [position], last: [position] }
      }
      case "Sequence":
        return part.parts.map(read).reduce(inOrder, nothing)
      case "Choice": {
        const options = part.options.map(read)
        return {
          nullable: options.some((one) => one.nullable),
          first: options.flatMap((one) => one.first),
          last: options.flatMap((one) => one.last)
        }
      }
      case "Repeat":
        return part.max > maxCopies ? endless(part.body, part.min, part.max) : counted(part.body, part.min, part.max)
    }
  }

  let doubtful = false

  const endless = (body: Pattern, min: number, max: number): Fragment => {
    const one = read(body)
    // Required copies that may be empty can be empty in exponentially many combinations.
    if (one.nullable && (min > 1 || max < Infinity)) doubtful = true
    connect(one.last, one.first)
    return { ...one, nullable: one.nullable || min === 0 }
  }

  const counted = (body: Pattern, min: number, max: number): Fragment => {
    let whole = nothing
    for (let copy = max; copy > 0; copy--) {
      const one = read(body)
      whole = copy === max ? one : inOrder(one, whole)
      if (copy > min) whole = { ...whole, nullable: true }
    }
    return whole
  }

  const whole = read(pattern)
  if (sets.length > maxPositions || doubtful) return null
  connect([0], whole.first)
  // A pattern without an assertion after its end matches as soon as the end is reached.
  if (!looksFurther(pattern)) for (const position of whole.last) next[position]?.splice(0)
  return { sets, next }
}

const looksFurther = (part: Pattern): boolean => {
  switch (part._tag) {
    case "End":
    case "Empty":
    case "Lookaround":
      return true
    case "Sequence":
      return part.parts.some(looksFurther)
    case "Choice":
      return part.options.some(looksFurther)
    case "Repeat":
      return looksFurther(part.body)
    default:
      return false
  }
}

/** The strongly connected components of a graph in reverse topological order: Tarjan's algorithm. */
export const components = ({ next }: PatternGraph): ReadonlyArray<ReadonlyArray<number>> => {
  const found: Array<ReadonlyArray<number>> = []
  const index = new Map<number, number>()
  const low = new Map<number, number>()
  const stack: Array<number> = []
  const visit = (position: number): number => {
    const own = index.size
    index.set(position, own)
    stack.push(position)
    let lowest = own
    for (const target of next[position] ?? []) {
      if (!index.has(target)) lowest = Math.min(lowest, visit(target))
      else if (stack.includes(target)) lowest = Math.min(lowest, index.get(target) ?? 0)
    }
    low.set(position, lowest)
    if (lowest === own) found.push(stack.splice(stack.indexOf(position)))
    return lowest
  }
  for (const position of next.keys()) if (!index.has(position)) visit(position)
  return found.reverse()
}

/** Returns whether two positions may take the same character. */
export const alike = ({ sets }: PatternGraph, a: number, b: number): boolean =>
  a === b || overlap(sets[a] ?? [], sets[b] ?? [])
