/** A text before and after a change; `null` where there was none. */
export const Difference = ({
  after,
  before,
  what
}: {
  readonly what: string
  readonly before: string | null
  readonly after: string | null
}) => (
  <>
    {before !== null && (
      <pre class="removed" role="region" tabIndex={0} aria-label={`${what} before`}>
        {before}
      </pre>
    )}
    {after !== null && (
      <pre class="added" role="region" tabIndex={0} aria-label={`${what} after`}>
        {after}
      </pre>
    )}
  </>
)
