/**
 * Notes which files of the checkout each test file reads, lists or starts, in the folder `SLUICE_TEST_COSTS`: a setup file
 * of the runner. `npm test` runs a test file again when one of them changes: see `apps/bootstrap/unchanged.js`, and
 * `apps/bootstrap/tree.js` for how they are written.
 *
 * What threads and started processes read is not seen. Their programs count with all that these name.
 */
import processes from "node:child_process"
import { appendFileSync, default as files } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, expect } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What one test file read since the one before it in this process. */
interface Noted {
  readonly reads: Set<string>
  /** The programs and modules that it started. */
  readonly starts: Set<string>
  /** What was read while a module was loaded: later test files of this process depend on it as well. */
  readonly loading: Map<string, Set<string>>
}

/** The path in the checkout, empty for its folder; `null` for one elsewhere, and for what Git ignores. */
const inCheckout = (given: unknown, folder = "."): string | null => {
  const path = given instanceof URL ? (given.protocol === "file:" ? fileURLToPath(given) : null) : given
  if (typeof path !== "string" && !Buffer.isBuffer(path)) return null
  const text = String(path)
  if (text.includes("\0")) return null
  // The runner numbers the modules that it loads again.
  const named = text.replace(/\?vitest=.*$/, "")
  const within = relative(root, resolve(folder, named.startsWith("file:") ? fileURLToPath(named) : named))
  const isOutside = within === ".." || within.startsWith(`..${sep}`)
  const parts = within.split(sep)
  // The console is built from its sources into a folder that Git ignores.
  if (parts[0] === ".cache" && parts[1] === "console") return "apps/console/"
  return isOutside || [".git", ".cache"].includes(parts[0] ?? "") || parts.includes("node_modules")
    ? null
    : parts.join("/")
}

/** The module of the checkout whose loading is the reason for what happens now. */
const loadingNow = (): string | undefined => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 100
  const lines = String(new Error().stack).split("\n")
  Error.stackTraceLimit = limit
  // The code of a module itself has no name.
  const places = lines.flatMap(
    (line) => /^\s+at (?:async )?(file:[^\s)]+?)(?:\?[^\s:]*)?:\d+:\d+$/.exec(line)?.[1] ?? []
  )
  return places.map((place) => inCheckout(place)).findLast((path) => path !== null)
}

const noting = (noted: () => Noted) => {
  const add = (key: string) => {
    noted().reads.add(key)
    const module = loadingNow()
    if (module === undefined) return
    const keys = noted().loading.get(module) ?? new Set()
    noted().loading.set(module, keys.add(key))
  }
  return {
    read: ([path]: ReadonlyArray<unknown>) => {
      const found = inCheckout(path)
      if (found !== null) add(found)
    },
    list: ([path]: ReadonlyArray<unknown>) => {
      const found = inCheckout(path)
      if (found !== null) add(found.endsWith("/") ? found : `${found === "" ? "" : `${found}/`}*`)
    },
    copy: ([path]: ReadonlyArray<unknown>) => {
      const found = inCheckout(path)
      if (found !== null) for (const key of [found, `${found}/`]) add(key)
    },
    /** A program, its arguments and its options, in one of the forms that Node takes. */
    start: (given: ReadonlyArray<unknown>) => {
      const [program, ...others] = given
      const { cwd } = Object(others.find((one) => typeof one === "object" && !Array.isArray(one)))
      const folder = cwd instanceof URL ? fileURLToPath(cwd) : cwd === undefined ? "." : String(cwd)
      // It reads the checkout in ways that are not seen here.
      if (/^(git|tsc)\b/.test(String(program)) && inCheckout(folder) !== null) add("/")
      for (const argument of [program, ...others].flat()) {
        // A program that is given as text is not a path.
        if (!(argument instanceof URL) && (typeof argument !== "string" || /\s/.test(argument))) continue
        const path = argument instanceof URL ? argument : argument.replace(/^-[^=]*=?/, "")
        const found = path === "" ? null : inCheckout(path, folder)
        if (found === null || found === "apps/console/") continue
        noted().starts.add(found)
        add(`${found}/`)
      }
    }
  }
}

type Note = (given: ReadonlyArray<unknown>) => void

type Callable = (...given: ReadonlyArray<unknown>) => unknown

/** Has a function note its arguments first, also where it is turned into one that answers a promise. */
const noted = (original: Callable, note: Note): Callable => {
  const noting = function (this: unknown, ...given: ReadonlyArray<unknown>): unknown {
    note(given)
    return Reflect.apply(original, this, given)
  }
  const properties = Object.getOwnPropertyDescriptors(original) as PropertyDescriptorMap
  const promised = properties[promisify.custom]
  if (promised !== undefined && promised.value !== original) {
    properties[promisify.custom] = { ...promised, value: noted(promised.value, note) }
  }
  return Object.defineProperties(noting, properties)
}

const names = {
  read: ["readFile", "open", "stat", "lstat", "access", "copyFile", "exists"],
  list: ["readdir", "opendir"],
  copy: ["cp"]
} as const

/** Has the functions of Node note what they are asked for. */
const watch = (current: () => Noted) => {
  const notes = noting(current)
  const replace = (module: object, name: string, note: Note) => {
    const original = Reflect.get(module, name)
    if (typeof original === "function") Reflect.set(module, name, noted(original, note))
  }
  for (const kind of ["read", "list", "copy"] as const) {
    for (const name of names[kind]) {
      for (const one of [name, `${name}Sync`]) replace(files, one, notes[kind])
      replace(files.promises, name, notes[kind])
    }
  }
  for (const name of ["spawn", "spawnSync", "execFile", "execFileSync", "exec", "execSync", "fork"]) {
    replace(processes, name, notes.start)
  }
  syncBuiltinESMExports()
}

const newNoted = (): Noted => ({ reads: new Set(), starts: new Set(), loading: new Map() })

const folder = process.env.SLUICE_TEST_COSTS
const place = Symbol.for("sluice/test/noted")

if (folder !== undefined) {
  // The runner loads this module again for each test file.
  const kept: { noted: Noted } = Reflect.get(globalThis, place) ?? { noted: newNoted() }
  if (!Reflect.has(globalThis, place)) {
    Reflect.set(globalThis, place, kept)
    watch(() => kept.noted)
  }
  afterAll(() => {
    const { loading, reads, starts } = kept.noted
    kept.noted = newNoted()
    const line = {
      file: inCheckout(expect.getState().testPath),
      reads: [...reads],
      starts: [...starts],
      loading: Object.fromEntries([...loading].map(([module, keys]) => [module, [...keys]]))
    }
    appendFileSync(`${folder}/${process.pid}.reads`, `${JSON.stringify(line)}\n`)
  })
}
