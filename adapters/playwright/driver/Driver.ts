/**
 * Playwright, loaded by the first browser: it takes a quarter of the memory of a worker, which one that reaches no browser
 * does without.
 */
let loading: Promise<typeof import("playwright-core")> | undefined

export const load = (): Promise<typeof import("playwright-core")> => {
  loading ??= import("playwright-core")
  return loading
}

export const isLoaded = (): boolean => loading !== undefined
