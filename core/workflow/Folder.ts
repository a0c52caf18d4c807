/**
 * Folders of workflows. They exist only as the paths that workflows carry, such as `billing/monthly`.
 */
import * as TextLength from "../window/TextLength.ts"
import * as WellFormed from "../workspace/WellFormed.ts"
import type { Problem } from "./Workflow.ts"

const maxLevels = 5

const maxNameLength = 256

/** A folder directly below another. `workflowCount` counts the workflows in it and in all folders below it. */
export interface Folder {
  readonly name: string
  readonly path: string
  readonly workflowCount: number
}

/**
 * A path without empty names and without spaces around names; `null` for the top level and for a value that is not a
 * string.
 */
export const normal = (path: unknown): string | null => {
  const names = typeof path === "string" ? namesOf(path) : []
  return names.length === 0 ? null : names.join("/")
}

/** The problem of a path; none for an absent path. */
export const problems = (path: unknown): ReadonlyArray<Problem> => {
  if (typeof path !== "string") return []
  const names = namesOf(path)
  const messages = [
    ...(names.length > maxLevels ? [`Expected at most ${maxLevels} levels, got ${names.length}`] : []),
    ...(names.some((name) => !TextLength.fits(name, maxNameLength))
      ? [`Expected names of at most ${maxNameLength} characters`]
      : []),
    ...(WellFormed.is(path) ? [] : [WellFormed.expected]),
    ...(names.includes(".") || names.includes("..") ? ["Expected names other than . and .."] : [])
  ]
  return messages.map((message) => ({ path: "folder_path", message }))
}

/** Every folder in the paths, sorted. Folders that contain only other folders are included. */
export const all = (paths: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  [...new Set(paths.flatMap((path) => (path === null ? [] : ancestry(path))))].sort(compare)

/** The folders directly below `at` (`null` for the top), sorted by name. */
export const below = (at: string | null, paths: ReadonlyArray<string | null>): ReadonlyArray<Folder> => {
  const counts = new Map<string, number>()
  for (const path of paths) {
    if (path === null || !isBelow(path, at)) continue
    const [name = ""] = namesOf(at === null ? path : path.slice(at.length))
    const child = at === null ? name : `${at}/${name}`
    counts.set(child, (counts.get(child) ?? 0) + 1)
  }
  return [...counts]
    .map(([path, workflowCount]) => ({ name: path.slice(path.lastIndexOf("/") + 1), path, workflowCount }))
    .sort((a, b) => compare(a.path, b.path))
}

/** Returns whether a path is below a folder. */
export const isBelow = (path: string | null, at: string | null): boolean =>
  path !== null && (at === null || path.startsWith(`${at}/`))

const namesOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .map((name) => name.trim())
    .filter((name) => name !== "")

const ancestry = (path: string): ReadonlyArray<string> => {
  const names = namesOf(path)
  return names.map((_, index) => names.slice(0, index + 1).join("/"))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
