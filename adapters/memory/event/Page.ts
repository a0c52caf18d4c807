/** One page of events that are in memory. */
import { page } from "../../../core/event/EventLog.ts"
import type { LoggedEvent } from "../../../core/event/RunEvent.ts"

/** The first events, as many as a page has. */
export const pageOf = (events: ReadonlyArray<LoggedEvent>): ReadonlyArray<LoggedEvent> => {
  let characters = 0
  let count = 0
  for (const { event } of events.slice(0, page.events)) {
    if (characters >= page.characters) break
    characters += JSON.stringify(event).length
    count++
  }
  return events.slice(0, count)
}
