import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { type Project, shared } from "./projects.ts"
import Longest from "./support/Longest.ts"
import { testMillis } from "./support/limits.ts"

interface Options {
  readonly globalSetup?: ReadonlyArray<string>
}

/** The test files that `npm test` leaves out, because they passed and nothing that they depend on has changed. */
const listed = process.env.SLUICE_TEST_UNCHANGED
const unchanged: ReadonlyArray<string> = listed === undefined ? [] : JSON.parse(readFileSync(listed, "utf8"))

const project = (name: Project, options: Options = {}) => joined(name, [name], options)

const joined = (name: string, files: ReadonlyArray<Project>, { globalSetup = [] }: Options = {}) => ({
  extends: true as const,
  test: {
    name,
    include: files.map((file) => `test/${file}/**/*.test.ts`),
    exclude: [...unchanged],
    globalSetup: [...globalSetup]
  }
})

const postgres = { globalSetup: ["test/support/postgresServer.ts"] }
const processes = { globalSetup: [...postgres.globalSetup, "test/support/bundledPrograms.ts"] }

/** `npm test` names no project, and has the files of several of them share their processes. */
const isWhole = process.env.SLUICE_TEST_WHOLE === "1"

/** `--root` stays the repository so that paths in reports are those of the tree. */
export default defineConfig({
  test: {
    testTimeout: testMillis,
    hookTimeout: testMillis,
    pool: "forks",
    setupFiles: [
      "test/support/noteReads.ts",
      "test/support/noteCosts.ts",
      ...(process.env.SLUICE_TEST_DELAY ? ["test/support/delaySeed.ts"] : [])
    ],
    // A worker loads a module once for all its files, which saves a quarter of the processor time of all tests.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: Longest },
    // One more than processors: each waits a third of its time, for browsers, databases and processes.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    maxConcurrency: 3,
    projects: [
      ...(isWhole
        ? [joined("shared", shared, postgres)]
        : [project("unit"), project("contract", postgres), project("http")]),
      project("browser"),
      project("e2e", processes)
    ]
  }
})
