/**
 * How much the tests of many repetitions do: `SLUICE_TEST_SCALE`, a whole number, multiplies the numbers of `npm test`, which
 * are those of a run of some minutes.
 */
const given = process.env.SLUICE_TEST_SCALE ?? "1"

if (!/^[1-9]\d{0,3}$/.test(given)) {
  throw new Error(`SLUICE_TEST_SCALE=${given} is no scale: expected a whole number from 1 to 9999`)
}

export const scale = Number(given)
