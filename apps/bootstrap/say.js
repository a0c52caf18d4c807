// @ts-check
/** An error that the user has to resolve. Its message says how. */
export class BootstrapError extends Error {}

/**
 * Prints the beginning of a long operation.
 * @param {string} text
 */
export const say = (text) => void process.stderr.write(`${text}\n`)
