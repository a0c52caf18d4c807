/**
 * Limits of one visit to a page.
 */

/** How long one evaluation of a path may take, in milliseconds. */
export const evaluationMillis = 5_000

/** How many elements the browser's own engine may look at in one evaluation. It cannot be stopped; the other one can. */
export const largestWork = 30_000_000
