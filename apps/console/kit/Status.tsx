/** How states of runs and instants are shown. */
import { now, useAtom } from "./Registry.ts"
import { statusOf, type Tone } from "./Statuses.ts"
import { full, relative, viewerZone } from "./Times.ts"

/** The state of a run: a word, and a mark that differs by form and not only by colour. */
export const Status = ({ status }: { readonly status: string }) => {
  const { tone, word } = statusOf(status)
  return (
    <span class={`status ${tone}`}>
      <Mark tone={tone} />
      {word}
    </span>
  )
}

const Mark = ({ tone }: { readonly tone: Tone }) => (
  <svg class="mark" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    {tone === "good" && <path d="M2 6.5 5 9l5-6" fill="none" stroke="currentColor" stroke-width="1.8" />}
    {tone === "bad" && <path d="m3 3 6 6m0-6-6 6" fill="none" stroke="currentColor" stroke-width="1.8" />}
    {tone === "busy" && <path d="M6 1.5A4.5 4.5 0 1 1 1.5 6" fill="none" stroke="currentColor" stroke-width="1.8" />}
    {tone === "held" && <path d="M4 2.5v7m4-7v7" fill="none" stroke="currentColor" stroke-width="1.8" />}
    {tone === "idle" && <circle cx="6" cy="6" r="3.2" fill="none" stroke="currentColor" stroke-width="1.6" />}
  </svg>
)

/** An instant relative to now, with the full date as a tooltip and for screen readers. */
export const Ago = ({ at }: { readonly at: string | null }) => {
  const present = useAtom(now)
  if (at === null) return <span class="quiet">–</span>
  const instant = Date.parse(at)
  return (
    <time dateTime={at} title={`${full(instant)} (${viewerZone})`}>
      {relative(instant, present)}
    </time>
  )
}
