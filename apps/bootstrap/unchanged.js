// @ts-check
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { dependencies } from "./dependsOn.js"
import { hashOf, treeOf } from "./tree.js"

/**
 * What stands behind every test: the lock file, and the settings and setup of the runner. `npm test` judges nothing by what
 * passed under others.
 */
const behindAll = [
  "package.json",
  "package-lock.json",
  "test/projects.ts",
  "test/vitest.config.ts",
  ...["bundledPrograms", "limits", "noteCosts", "noteReads", "postgresServer", "scale"].map(
    (name) => `test/support/${name}.ts`
  )
]

/**
 * @typedef {object} Passed
 * @property {number} tests How many tests of the file passed.
 * @property {ReadonlyArray<number>} on The keys of what it depends on, by their place in the record.
 * @property {string} state The state of all these.
 */

/**
 * @typedef {object} Record
 * @property {string} judge
 * @property {ReadonlyArray<string>} keys
 * @property {Readonly<{ [name: string]: Passed }>} passed By the path of a test file, or the name of another check.
 */

/**
 * The checks that need not run again, because all that they depend on is as it was when they passed: test files, and
 * others by their name. What is not known counts as changed.
 *
 * @param {string} root
 * @param {object} options
 * @param {string} options.node the version of Node
 * @param {NodeJS.ProcessEnv} options.env those whose name starts with `SLUICE_` and the time zone count
 * @param {string} [options.record] the file that keeps what passed
 */
export const memoryOf = (root, { env, node, record = join(root, ".cache", "passed.json") }) => {
  const tree = treeOf(root)
  const settings = Object.entries(env).filter(([name]) => name.startsWith("SLUICE_") || name === "TZ")
  const judge = hashOf(JSON.stringify([node, settings.sort(), behindAll.map((path) => tree?.stateOf(path))]))
  const kept = read(record)
  const passed = new Map(tree !== null && kept?.judge === judge ? Object.entries(kept.passed) : [])
  const keys = passed.size === 0 ? [] : [...(kept?.keys ?? [])]
  return {
    /** The test files of the checkout; `null` where that is not known. */
    files: tree?.paths.filter((path) => /^test\/.*\.test\.ts$/.test(path)) ?? null,
    /**
     * How many tests passed in what is unchanged; `null` for what must run.
     *
     * @param {string} name
     */
    unchanged: (name) => {
      const found = passed.get(name)
      if (tree === null || found === undefined) return null
      return stateOf(
        tree,
        found.on.map((at) => keys[at] ?? "")
      ) === found.state
        ? found.tests
        : null
    },
    /**
     * Keeps what has passed and forgets what has failed. What depends on a file that changed since this began is not kept.
     *
     * @param {ReadonlyArray<Ran>} all
     * @param {Loading} [loading]
     */
    keep: (all, loading = new Map()) => {
      const now = treeOf(root)
      if (tree === null || now === null) return
      const dependsOn = dependencies(root, now)
      const places = new Map(keys.map((key, at) => [key, at]))
      for (const { isPassed, name, on, starts, tests } of all) {
        passed.delete(name)
        const loaded = [...dependsOn(starts)]
        const every = [...new Set([...on, ...loaded, ...loaded.flatMap((path) => loading.get(path) ?? [])])].sort()
        const state = stateOf(now, every)
        if (!isPassed || state !== stateOf(tree, every)) continue
        for (const key of every) if (!places.has(key)) places.set(key, keys.push(key) - 1)
        passed.set(name, { tests, on: every.map((key) => places.get(key) ?? -1), state })
      }
      mkdirSync(dirname(record), { recursive: true })
      writeFileSync(`${record}.${process.pid}`, JSON.stringify({ judge, keys, passed: Object.fromEntries(passed) }))
      renameSync(`${record}.${process.pid}`, record)
    }
  }
}

/**
 * @typedef {object} Ran
 * @property {string} name
 * @property {boolean} isPassed
 * @property {number} tests
 * @property {ReadonlyArray<string>} starts Files of code that it loads, with all that these name in turn.
 * @property {ReadonlyArray<string>} on Keys of what else it depends on: see `tree.js`.
 */

/**
 * What modules read while they were loaded. A process loads a module once for all of its test files.
 *
 * @typedef {ReadonlyMap<string, ReadonlyArray<string>>} Loading
 */

/**
 * @param {import("./tree.js").Tree} tree
 * @param {ReadonlyArray<string>} keys
 */
const stateOf = (tree, keys) => hashOf(keys.map((key) => `${key} ${tree.stateOf(key)}`).join("\n"))

/**
 * @param {string} record
 * @returns {Record | null}
 */
const read = (record) => {
  try {
    return existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : null
  } catch {
    // An incomplete record counts as none.
    return null
  }
}

/**
 * The test files of a run, with what the processes of the tests have noted in a folder: see `test/support/noteReads.ts`.
 *
 * @param {string} folder
 * @param {Readonly<{ [path: string]: { readonly isPassed: boolean, readonly tests: number } }>} outcomes
 * @returns {{ readonly ran: ReadonlyArray<Ran>, readonly loading: Loading }}
 */
export const ranFiles = (folder, outcomes) => {
  /** @type {Map<string, { readonly reads: ReadonlyArray<string>, readonly starts: ReadonlyArray<string> }>} */
  const noted = new Map()
  /** @type {Map<string, ReadonlyArray<string>>} */
  const loading = new Map()
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".reads"))) {
    for (const line of readFileSync(join(folder, name), "utf8").trim().split("\n")) {
      const one = JSON.parse(line)
      noted.set(one.file, one)
      for (const [module, keys] of Object.entries(one.loading)) {
        loading.set(module, [...(loading.get(module) ?? []), ...keys])
      }
    }
  }
  const ran = Object.entries(outcomes).map(([name, { isPassed, tests }]) => {
    const { reads = [], starts = [] } = noted.get(name) ?? {}
    // A file that noted nothing, as when its process was killed, is not known.
    return { name, isPassed: isPassed && noted.has(name), tests, starts: [name, ...starts], on: reads }
  })
  return { ran, loading }
}
