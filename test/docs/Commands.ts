/** The commands of the docs, run as a reader runs them: by a shell and curl. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import type { Source } from "../support/Source.ts"
import { fencesOf } from "./Pages.ts"

/** The calls of curl of a page, below a heading if one is given, in their order. */
export const below = (page: Source, heading?: string): ReadonlyArray<string> =>
  page.text
    .split(/^## /m)
    .filter((part) => heading === undefined || part.startsWith(`${heading}\n`))
    .flatMap((text) => fencesOf({ path: page.path, text }))
    .filter(({ language }) => language === "")
    .flatMap(({ text }) => text.split(/^(?=curl )/m))
    .filter((command) => command.startsWith("curl "))

/** A folder that goes away with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-commands-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Runs a command and returns its output. A bash whose input is a socket, as Node's is, would read the user's start file. */
export const print = (command: string, cwd: string, variables: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const env = { ...process.env, ...variables }
    const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", command], { cwd, env })
    return stdout
  })

/** The JSON object that a command prints. */
export const run = (command: string, cwd: string, variables: Readonly<Record<string, string>>) =>
  Effect.map(print(command, cwd, variables), (text) => JSON.parse(text) as Readonly<Record<string, unknown>>)
