// @ts-check
/** Raised when a person has to do something; its message says what. */
export class BootstrapError extends Error {}

/**
 * Says what is about to take a while.
 * @param {string} text
 */
export const say = (text) => void process.stderr.write(`${text}\n`)
