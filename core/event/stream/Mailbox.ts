/**
 * The entries that wait to be written to one stream: bounded, with a mark where it overflowed.
 */
import { Effect, Queue } from "effect"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { Entry } from "../EventLog.ts"

export interface Mailbox {
  readonly workspaceId: WorkspaceId
  /** The client or the run whose events it takes. */
  readonly topic: string
  readonly arrived: Queue.Queue<Entry | null>
  missed: boolean
}

/** A stream that falls further behind reads the log again instead. */
const capacity = 1_000

/** An empty mailbox, closed with the scope. */
export const make = (workspaceId: WorkspaceId, topic: string) =>
  Effect.acquireRelease(
    Effect.map(
      Queue.dropping<Entry | null>(capacity),
      (arrived): Mailbox => ({ workspaceId, topic, arrived, missed: false })
    ),
    ({ arrived }) => Queue.shutdown(arrived)
  )

/** Puts an entry in, if it belongs there. */
export const offer = (mailbox: Mailbox, entry: Entry): void => {
  if (entry.workspaceId !== mailbox.workspaceId) return
  if (entry.clientId !== mailbox.topic && entry.runId !== mailbox.topic) return
  if (!mailbox.missed && !Queue.offerUnsafe(mailbox.arrived, entry)) mailbox.missed = true
}

/** Wakes readers that wait for an arrival. */
export const wake = (mailbox: Mailbox): void => void Queue.offerUnsafe(mailbox.arrived, null)

/** Says that there is more in the log than in the mailbox. */
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
export const takeNow = ({ arrived }: Mailbox): Effect.Effect<ReadonlyArray<Entry>> =>
  Effect.map(Queue.clear(arrived), (all) => all.filter((one) => one !== null))

/** Waits until something is there, or for so many milliseconds. */
export const arrival = ({ arrived }: Mailbox, millis: number): Effect.Effect<void> =>
  Effect.raceFirst(Queue.peek(arrived), Effect.sleep(millis)).pipe(Effect.asVoid)
