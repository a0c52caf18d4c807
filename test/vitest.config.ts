import { defineConfig } from "vitest/config"
import Longest from "./support/Longest.ts"

/** One configuration for every test; `--root` stays the repository so that paths in reports are those of the tree. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    globalSetup: ["test/support/globalSetup.ts"],
    pool: "forks",
    // What the files import is loaded once by each worker, which takes a quarter of the processor time of all tests away.
    isolate: false,
    sequence: { sequencer: Longest },
    maxWorkers: 2,
    maxConcurrency: 3
  }
})
