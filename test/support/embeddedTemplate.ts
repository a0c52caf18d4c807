/**
 * A file of an embedded database with all tables, of which tests open copies. It is made at the first use and kept in
 * `.cache` until the code that makes its tables changes.
 */
import { createHash } from "node:crypto"
import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import * as Embedded from "../../adapters/embedded/Embedded.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const cache = join(root, ".cache")

/** A hash of everything that determines the content of the file. */
const fingerprint = (): string => {
  const hash = createHash("sha256")
  const add = (path: string) => hash.update(path).update(readFileSync(join(root, path)))
  for (const folder of ["adapters/embedded", "adapters/postgres"]) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    for (const name of names.filter((name) => name.endsWith(".ts")).sort()) add(`${folder}/${name}`)
  }
  add("package-lock.json")
  return hash.digest("hex").slice(0, 16)
}

const make = async (): Promise<string> => {
  const name = `embedded-${fingerprint()}.tar`
  const file = join(cache, name)
  if (existsSync(file)) return file
  const folder = mkdtempSync(join(tmpdir(), "sluice-template-"))
  await Effect.runPromise(Effect.scoped(Layer.build(Embedded.layer(folder))))
  const database = await PGlite.create(join(folder, "database"))
  const bytes = Buffer.from(await (await database.dumpDataDir("none")).arrayBuffer())
  await database.close()
  rmSync(folder, { recursive: true })
  mkdirSync(cache, { recursive: true })
  // Two workers may make it at the same time. The first file stays, because another process may be reading it.
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, bytes)
  try {
    linkSync(partial, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  }
  rmSync(partial)
  for (const other of readdirSync(cache)) {
    if (/^embedded-[0-9a-f]+\.tar$/.test(other) && other !== name) rmSync(join(cache, other), { force: true })
  }
  return file
}

let made: Promise<string> | undefined

/** The path of the file. */
export const embeddedTemplate = (): Promise<string> => {
  made ??= make()
  return made
}
