/** The tool of Prometheus, which Debian's package `prometheus` has. */
import { spawnSync } from "node:child_process"

/** The program, in `PATH` or at `SLUICE_TEST_PROMTOOL`; `null` when it is missing. */
export const program = (() => {
  const named = process.env.SLUICE_TEST_PROMTOOL ?? "promtool"
  return spawnSync(named, ["--version"]).status === 0 ? named : null
})()

export const missing = "promtool is missing: Debian's package prometheus has it"

/** The complaints of `promtool check metrics` about metrics; empty for correct ones, and when the tool is missing. */
export const complaintsAbout = (text: string): string => {
  if (program === null) return ""
  const { status, stderr, stdout } = spawnSync(program, ["check", "metrics"], { input: text, encoding: "utf8" })
  return status === 0 ? "" : `${stdout}${stderr}`
}
