/**
 * Runs test files in this process with the functions of Vitest, without its modules and processes, which need Node: so
 * that every runtime can.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { testMillis } from "../../support/limits.ts"

/** A test or a group of tests, with what the functions of Vitest note of it. */
interface Task {
  readonly type: "test" | "suite"
  readonly name: string
  readonly mode: string
  readonly tasks?: ReadonlyArray<Task>
  readonly result?: { readonly state: string; readonly errors?: ReadonlyArray<TaskError> }
}

interface TaskError {
  readonly message: string
  readonly stack?: string
}

/** What Vitest calls while it runs tests. */
interface Runner {
  readonly config: object
  readonly importFile: (path: string) => Promise<unknown>
}

/** A failed test, or a file or a group that failed outside of its tests. */
export interface Failure {
  readonly title: string
  readonly reason: string
}

export interface Results {
  readonly passed: number
  readonly skipped: number
  readonly failures: ReadonlyArray<Failure>
}

const reasonOf = (errors: ReadonlyArray<TaskError> | undefined): string =>
  (errors ?? []).map(({ message, stack }) => stack ?? message).join("\n") || "It did not run"

const resultsOf = (task: Task, path: ReadonlyArray<string>): Results => {
  const title = [...path, task.name].filter((name) => name !== "").join(" > ")
  const state = task.result?.state
  const failure = { title, reason: reasonOf(task.result?.errors) }
  if (task.type === "test") {
    const skipped = task.mode === "skip" || task.mode === "todo"
    return {
      passed: state === "pass" ? 1 : 0,
      skipped: skipped ? 1 : 0,
      failures: skipped || state === "pass" ? [] : [failure]
    }
  }
  const parts = (task.tasks ?? []).map((one) => resultsOf(one, [...path, task.name]))
  const failures = parts.flatMap((part) => part.failures)
  // A group fails by its tests, or by what stands outside of them.
  const own = state === "fail" && (failures.length === 0 || (task.result?.errors ?? []).length > 0) ? [failure] : []
  return {
    passed: parts.reduce((sum, part) => sum + part.passed, 0),
    skipped: parts.reduce((sum, part) => sum + part.skipped, 0),
    failures: [...own, ...failures]
  }
}

/** The settings of Vitest that its functions read. */
const configOf = (root: string) => ({
  root,
  name: "",
  allowOnly: false,
  hookTimeout: testMillis,
  includeTaskLocation: false,
  maxConcurrency: 3,
  passWithNoTests: false,
  repeats: 0,
  retry: 0,
  sequence: { concurrent: false, hooks: "stack", seed: 0, setupFiles: "list", shuffle: false },
  setupFiles: [],
  strictTags: false,
  tags: [],
  testTimeout: testMillis
})

/** Runs the tests of a file, with the path of the file in the checkout. A file without tests is a failure. */
export const runFile = async (root: string, path: string): Promise<Results> => {
  const module: string = "vitest/internal/browser"
  const { startTests } = (await import(module)) as {
    readonly startTests: (paths: ReadonlyArray<string>, runner: Runner) => Promise<ReadonlyArray<Task>>
  }
  const [file] = await startTests([resolve(root, path)], {
    config: configOf(root),
    importFile: (absolute) => import(pathToFileURL(absolute).href)
  })
  if (file === undefined) throw new Error(`${path} was not run`)
  return resultsOf(file, [])
}
