// @ts-check
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/**
 * The files of a checkout that have changed since the linter accepted them. Every rule in use reads one file only, so an
 * unchanged file needs no second check.
 *
 * `accept` records the state of the files at the time of this call.
 *
 * @param {string} folder of the checkout
 * @param {string} record the file with the hashes of the accepted files
 * @returns {{ readonly files: ReadonlyArray<string>, readonly accept: () => void }}
 */
export const unlinted = (folder, record) => {
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: folder,
    encoding: "utf8"
  })
  // Without Git, as in an unpacked archive, everything is linted.
  if (listed.status !== 0) return { files: ["."], accept: () => {} }
  const paths = listed.stdout.split("\0").filter((path) => path !== "" && isFile(join(folder, path)))
  const hashes = new Map(paths.map((path) => [path, hashOf(readFileSync(join(folder, path)))]))
  // The verdict on a file depends on the rules and on the version of the linter.
  const judge = `${hashes.get(".biome.json")} ${hashes.get("package-lock.json")}`
  const kept = read(record)
  const accepted = kept?.judge === judge ? new Map(Object.entries(kept.hashes)) : new Map()
  return {
    files: paths.filter((path) => accepted.get(path) !== hashes.get(path)),
    accept: () => {
      mkdirSync(dirname(record), { recursive: true })
      writeFileSync(record, JSON.stringify({ judge, hashes: Object.fromEntries(hashes) }))
    }
  }
}

/** @param {string} path */
const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

/** @param {Buffer} bytes */
const hashOf = (bytes) => createHash("sha1").update(bytes).digest("base64")

/**
 * @param {string} record
 * @returns {{ judge: string, hashes: Record<string, string> } | null}
 */
const read = (record) => {
  try {
    return existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : null
  } catch {
    // An incomplete record counts as none.
    return null
  }
}
