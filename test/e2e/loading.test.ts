/** The packages that each command loads, and its memory: no more than its task needs. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../support/databases.ts"
import { freePort } from "../support/ownServer.ts"
import { completed, dataDir, key, masterKey, sluice } from "../support/processes.ts"
import { until } from "../support/waiting.ts"

/** The sources of this checkout, whose modules are those of the packages. */
const checkout = "."

const preload = pathToFileURL(join(import.meta.dirname, "../support/LoadedPackages.ts")).href

/** The packages that only some commands need. */
const large = [
  "@effect/sql-pg",
  "@electric-sql/pglite",
  "@js-temporal/polyfill",
  "ajv",
  "aws4fetch",
  "fontoxpath",
  "htmlparser2",
  "jsonata",
  "mailauth",
  "mediabunny",
  "nodemailer",
  "playwright-core",
  "postal-mime",
  "smtp-server",
  "socks",
  "ssh2",
  "tldts"
]

/** The packages that the stores need. */
const stores = ["@effect/sql-pg", "ajv", "jsonata"]

interface Service {
  readonly command: string
  readonly started: RegExp
  /** All that it loads of the large packages. */
  readonly loads: ReadonlyArray<string>
  /** The most memory that it takes once it is at rest, in megabytes, without a compile cache. */
  readonly atRest: number
  readonly settings?: Record<string, string>
}

const services = (smtpPort: number): ReadonlyArray<Service> => [
  {
    command: "scheduler",
    started: /sluice scheduler started/,
    // A check of a credential that it begins compares sites.
    loads: [...stores, "tldts"],
    atRest: 150
  },
  {
    command: "worker",
    started: /sluice worker started/,
    loads: [...stores, "socks", "tldts"],
    atRest: 150,
    // A browser that is never there: the worker starts without one.
    settings: { SLUICE_BROWSER_ENDPOINTS: "ws://127.0.0.1:9/none" }
  },
  {
    command: "api",
    started: /sluice ready/,
    loads: [...stores, "tldts"],
    atRest: 180
  },
  {
    command: "inbox",
    started: /sluice inbox ready/,
    loads: [...stores, "nodemailer", "smtp-server", "tldts"],
    atRest: 150,
    settings: { SLUICE_SMTP_PORT: String(smtpPort), SLUICE_SMTP_HOST: "127.0.0.1", SLUICE_INBOX_DOMAIN: "inbox.test" }
  }
]

interface Loaded {
  readonly packages: ReadonlyArray<string>
  readonly modules: number
  readonly bytes: number
}

const readLoaded = (file: string): Loaded => JSON.parse(readFileSync(file, "utf8"))

const loadedOf = (file: string) => {
  const { packages } = readLoaded(file)
  assert.include(packages, "effect")
  return large.filter((name) => packages.includes(name))
}

const megabytesOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

describe.concurrent("commands", () => {
  it.live("each service loads only the packages of its task, and returns the memory that its start took", () =>
    Effect.gen(function* () {
      const [folder, database] = [yield* dataDir, yield* freshDatabase]
      const settings = {
        DATABASE_URL: database,
        SLUICE_MASTER_KEY: masterKey,
        SLUICE_DATA_DIR: folder,
        NODE_OPTIONS: `--import=${preload}`,
        // A process keeps what it adds to the cache in memory, so its first start would take more than later ones.
        NODE_DISABLE_COMPILE_CACHE: "1"
      }
      assert.strictEqual((yield* completed(["migrate"], settings, checkout)).code, 0)
      yield* Effect.forEach(
        services(yield* Effect.promise(freePort)),
        ({ atRest, command, loads, settings: own, started }) =>
          Effect.gen(function* () {
            const file = join(folder, command)
            const service = yield* sluice([command], { ...settings, ...own, SLUICE_TEST_LOADED: file }, checkout)
            yield* service.said(started)
            if (process.platform === "linux") {
              const { pid = 0 } = service.child
              yield* until(
                `${command} to take ${atRest} MB`,
                Effect.sync(() => megabytesOf(pid)),
                (taken) => taken <= atRest
              )
            }
            service.child.kill("SIGTERM")
            yield* service.ended
            assert.sameMembers(loadedOf(file), [...loads], command)
          }),
        { concurrency: "unbounded", discard: true }
      )
    }).pipe(Effect.scoped)
  )

  it.live("help and commands without a database load none of the large packages", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      const commands = [["--help"], ["worker", "--help"], ["keys", "create", "--help"], ["keys", "list", "--data-dir="]]
      yield* Effect.forEach(
        commands,
        (args, index) =>
          Effect.gen(function* () {
            const file = join(folder, `${index}`)
            yield* completed(args, { NODE_OPTIONS: `--import=${preload}`, SLUICE_TEST_LOADED: file }, checkout)
            assert.deepStrictEqual(loadedOf(file), [], args.join(" "))
          }),
        { concurrency: 2, discard: true }
      )
    }).pipe(Effect.scoped)
  )

  it.live("a command of users loads its bundle alone: no packages, under 100 modules, at most 3.5 MB", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      const file = join(folder, "loaded")
      const settings = {
        NODE_OPTIONS: `--import=${preload}`,
        SLUICE_TEST_LOADED: file,
        // No one answers there: the request has been made by then.
        SLUICE_URL: "http://127.0.0.1:9",
        SLUICE_KEY: key
      }
      const { output } = yield* completed(["runs", "ls"], settings)
      assert.include(output, "http://127.0.0.1:9")
      const { bytes, modules, packages } = readLoaded(file)
      assert.deepStrictEqual(packages, [])
      assert.isAbove(modules, 5)
      assert.isBelow(modules, 100)
      assert.isBelow(bytes, 3_500_000)
    }).pipe(Effect.scoped)
  )
})
