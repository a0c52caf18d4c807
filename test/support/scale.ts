/**
 * The scale of tests with many repetitions: `SLUICE_TEST_SCALE`, a whole number, multiplies the numbers of `npm test`.
 */
const given = process.env.SLUICE_TEST_SCALE ?? "1"

if (!/^[1-9]\d{0,3}$/.test(given)) {
  throw new Error(`SLUICE_TEST_SCALE=${given} is not a scale: expected a whole number from 1 to 9999`)
}

export const scale = Number(given)
