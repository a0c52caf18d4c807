/**
 * How much the tests do. `npm test` runs each test at a size that finds most faults; `SLUICE_TEST_ALL=1`, which
 * `npm run test:all` sets, runs everything at the size of a night.
 *
 * `SLUICE_TEST_SCALE`, a whole number, multiplies the numbers of tests with many repetitions.
 */
const all = process.env.SLUICE_TEST_ALL ?? ""

if (!["", "1"].includes(all)) throw new Error(`SLUICE_TEST_ALL=${all} is not a choice: expected 1, or nothing`)

/** Whether tests run that take too long for each change, such as whole suites where `npm test` runs a part. */
export const isAll = all === "1"

/** What `npm test` takes of many of a kind: one of each `of`, from the first on. A night takes all. */
export const sampled = <A>(kind: ReadonlyArray<A>, of: number): ReadonlyArray<A> =>
  isAll ? kind : kind.filter((_, at) => at % of === 0)

const given = process.env.SLUICE_TEST_SCALE ?? (isAll ? "5" : "1")

if (!/^[1-9]\d{0,3}$/.test(given)) {
  throw new Error(`SLUICE_TEST_SCALE=${given} is not a scale: expected a whole number from 1 to 9999`)
}

export const scale = Number(given)
