// @ts-check
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/**
 * @typedef {object} Tree
 * @property {ReadonlyArray<string>} paths The files, relative to the checkout, with forward slashes.
 * @property {(path: string) => boolean} hasFile
 * @property {(path: string) => boolean} hasFolder
 * @property {(key: string) => string} stateOf What a key stands for now, as a hash. `a/b.ts` is a file, or that there is none,
 * `a/` is everything below the folder `a`, and `a/*` the names below it; the root is the folder of no name.
 */

/** @param {string | Buffer} content */
export const hashOf = (content) => createHash("sha1").update(content).digest("base64")

/**
 * The files of a checkout that Git does not ignore, as they are now; `null` without Git, as in an unpacked archive.
 *
 * @param {string} root
 * @returns {Tree | null}
 */
export const treeOf = (root) => {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 })
  if (status !== 0) return null
  const paths = [...new Set(stdout.split("\0"))].filter((path) => path !== "" && isFile(join(root, path))).sort()
  const hashes = new Map(paths.map((path) => [path, hashOf(readFileSync(join(root, path)))]))
  const folders = new Set(
    paths.flatMap((path) => path.split("/").flatMap((_, at, parts) => (at === 0 ? [] : [parts.slice(0, at).join("/")])))
  )
  const below = (/** @type {string} */ folder) => paths.filter((path) => path.startsWith(folder))
  const newStateOf = (/** @type {string} */ key) => {
    if (key.endsWith("/*") || key === "*") return hashOf(below(key.slice(0, -1)).join("\n"))
    if (key.endsWith("/")) {
      return hashOf(
        below(key === "/" ? "" : key)
          .map((path) => `${path} ${hashes.get(path)}`)
          .join("\n")
      )
    }
    return hashes.get(key) ?? (folders.has(key) ? "a folder" : "absent")
  }
  /** @type {Map<string, string>} */
  const states = new Map()
  return {
    paths,
    hasFile: (path) => hashes.has(path),
    hasFolder: (path) => folders.has(path),
    stateOf: (key) => {
      const state = states.get(key) ?? newStateOf(key)
      states.set(key, state)
      return state
    }
  }
}

/** @param {string} path */
const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
