/** Findings that are known and not fixed yet. The list should be empty. */
import type { Finding } from "./Fuzz.ts"

interface Known {
  readonly what: string
  readonly matches: (finding: Finding) => boolean
}

export const known: ReadonlyArray<Known> = []

/** The description of a known finding; `null` when it is new. */
export const knownOf = (finding: Finding): string | null => known.find((one) => one.matches(finding))?.what ?? null
