// @ts-check
import { readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"

const isCode = (/** @type {string} */ path) => /\.(tsx?|m?js)$/.test(path)

/** What stands between two quotes without a blank. A quote that opens nothing hides no later one. */
const quoted = /["'](?=([^"'\s]+)["'])/g

/** The part of a template before what is put into it, up to its last slash. */
const begun = /`([^`\s$]*\/)[^`\s$]*\$\{/g

/**
 * What a file of code may load: the modules that it imports, and every other file and folder of the checkout that a text
 * in it names, such as the module of a thread, a program, or a file of data. A text counts when it names something, from
 * the folder of the file or from the root, whatever it is for. A folder ends in `/` and stands for all below it.
 *
 * @param {string} path
 * @param {string} code
 * @param {import("./tree.js").Tree} tree
 * @param {ReadonlyMap<string, string>} exported the modules of the package by the name they are imported by
 * @returns {ReadonlyArray<string>}
 */
export const named = (path, code, tree, exported) => {
  const texts = [...code.matchAll(quoted)].map((match) => match[1] ?? "")
  const folders = [...code.matchAll(begun)].map((match) => match[1] ?? "")
  const candidates = [...texts, ...folders].filter((text) => text.includes("/") || text.includes("."))
  return [
    ...texts.flatMap((text) => exported.get(text) ?? []),
    ...candidates
      .filter((text) => !/^[./]+$/.test(text))
      .flatMap((text) => [posix.normalize(posix.join(dirname(path), text)), posix.normalize(text)]),
    // `./${name}.json` is any file of the folder.
    ...folders.filter((text) => /^[./]+$/.test(text)).map((text) => posix.normalize(posix.join(dirname(path), text)))
  ]
    .map((one) => one.replace(/\/$/, ""))
    .flatMap((one) => (tree.hasFile(one) ? [one] : tree.hasFolder(one) ? [`${one}/`] : []))
}

/**
 * Finds what files depend on: all that they name, and what that names in turn.
 *
 * @param {string} root
 * @param {import("./tree.js").Tree} tree
 */
export const dependencies = (root, tree) => {
  const { exports, name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const exported = new Map(
    Object.entries(exports).map(([key, path]) => [posix.join(name, key), posix.normalize(String(path))])
  )
  /** @type {Map<string, ReadonlyArray<string>>} */
  const known = new Map()
  const namedBy = (/** @type {string} */ path) => {
    const found = known.get(path) ?? named(path, readFileSync(join(root, path), "utf8"), tree, exported)
    known.set(path, found)
    return found
  }
  return (/** @type {ReadonlyArray<string>} */ paths) => {
    const all = new Set(paths)
    // A set is walked to its end, also over what is added meanwhile.
    for (const path of all) {
      if (tree.hasFile(path) && isCode(path)) for (const one of namedBy(path)) all.add(one)
    }
    return all
  }
}
