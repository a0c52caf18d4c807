/**
 * Where the files of a run go at their destination: a path of names with places such as `{{run.id}}`.
 *
 * What fills a place is one name, or a part of one: no value adds a folder, and none leads out of the destination.
 */
import type { Problem } from "./Workflow.ts"

/** What fills each place: text that is safe as a file name. */
export interface Values {
  readonly "workflow.name": string
  readonly "workflow.id": string
  readonly "run.id": string
  /** The day on which the run ended, by UTC, such as `2026-03-01`. */
  readonly "run.date": string
  readonly "file.name": string
  readonly "file.id": string
}

export const places: ReadonlyArray<keyof Values> = [
  "workflow.name",
  "workflow.id",
  "run.id",
  "run.date",
  "file.name",
  "file.id"
]

export const standard = "{{workflow.name}}/{{run.id}}/{{file.name}}"

const mostCharacters = 500

const place = /\{\{([^{}]*)\}\}/g

const isPlace = (name: string): name is keyof Values => places.some((one) => one === name)

/** The problems of a destination and a path in the settings of a workflow. */
export const problems = (destination: unknown, path: unknown): ReadonlyArray<Problem> => {
  if (typeof path !== "string") return []
  const found = typeof destination === "string" ? problemOf(path) : "Expected a file_destination beside it"
  return found === null ? [] : [{ path: "file_path", message: found }]
}

/** Why a text is no path for files; `null` for one that is. */
export const problemOf = (path: string): string | null => {
  if (path.length > mostCharacters) return `Expected at most ${mostCharacters} characters, got ${path.length}`
  const names = [...path.matchAll(place)].map(([, name = ""]) => name.trim())
  const unknown = names.find((name) => !isPlace(name))
  if (unknown !== undefined) {
    return `Expected one of ${places.map((name) => `{{${name}}}`).join(", ")}, got {{${unknown}}}`
  }
  if (!names.some((name) => name === "file.name" || name === "file.id")) {
    return "Expected {{file.name}} or {{file.id}} in the path, so that each file has its own name"
  }
  const fixed = path.replace(place, "x")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  const refused = /[<>:"\\|?*{}\u0000-\u001f\u007f]/.exec(fixed)
  if (refused !== null) return `Expected names without ${JSON.stringify(refused[0])}`
  return fixed.split("/").every((name) => /^(?![. ])[^/]*[^/. ]$/.test(name))
    ? null
    : 'Expected names between single "/", none of which begins or ends with a dot or a blank'
}

/** The path of a file. The values are safe as file names, and the path has no problem. */
export const fill = (path: string, values: Values): string =>
  path.replace(place, (_, name: string) => values[name.trim() as keyof Values])

/** The path with a mark in the name, before its extension, such as `a/report-1f2e3d4c.pdf`. */
export const marked = (path: string, mark: string): string => {
  const name = path.lastIndexOf("/") + 1
  const dot = path.lastIndexOf(".")
  const end = dot > name ? dot : path.length
  return `${path.slice(0, end)}-${mark}${path.slice(end)}`
}
