/**
 * Accepts only patterns whose cost is bounded for every text.
 *
 * Matching is backtracking: if a pattern can match the same text in several ways, all may be tried. Patterns whose cost
 * grows exponentially with the length of the text, as for `(a+)+$`, or with its fourth power or more, are refused. If
 * it grows with the square or the cube, as for `^.*a.*b$`, the length of the text is limited; a longer text does not
 * match.
 */
import { Result } from "effect"
import { type CharSet, overlap, type Pattern, parse, union } from "./Pattern.ts"
import { alike, build, components, type PatternGraph } from "./PatternGraph.ts"

const maxLength = 1_000

/** Maximum length of a text, by the power of the length with which the cost grows. */
const textLimits = [Infinity, Infinity, 4_096, 512]

/** Maximum number of ways to match one text, with each repeated part counted once. */
const maxWays = 10_000

/** Maximum number of steps of the check itself. */
const maxSteps = 2_000_000

/** The reason why a pattern is refused; `null` if it is accepted. */
export const check = (source: string): string | null => {
  const cost = costOf(source)
  return Result.isSuccess(cost) ? null : `Cannot use the pattern ${shortened(source)}: ${cost.failure}`
}

/** The maximum length of a text for a pattern, in characters; fails with the reason if the pattern is refused. */
export const textLimit = (source: string): Result.Result<number, string> =>
  costOf(source).pipe(
    Result.map((power) => textLimits[power] ?? 0),
    Result.mapError((reason) => `Cannot use the pattern ${shortened(source)}: ${reason}`)
  )

/** Compiles a pattern for `test`. A text that is too long does not match, and a refused pattern matches nothing. */
export const compile = (source: string, flags: string): { readonly test: (text: string) => boolean } => {
  const expression = new RegExp(source, flags)
  const cost = costOf(source)
  const limit = Result.isSuccess(cost) ? (textLimits[cost.success] ?? 0) : 0
  return Object.assign(expression, {
    test: (text: string) => text.length <= limit && RegExp.prototype.test.call(expression, text)
  })
}

const shortened = (source: string): string => (source.length <= 100 ? source : `${source.slice(0, 100)}…`)

const known = new Map<string, Result.Result<number, string>>()
const maxKnown = 1_000

/** Caches the cost of a pattern that another thread has computed, which may take a second. */
export const note = (source: string, cost: Result.Result<number, string>): void => {
  if (known.size >= maxKnown) known.clear()
  known.set(source, cost)
}

/** Whether the cost of a pattern is cached. */
export const isKnown = (source: string): boolean => known.has(source)

/**
 * The power of the length of a text with which the cost of a pattern grows. Fails with the reason if the pattern is
 * refused.
 */
export const costOf = (source: string): Result.Result<number, string> => {
  const before = known.get(source)
  if (before !== undefined) return before
  const found = judge(source)
  note(source, found)
  return found
}

const judge = (source: string): Result.Result<number, string> => {
  if (source.length > maxLength) return Result.fail(`it is longer than ${maxLength} characters`)
  return Result.flatMap(parse(source), (pattern) => powerOf(pattern, !beginsAtStart(pattern)))
}

const any: CharSet = [[0, 0x10ffff]]

const powerOf = (pattern: Pattern, anywhere: boolean): Result.Result<number, string> => {
  const graph = build(pattern, anywhere ? any : null)
  if (graph === null) return Result.fail("it has too many parts, or repeats one that may be empty")
  const own = powerOfGraph(graph)
  if (Result.isFailure(own)) return own
  let power = own.success
  for (const { body, repeated } of looksIn(pattern, false)) {
    const inner = powerOf(body, false)
    if (Result.isFailure(inner)) return inner
    if (repeated && inner.success > 0) return Result.fail("it has a lookahead or lookbehind within a repeated part")
    power = Math.max(power, inner.success + (anywhere || !leads(pattern, body) ? 1 : 0))
  }
  return power < textLimits.length
    ? Result.succeed(power)
    : Result.fail(`matching it may take time that grows with the power ${power} of the length of a text`)
}

const powerOfGraph = (graph: PatternGraph): Result.Result<number, string> => {
  const parts = components(graph)
  const loops = parts.filter((part) => isLoop(graph, part))
  for (const loop of loops) {
    const ambiguous = isAmbiguous(graph, new Set(loop))
    if (ambiguous !== false) {
      return Result.fail(
        ambiguous === null
          ? "it is too complex to be checked"
          : "a repeated part can take the same text in more than one way, so that matching may take exponential time"
      )
    }
  }
  if (ways(graph, parts) > maxWays) return Result.fail("it can take the same text in too many ways")
  return Result.succeed(longestChain(graph, loops))
}

const isLoop = (graph: PatternGraph, part: ReadonlyArray<number>): boolean =>
  part.length > 1 || part.some((position) => graph.next[position]?.includes(position) === true)

/**
 * Returns whether a loop can match some text in two ways and return to the same position after both, so that every
 * repetition doubles the number of ways. `null` if the check exceeds its limit of steps.
 */
const isAmbiguous = (graph: PatternGraph, loop: ReadonlySet<number>): boolean | null => {
  const within = (position: number) => (graph.next[position] ?? []).filter((target) => loop.has(target))
  for (const position of loop) {
    const targets = within(position)
    if (new Set(targets).size < targets.length) return true
  }
  const pending: Array<readonly [number, number]> = [...loop].map((position) => [position, position])
  const seen = new Set<number>()
  let steps = 0
  for (const [a, b] of pending) {
    for (const x of within(a)) {
      for (const y of within(b)) {
        if (++steps > maxSteps) return null
        if (x === y && a !== b) return true
        const pair = Math.min(x, y) * 1_000 + Math.max(x, y)
        if (x === y || seen.has(pair) || !alike(graph, x, y)) continue
        seen.add(pair)
        pending.push([x, y])
      }
    }
  }
  return false
}

/** The maximum number of ways to match one text, each loop counted as one step. */
const ways = (graph: PatternGraph, parts: ReadonlyArray<ReadonlyArray<number>>): number => {
  const known = new Map<number, number>()
  for (const part of [...parts].reverse()) {
    const inside = new Set(part)
    const exits = [...new Set(part.flatMap((position) => graph.next[position] ?? []))].filter(
      (target) => !inside.has(target)
    )
    const waysOf = (targets: ReadonlyArray<number>) =>
      targets.reduce((total, target) => total + (known.get(target) ?? 1), 0)
    // From a single position the next character decides, if it can.
    const found = isLoop(graph, part)
      ? waysOf(exits)
      : Math.max(1, ...exits.map((exit) => waysOf(exits.filter((other) => alike(graph, exit, other)))))
    for (const position of part) known.set(position, Math.max(1, found))
  }
  return known.get(0) ?? 1
}

/** The length of the longest chain of loops that can divide the same text among them. */
const longestChain = (graph: PatternGraph, loops: ReadonlyArray<ReadonlyArray<number>>): number => {
  const alphabets = loops.map((loop) => union(loop.map((position) => graph.sets[position] ?? [])))
  const lengths: Array<number> = []
  for (const [index, loop] of loops.entries()) {
    const before = loops.slice(0, index).map((earlier, at) => {
      const shared = intersection(alphabets[at] ?? [], alphabets[index] ?? [])
      return leadsTo(graph, earlier, new Set(loop), shared) ? (lengths[at] ?? 0) : 0
    })
    lengths.push(1 + Math.max(0, ...before))
  }
  return Math.max(0, ...lengths)
}

/** Returns whether a path leads from one loop to another by characters of one set alone. */
const leadsTo = (
  graph: PatternGraph,
  from: ReadonlyArray<number>,
  to: ReadonlySet<number>,
  shared: CharSet
): boolean => {
  const seen = new Set(from)
  for (const position of seen) {
    for (const target of graph.next[position] ?? []) {
      if (!overlap(graph.sets[target] ?? [], shared)) continue
      if (to.has(target)) return true
      seen.add(target)
    }
  }
  return false
}

const intersection = (a: CharSet, b: CharSet): CharSet =>
  a.flatMap(([from, to]) =>
    b.flatMap(([start, end]) =>
      from <= end && start <= to ? [[Math.max(from, start), Math.min(to, end)] as const] : []
    )
  )

/** Returns whether a match can only begin at the start of the text. */
const beginsAtStart = (part: Pattern): boolean => {
  switch (part._tag) {
    case "Start":
      return true
    case "Sequence": {
      const first = part.parts.find((one) => one._tag !== "Lookaround" && one._tag !== "Empty")
      return first !== undefined && beginsAtStart(first)
    }
    case "Choice":
      return part.options.every(beginsAtStart)
    case "Repeat":
      return part.min > 0 && beginsAtStart(part.body)
    default:
      return false
  }
}

/** The lookarounds of a pattern, without those nested in them. */
const looksIn = (
  part: Pattern,
  repeated: boolean
): ReadonlyArray<{ readonly body: Pattern; readonly repeated: boolean }> => {
  switch (part._tag) {
    case "Lookaround":
      return [{ body: part.body, repeated }]
    case "Sequence":
      return part.parts.flatMap((one) => looksIn(one, repeated))
    case "Choice":
      return part.options.flatMap((one) => looksIn(one, repeated))
    case "Repeat":
      return looksIn(part.body, repeated || part.max > 1)
    default:
      return []
  }
}

/** Returns whether a lookaround precedes everything that consumes characters, so that it is evaluated once. */
const leads = (pattern: Pattern, look: Pattern): boolean => {
  if (pattern._tag !== "Sequence") return false
  for (const part of pattern.parts) {
    if (part._tag === "Lookaround" && part.body === look) return true
    if (part._tag !== "Lookaround" && part._tag !== "Start" && part._tag !== "Empty") return false
  }
  return false
}
