/**
 * The programs that tests start as processes again and again. In a run of the tests of whole processes each is a few
 * files instead of a thousand (`bundledPrograms.ts`), and starts with a half to two thirds of the processor time.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Each by its source. */
export const programs = {
  sluice: "apps/cli/main.ts",
  chaosWorker: "test/chaos/WorkerProcess.ts",
  slotWorker: "test/support/SlotProcess.ts",
  server: "test/support/ServerProcess.ts",
  fuzzTarget: "test/fuzz/TargetProcess.ts"
} as const

/** The file that Node runs: the bundled one in the folder `SLUICE_TEST_PROGRAMS`, or else the source. */
export const programOf = (name: keyof typeof programs): string => {
  const bundled = process.env.SLUICE_TEST_PROGRAMS
  return bundled === undefined || bundled === "" ? join(root, programs[name]) : join(bundled, `${name}.js`)
}
