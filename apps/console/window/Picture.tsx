/** The next weeks as a picture: a strip of 24 hours for each day, filled where the window is open. */
import type { Schedule } from "../../../core/window/RunWindow.ts"
import { Section } from "../kit/Page.tsx"
import { type DayPicture, weeksOf } from "./WindowModel.ts"

const heads = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

export const Picture = ({ at, schedule }: { readonly schedule: Schedule; readonly at: number }) => {
  const weeks = weeksOf(schedule, at, 8)
  return (
    <Section title="The next 8 weeks" note={schedule.window.time_zone}>
      <div class="body">
        <table class="weeks">
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr key={week[0]?.date}>
                {week.map((day) => (
                  <td key={day.date} class={day.isToday ? "today" : day.isPast ? "past" : undefined}>
                    <Day day={day} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <p class="hint">
          Each strip is one day from 00:00 to 24:00 in the zone of the window. A mark such as 23 h or 25 h is at a day
          on which the clocks change. The picture and the next openings are computed with the time zone data of this
          browser. Runs start by those of the service, which Home names where they are old.
        </p>
      </div>
    </Section>
  )
}

const clock = (fraction: number): string => {
  const minutes = Math.round(fraction * 1_440)
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`
}

const Day = ({ day }: { readonly day: DayPicture }) => {
  const hours = day.open.map(([from, to]) => `${clock(from)} to ${clock(to)}`).join(", ")
  const words = `${day.date}: ${hours === "" ? "closed" : `open ${hours}`}${day.hours === null ? "" : `, a day of ${day.hours} hours`}`
  return (
    <div class="day" title={words}>
      <span aria-hidden="true">
        {day.dayOfMonth === 1 ? `1 ${months[day.month - 1]}` : day.dayOfMonth}
        {day.hours !== null && <b class="dst">{day.hours} h</b>}
      </span>
      <svg viewBox="0 0 96 10" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect width="96" height="10" class="strip" />
        {day.open.map(([from, to]) => (
          <rect key={from} x={from * 96} width={Math.max(0.8, (to - from) * 96)} height="10" class="open" />
        ))}
      </svg>
    </div>
  )
}
