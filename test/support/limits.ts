/**
 * The limits of time in tests. They find what hangs: no test says by them how fast something is.
 */
import { scale } from "./scale.ts"

/** What does not come within this time never comes, on any machine. */
export const hangMillis = 120_000

/** The limit of a test or a hook. It is long enough for a wait in it to fail first, and say what it waited for. */
export const testMillis = 5 * hangMillis * scale
