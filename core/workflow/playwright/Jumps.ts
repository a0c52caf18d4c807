/**
 * Moves with jumps as blocks and loops with labels: a jump ahead leaves the block that ends where it leads, and a jump
 * back begins the turn of a loop again.
 */
import { fallsThrough, inside, isNode, type Move } from "../code/Move.ts"
import { Unsayable } from "./ProgramExpression.ts"

/** How code writes moves that are no jumps. `inner` writes the moves inside of one. */
export interface Writer {
  readonly step: (move: Extract<Move, { readonly _tag: "Step" }>) => ReadonlyArray<string>
  readonly when: (
    move: Extract<Move, { readonly _tag: "When" }>,
    yes: ReadonlyArray<string>,
    no: ReadonlyArray<string>
  ) => ReadonlyArray<string>
  readonly each: (
    move: Extract<Move, { readonly _tag: "Each" }>,
    label: string | null,
    body: ReadonlyArray<string>
  ) => ReadonlyArray<string>
}

/** The steps that jumps within moves lead to. */
const targetsIn = (moves: ReadonlyArray<Move>, found = new Set<string>()): ReadonlySet<string> => {
  for (const move of moves) {
    if (move._tag === "GoTo") found.add(move.step)
    for (const inner of inside(move)) targetsIn(inner, found)
  }
  return found
}

/** The jumps within a list to its own moves: where they are, and where they lead. */
const jumpsIn = (list: ReadonlyArray<Move>, isTarget: (move: Move, step: string) => boolean) =>
  list.flatMap((move, at) => {
    const own = move._tag === "Each" ? new Set([...targetsIn(move.body)].filter((step) => isTarget(move, step))) : none
    return [...targetsIn([move])].flatMap((step) => {
      // A loop begins its next turn itself.
      const to = own.has(step) ? -1 : list.findIndex((one) => isTarget(one, step))
      return to < 0 ? [] : [{ at, step, to }]
    })
  })

const none: ReadonlySet<string> = new Set()

/** The statement of a jump, by the step that it leads to. */
type Scope = ReadonlyMap<string, string>

/** Lines without an empty one at their beginning. */
export const trimmed = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines[0] === "" ? lines.slice(1) : lines

export const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => (line === "" ? "" : `  ${line}`))

/** The statements of moves. `Unsayable` is thrown for a jump into a branch or a loop. */
export const statements = (moves: ReadonlyArray<Move>, writer: Writer): ReadonlyArray<string> => {
  const labels = new Map<string, string>()
  const labelOf = (step: string): string => {
    const known = labels.get(step)
    if (known !== undefined) return known
    const words = step
      .replaceAll(/[^A-Za-z0-9]+/g, " ")
      .trim()
      .split(" ")
    const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("")
    const base = `at${name}`
    const taken = new Set(labels.values())
    let label = base
    for (let count = 2; taken.has(label); count++) label = `${base}${count}`
    labels.set(step, label)
    return label
  }
  const isTarget = (move: Move, step: string): boolean => isNode(move) && (move.name === step || move.node.id === step)

  const all = (list: ReadonlyArray<Move>, scope: Scope): ReadonlyArray<string> => {
    const jumps = jumpsIn(list, isTarget)
    /** The last position whose jumps lead back to a position; -1 where none do. */
    const endOfLoop = (index: number, to: number): number =>
      Math.max(-1, ...jumps.filter((jump) => jump.to === index && jump.at >= index && jump.at < to).map(({ at }) => at))
    /** `begun` is the position whose loop is being written. */
    const range = (from: number, to: number, outer: Scope, begun: number): ReadonlyArray<string> => {
      const lines: Array<string> = []
      for (let at = from; at < to; ) {
        const ahead = jumps
          .filter((jump) => jump.at >= at && jump.at < jump.to && jump.to < to)
          .map((jump) => jump.to)
          .filter((target) => !isInLoop(target, at, to, begun))
        const target = Math.max(-1, ...ahead)
        const last = begun === at ? -1 : endOfLoop(at, to)
        if (target >= 0) {
          const steps = new Set(jumps.filter((jump) => jump.to === target).map(({ step }) => step))
          const label = labelOf([...steps][0] ?? "")
          const inner = new Map([...outer, ...[...steps].map((step) => [step, `break ${label}`] as const)])
          lines.push("", `${label}: {`, ...indented(trimmed(range(at, target, inner, begun))), "}")
          at = target
        } else if (last >= 0) {
          const steps = new Set(jumps.filter((jump) => jump.to === at).map(({ step }) => step))
          const label = `${labelOf([...steps][0] ?? "")}Again`
          const inner = new Map([...outer, ...[...steps].map((step) => [step, `continue ${label}`] as const)])
          const leaves = fallsThrough(list.slice(at, last + 1)) ? [`  break ${label}`] : []
          lines.push(
            "",
            `${label}: while (true) {`,
            ...indented(trimmed(range(at, last + 1, inner, at))),
            ...leaves,
            "}"
          )
          at = last + 1
        } else {
          const move = list[at]
          if (move !== undefined) lines.push(...one(move, outer))
          at++
        }
      }
      return lines
    }
    const isInLoop = (index: number, from: number, to: number, begun: number): boolean =>
      jumps.some((jump) => jump.at >= index && jump.at < to && jump.to < index && jump.to >= from && jump.to !== begun)
    return range(0, list.length, scope, -1)
  }
  const one = (move: Move, scope: Scope): ReadonlyArray<string> => {
    if (move._tag === "Assume") return []
    if (move._tag === "GoTo") {
      const jump = scope.get(move.step)
      if (jump === undefined) throw new Unsayable(`the jump to "${move.step}" leads into a branch or a loop`)
      return [jump]
    }
    if (move._tag === "Step") return writer.step(move)
    if (move._tag === "When") return writer.when(move, all(move.yes, scope), all(move.no, scope))
    const steps = [...targetsIn(move.body)].filter((step) => isTarget(move, step))
    const label = steps.length === 0 ? null : `${labelOf(steps[0] ?? "")}Turn`
    const inner = new Map([...scope, ...steps.map((step) => [step, `continue ${label}`] as const)])
    return writer.each(move, label, all(move.body, inner))
  }
  return all(moves, new Map())
}
