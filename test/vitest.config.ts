import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { globsOf, type Project } from "./projects.ts"
import Longest from "./support/Longest.ts"

const project = (name: Project, options: { readonly globalSetup?: ReadonlyArray<string> } = {}) => ({
  extends: true as const,
  test: { name, ...globsOf(name), globalSetup: [...(options.globalSetup ?? [])] }
})

const postgres = { globalSetup: ["test/support/postgresServer.ts"] }

/** `--root` stays the repository so that paths in reports are those of the tree. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Each worker loads a module once for all its test files, which saves a quarter of the processor time of all tests.
    isolate: false,
    sequence: { sequencer: Longest },
    maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
    maxConcurrency: 3,
    projects: [
      project("unit"),
      project("contract", postgres),
      project("http"),
      project("browser"),
      project("e2e", postgres)
    ]
  }
})
