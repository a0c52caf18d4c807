/** The words about a canary. */
import type { CanaryRecord } from "../../api/canary/CanariesApi.ts"

type Canary = typeof CanaryRecord.Type

const states = {
  running: "is a canary",
  promoted: "was a canary and was promoted",
  stopped: "was a canary and was rolled back",
  replaced: "was a canary until another version was saved"
} as const

export const headingOf = ({ share, state, version_number }: Canary): string =>
  state === "running"
    ? `Version ${version_number} ${states[state]} with ${Math.round(share * 100)} % of the runs`
    : `Version ${version_number} ${states[state]}`

/** How the runs of both versions ended, the new one first; none where nobody counted them. */
export const countsOf = ({
  base_version_number,
  evidence,
  max_failures,
  runs,
  version_number
}: Canary): ReadonlyArray<{ readonly version: number; readonly text: string }> => {
  if (evidence === null) return []
  const { base, candidate } = evidence
  const text = ({ failed, succeeded }: typeof base) => `${failed} of ${failed + succeeded} ended runs failed`
  return [
    { version: version_number, text: `${text(candidate)} (until ${runs} ended, or ${max_failures} failed)` },
    { version: base_version_number, text: text(base) }
  ]
}
