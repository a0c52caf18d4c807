import * as Unhandled from "./Unhandled.ts"

/**
 * Playwright, loaded by the first browser: it takes a quarter of the memory of a worker, which one that reaches no browser
 * does without. The process then outlives what Playwright leaves unhandled.
 */
let loading: Promise<typeof import("playwright-core")> | undefined

export const load = (): Promise<typeof import("playwright-core")> => {
  loading ??= import("playwright-core").then((loaded) => {
    Unhandled.install()
    return loaded
  })
  return loading
}

export const isLoaded = (): boolean => loading !== undefined
