/**
 * The next openings, each with the part of the window that decides it, in the zones of the window and of the reader.
 */
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { Empty, Section } from "../kit/Page.tsx"
import { Table } from "../kit/Table.tsx"
import { duration, ending, offsetName, short, viewerZone, zoned } from "../kit/Times.ts"
import { deciderWords } from "./WindowModel.ts"

export const Openings = ({
  at,
  schedule,
  window
}: {
  readonly schedule: RunWindow.Schedule
  readonly window: RunWindow.ValidRunWindow
  readonly at: number
}) => {
  const next = RunWindow.openings(schedule, at, 6)
  const zone = window.time_zone
  const isElsewhere = zone !== viewerZone
  if (next.length === 0) {
    return (
      <Section title="Next openings">
        <Empty title="It never opens">With these hours no run starts within 400 days.</Empty>
      </Section>
    )
  }
  return (
    <Section title="Next openings" note={zone}>
      <Table
        label="Openings of the window"
        rows={next}
        keyOf={({ opensAt }) => String(opensAt)}
        columns={[
          {
            word: "Opens",
            cell: ({ closesAt, opensAt }) => (
              <>
                {opensAt <= at ? "Open now" : short(opensAt, zone)}
                {closesAt !== null && ` – ${ending(Math.max(opensAt, at), closesAt, zone)}`}
                <span class="quiet"> {offsetName(opensAt, zone)}</span>
                {closesAt !== null && offsetName(opensAt, zone) !== offsetName(closesAt, zone) && (
                  <span class="status held"> {duration(closesAt - opensAt)}, as the clocks change</span>
                )}
                {isElsewhere && opensAt > at && <div class="quiet">Here: {zoned(opensAt)}</div>}
              </>
            )
          },
          {
            word: "By",
            cell: ({ deciders }) => deciders.map(({ label, path }) => deciderWords(window, path, label)).join(", ")
          }
        ]}
      />
    </Section>
  )
}
