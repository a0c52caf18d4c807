/** A text before and after a change, line by line; `null` where there was none. */
import { useMemo } from "preact/hooks"
import { linesOf, shortened } from "./LineDifference.ts"

export const Difference = ({
  after,
  before,
  what
}: {
  readonly what: string
  readonly before: string | null
  readonly after: string | null
}) => {
  const lines = useMemo(() => shortened(linesOf(before, after)), [before, after])
  return (
    <pre class="difference" role="region" tabIndex={0} aria-label={`${what}: what was removed and added`}>
      {lines.map((line, index) =>
        typeof line === "number" ? (
          <span key={index} class="quiet">
            {`  … ${line} equal ${line === 1 ? "line" : "lines"}`}
          </span>
        ) : line.kind === "removed" ? (
          <del key={index}>{`− ${line.text}`}</del>
        ) : line.kind === "added" ? (
          <ins key={index}>{`+ ${line.text}`}</ins>
        ) : (
          <span key={index}>{`  ${line.text}`}</span>
        )
      )}
    </pre>
  )
}
