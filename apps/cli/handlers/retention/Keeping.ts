/** The settings of how long an installation keeps what runs leave behind. */
import type { Installation } from "../../../../core/workspace/retention/RetentionDays.ts"

export interface Keeping {
  /** The number of days for which artifacts and evidence of runs are kept; `null`: without limit. */
  readonly retentionDays: number | null
  /** The number of days for which runs that have ended are kept; `null`: without limit. */
  readonly runRetentionDays: number | null
}

export const installationOf = ({ retentionDays, runRetentionDays }: Keeping): Installation => ({
  artifacts: retentionDays,
  runs: runRetentionDays
})
