/** A conversation that builds a workflow: its state, its messages, its draft and its page, as they change. */
import { Effect, Option, Schedule, Stream } from "effect"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type * as Targets from "../../../core/browser/vision/Targets.ts"
import type * as Api from "../../api/builder/BuilderApi.ts"
import { act, client, reasonOf } from "../kit/Service.ts"

export type Message = typeof Api.MessageJson.Type
export type Status = typeof Api.StatusJson.Type
export type Draft = typeof Api.DraftJson.Type
export type PageTarget = Targets.Target

/** A picture of the page with the elements that can be chosen in it. */
export interface Pointed extends Targets.Targets {
  readonly url: string
  readonly base64: string
}

export const builder = () => client()["workflow builder"]

export interface Conversation {
  /** `null` until it is known. */
  readonly status: Status | null
  readonly messages: ReadonlyArray<Message>
  readonly draft: Draft | null
  /** `null` until it is known, `"none"` while no page is open. */
  readonly page: Pointed | "none" | null
  /** Whether its page waits for a place: all that may be open are. */
  readonly isWaiting: boolean
  /** Why it cannot be followed. */
  readonly problem: string | null
  /** Whether a message is being carried out. */
  readonly isWorking: boolean
  /** Whether its page cannot be acted on: a message is being carried out, or its picture is older than the last answer. */
  readonly isBusy: boolean
  /** Sends a message. Completes when the service has accepted it; the answer is one of the messages. */
  readonly say: (text: string) => Promise<void>
  /**
   * Sends messages in turn, each after the answer to the one before, up to the first that fails; after those that are on
   * their way.
   */
  readonly sayAll: (texts: ReadonlyArray<string>) => void
  /** Stops what is being done, and leaves out the messages that were to follow. */
  readonly stop: () => void
  readonly look: () => void
}

/** How often the page is read while nothing else happens, in milliseconds. */
const lookMillis = 3_000

/** How soon a page that could not be read is read again, in milliseconds. */
const againMillis = 500

/** Follows a conversation until the component is removed. */
export const useConversation = (id: string): Conversation => {
  const [status, setStatus] = useState<Status | null>(null)
  const [messages, setMessages] = useState<ReadonlyArray<Message>>([])
  const [draft, setDraft] = useState<Draft | null>(null)
  const [page, setPage] = useState<Pointed | "none" | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const looking = useRef<"no" | "once" | "again">("no")
  const missed = useRef(0)
  /** The last message, and the last one before the page was read. */
  const last = useRef(0)
  const [seenAt, setSeenAt] = useState(0)
  const queued = useRef<ReadonlyArray<string>>([])
  /** Whether a message was sent whose answer has not come. */
  const sending = useRef(false)
  const params = { conversation_id: id }

  const look = useCallback(async (): Promise<void> => {
    if (looking.current !== "no") {
      // What is on its way may have been seen before the latest step.
      looking.current = "again"
      return
    }
    looking.current = "once"
    const asOf = last.current
    const seen = await Effect.runPromise(Effect.option(builder().elements({ params })))
    const isStale = Reflect.get(looking, "current") === "again"
    looking.current = "no"
    if (isStale) return look()
    missed.current = seen._tag === "Some" ? 0 : missed.current + 1
    if (seen._tag === "Some") {
      setPage(seen.value)
      setSeenAt(asOf)
    } else if (missed.current > 1) setPage("none")
    // A page that is opening or navigating may fail to be read once.
    else setTimeout(() => void look(), againMillis)
  }, [id])

  const readDraft = useCallback(async () => {
    const read = await Effect.runPromise(Effect.option(builder().draft({ params })))
    if (read._tag === "Some") setDraft(read.value)
  }, [id])

  useEffect(() => {
    const abort = new AbortController()
    let after = 0
    let isOver = false
    const connection = Stream.suspend(() =>
      builder()
        .stream({ params, headers: after === 0 ? {} : { "last-event-id": String(after) } })
        .pipe(Stream.unwrap)
    )
    const heard = Stream.runForEach(connection, (one) =>
      Effect.sync(() => {
        setProblem(null)
        if (one.event === "status") {
          isOver = one.data.status === "ended"
          setStatus(one.data)
          // A status in between tells how far a walk has come.
          if (one.data.isProcessing) void readDraft()
        }
        if (one.event !== "message") return
        after = Math.max(after, one.data.number)
        last.current = after
        if (one.data.role === "assistant") {
          const [next, ...rest] = one.data.result?.done === false ? [] : queued.current
          queued.current = rest
          if (next === undefined) sent()
          else void send(next)
        }
        setMessages((all) => [...all.filter(({ number }) => number !== one.data.number), one.data])
      })
    )
    const followed = heard.pipe(
      Effect.catch((error) => Effect.sync(() => setProblem(reasonOf(error)))),
      Effect.repeat({ schedule: Schedule.spaced("2 seconds"), until: () => isOver })
    )
    void Effect.runPromise(followed, { signal: abort.signal }).catch(() => undefined)
    return () => abort.abort()
  }, [id])

  const at = status?.status ?? null
  useEffect(() => {
    if (at === null || at === "processing") return
    void readDraft()
    if (at !== "ended") void look()
  }, [at, messages.length])

  useEffect(() => {
    if (at !== "idle" && at !== "completed") return
    const timer = setInterval(() => document.visibilityState === "visible" && void look(), lookMillis)
    return () => clearInterval(timer)
  }, [at])

  const isOpening = at === "processing" && page === null
  useEffect(() => {
    if (!isOpening) return setWaiting(false)
    const ask = () => void Effect.runPromise(Effect.option(builder().status({ params }))).then(waiting)
    const waiting = (read: Option.Option<Status>) =>
      setWaiting(Option.isSome(read) && read.value.waitsForPlace === true)
    const timer = setInterval(ask, lookMillis)
    return () => clearInterval(timer)
  }, [isOpening])

  const send = async (text: string) => {
    sending.current = true
    setSending(true)
    if ((await act(builder().say({ params, payload: { text } }))) !== null) return
    queued.current = []
    sent()
  }
  const sent = () => {
    sending.current = false
    setSending(false)
  }
  const say = (text: string) => {
    queued.current = []
    return send(text)
  }
  const sayAll = ([first, ...rest]: ReadonlyArray<string>) => {
    if (first === undefined) return
    if (sending.current) queued.current = [...queued.current, first, ...rest]
    else {
      queued.current = rest
      void send(first)
    }
  }
  const stop = () => {
    queued.current = []
    void act(builder().interruptSession({ params }))
  }
  // Elements may be gone from a page that has changed since it was read.
  const isOld = page !== null && page !== "none" && at !== "ended" && seenAt < (messages.at(-1)?.number ?? 0)
  const isWorking = isSending || at === "processing"
  const isBusy = isWorking || isOld
  const state = { status, messages, draft, page, problem, isWaiting, isWorking, isBusy }
  return { ...state, say, sayAll, stop, look: () => void look() }
}
