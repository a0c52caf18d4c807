/**
 * The entries that wait to be written to one stream: bounded, with a mark where it overflowed.
 */
import { Effect, Queue } from "effect"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { type Entry, page } from "../EventLog.ts"

export interface Mailbox {
  readonly workspaceId: WorkspaceId
  /** The client or the run whose events it takes. */
  readonly topic: string
  readonly arrived: Queue.Queue<Entry | null>
  missed: boolean
  /** The total size of its entries, in characters. */
  characters: number
}

/** The capacity in entries and in characters. A stream that falls further behind reads the log instead. */
const capacity = 1_000
const mostCharacters = page.characters

/** An empty mailbox, closed with the scope. */
export const make = (workspaceId: WorkspaceId, topic: string) =>
  Effect.acquireRelease(
    Effect.map(
      Queue.dropping<Entry | null>(capacity),
      (arrived): Mailbox => ({ workspaceId, topic, arrived, missed: false, characters: 0 })
    ),
    ({ arrived }) => Queue.shutdown(arrived)
  )

/** Puts an entry of so many characters in, if it belongs there. One entry has room in an empty mailbox whatever its size. */
export const offer = (mailbox: Mailbox, entry: Entry, characters: () => number): void => {
  if (entry.workspaceId !== mailbox.workspaceId) return
  if (entry.clientId !== mailbox.topic && entry.runId !== mailbox.topic) return
  if (mailbox.missed) return
  const together = mailbox.characters + characters()
  const hasRoom = mailbox.characters === 0 || together <= mostCharacters
  if (hasRoom && Queue.offerUnsafe(mailbox.arrived, entry)) mailbox.characters = together
  else mailbox.missed = true
}

/** Wakes readers that wait for an arrival. */
export const wake = (mailbox: Mailbox): void => void Queue.offerUnsafe(mailbox.arrived, null)

/** Marks that the log has more than the mailbox. */
export const miss = (mailbox: Mailbox): void => {
  mailbox.missed = true
}

/** Returns whether the log had more, and accepts entries again. */
export const takeMissed = (mailbox: Mailbox): boolean => {
  const { missed } = mailbox
  mailbox.missed = false
  return missed
}

/** The current entries. */
export const takeNow = (mailbox: Mailbox): Effect.Effect<ReadonlyArray<Entry>> =>
  Effect.map(Queue.clear(mailbox.arrived), (all) => {
    mailbox.characters = 0
    return all.filter((entry) => entry !== null)
  })

/** Waits until there is an entry, at most the given milliseconds. */
export const arrival = ({ arrived }: Mailbox, millis: number): Effect.Effect<void> =>
  Effect.raceFirst(Queue.peek(arrived), Effect.sleep(millis)).pipe(Effect.asVoid)
