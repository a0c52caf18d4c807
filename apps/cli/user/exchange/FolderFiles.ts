/**
 * The folder on the disk. Only its own files are read and replaced, and no link is followed, so that a folder from
 * elsewhere reaches nothing outside of it.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { refused } from "../Ending.ts"
import * as FolderForm from "./FolderForm.ts"

/** More than a workflow, a component or a list may have. */
const mostBytes = 16 * 1024 * 1024

const lists = [FolderForm.paths.codes, FolderForm.paths.credentials, FolderForm.paths.webhooks]

const onDisk = <A>(path: string, action: string, evaluate: () => A) =>
  Effect.try({
    try: evaluate,
    catch: (cause) =>
      refused("wrong", `Cannot ${action} the folder ${path}: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

const decoder = new TextDecoder("utf-8", { fatal: true })

interface Found {
  /** `null` for a file that has a problem. */
  readonly texts: Map<string, string | null>
  readonly problems: Array<FolderForm.Problem>
}

/** Why an entry is not read; `null` for one that may be. */
const problemOf = (path: string): string | null => {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return "Expected a file, got a symbolic link: links are not followed"
  if (!entry.isFile()) return "Expected a file"
  return entry.size > mostBytes ? `Expected a file of at most ${mostBytes} bytes, got ${entry.size}` : null
}

const readFile = (folder: string, file: string, { problems, texts }: Found): void => {
  const path = join(folder, file)
  const problem = problemOf(path)
  texts.set(file, null)
  if (problem !== null) {
    problems.push({ path: file, message: problem })
    return
  }
  const bytes = readFileSync(path)
  try {
    texts.set(file, decoder.decode(bytes))
  } catch {
    problems.push({ path: file, message: "Expected text in UTF-8" })
  }
}

const found = (folder: string): Found => {
  const all: Found = { texts: new Map(), problems: [] }
  for (const file of [FolderForm.paths.manifest, FolderForm.paths.readme, ...lists]) {
    if (lstatSync(join(folder, file), { throwIfNoEntry: false }) !== undefined) readFile(folder, file, all)
  }
  for (const part of FolderForm.folders) {
    const entry = lstatSync(join(folder, part), { throwIfNoEntry: false })
    if (entry === undefined) continue
    if (!entry.isDirectory()) {
      all.problems.push({ path: part, message: "Expected a folder, and no symbolic link" })
      continue
    }
    for (const name of readdirSync(join(folder, part)).toSorted()) {
      // Systems and editors leave such files.
      if (name.startsWith(".")) continue
      const file = `${part}/${name}`
      if (FolderForm.fileName.test(name)) readFile(folder, file, all)
      else {
        all.problems.push({
          path: file,
          message: "Expected a file name of small letters, digits and single hyphens that ends in .json"
        })
      }
    }
  }
  return all
}

/** The texts of a folder by their paths, and what is wrong with its files. */
export const read = (folder: string) => onDisk(folder, "read", () => found(folder))

const hasExport = (folder: string): boolean => existsSync(join(folder, FolderForm.paths.manifest))

/**
 * Writes the files into a folder that is new or empty, or that has an export. What would be replaced or removed there is
 * refused without `force`. Answers the paths that were written and removed.
 */
export const write = Effect.fnUntraced(function* (folder: string, files: ReadonlyMap<string, string>, force: boolean) {
  const isThere = yield* onDisk(folder, "read", () => existsSync(folder))
  if (isThere) {
    const isEmpty = yield* onDisk(
      folder,
      "write",
      () => statSync(folder).isDirectory() && readdirSync(folder).every((name) => name.startsWith("."))
    )
    if (!isEmpty && !hasExport(folder)) {
      return yield* refused(
        "conflict",
        `${folder} is no folder of an export: name one that is new, empty, or was written by this command`
      )
    }
  }
  const { problems, texts } = isThere ? yield* read(folder) : { texts: new Map<string, string | null>(), problems: [] }
  const [problem] = problems
  if (problem !== undefined) {
    return yield* refused("conflict", `Cannot write to ${folder}: ${problem.path}: ${problem.message}`)
  }
  const removed = [...texts.keys()].filter((file) => !files.has(file))
  const replaced = [...files].filter(([file, text]) => texts.has(file) && texts.get(file) !== text)
  const [lost] = [...replaced.map(([file]) => file), ...removed]
  if (lost !== undefined && !force) {
    return yield* refused(
      "conflict",
      `${folder} differs from the workspace in ${replaced.length + removed.length} of its files, such as ${lost}: keep what is in them, then replace them with --force`
    )
  }
  // The lists last: an import of a folder without them is refused, as it is no whole export.
  const written = [...files]
    .filter(([file, text]) => texts.get(file) !== text)
    .toSorted(
      ([one], [other]) => Number(lists.some((file) => file === one)) - Number(lists.some((file) => file === other))
    )
  yield* onDisk(folder, "write", () => {
    mkdirSync(folder, { recursive: true })
    for (const part of FolderForm.folders) mkdirSync(join(folder, part), { recursive: true })
    for (const [file, text] of written) writeFileSync(join(folder, file), text)
    for (const file of removed) rmSync(join(folder, file))
  })
  return { written: written.map(([file]) => file), removed }
})
