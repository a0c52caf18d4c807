/** The lines of a text before and after a change. */

export interface Line {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** How many pairs of lines are compared at most. Beyond that, all lines before are removed and all after are added. */
const mostPairs = 250_000

/** How many equal lines are shown around a change. */
const around = 2

/** All lines, in the order in which they are read: the fewest that are removed and added. `null` is no text. */
export const linesOf = (before: string | null, after: string | null): ReadonlyArray<Line> => {
  const [old, now] = [before?.split("\n") ?? [], after?.split("\n") ?? []]
  let start = 0
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const same = (lines: ReadonlyArray<string>) => lines.map((text): Line => ({ kind: "same", text }))
  return [
    ...same(old.slice(0, start)),
    ...changed(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end))
  ]
}

const changed = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const removed = old.map((text): Line => ({ kind: "removed", text }))
  const added = now.map((text): Line => ({ kind: "added", text }))
  if (old.length * now.length > mostPairs) return [...removed, ...added]
  const width = now.length + 1
  /** The length of the longest common part of what follows a line before and a line after. */
  const common = new Uint16Array((old.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: Array<Line> = []
  let [row, column] = [0, 0]
  while (row < old.length && column < now.length) {
    if (old[row] === now[column]) {
      lines.push({ kind: "same", text: old[row++] ?? "" })
      column++
    } else if (at(row + 1, column) >= at(row, column + 1)) lines.push(...removed.slice(row, ++row))
    else lines.push(...added.slice(column, ++column))
  }
  return [...lines, ...removed.slice(row), ...added.slice(column)]
}

/** The lines with the equal ones that are far from every change left out: a number stands for so many of them. */
export const shortened = (lines: ReadonlyArray<Line>): ReadonlyArray<Line | number> => {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== "same")
  )
  const shown: Array<Line | number> = []
  lines.forEach((line, index) => {
    const last = shown.at(-1)
    if (isNear[index] === true) shown.push(line)
    else if (typeof last === "number") shown[shown.length - 1] = last + 1
    else shown.push(1)
  })
  return shown
}
