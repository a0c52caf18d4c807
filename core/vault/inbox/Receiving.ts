/**
 * Processes mails and SMS that arrive: their codes and links are sealed and stored for the credentials that they were
 * sent to, and waiting readers are woken. Of a message without any, its links and what may be a code are kept as
 * uncertain; without these, nothing is stored.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import type * as Periodic from "../../runtime/Periodic.ts"
import { Signals } from "../../runtime/Signals.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import * as RateLimit from "../../workspace/request/RateLimit.ts"
import { WorkspaceShares } from "../../workspace/request/WorkspaceShares.ts"
import { Sealing } from "../keys/Sealing.ts"
import { PhoneNumbers } from "../otp/PhoneNumbers.ts"
import { codesIn, uncertainCodesIn } from "./CodeFinder.ts"
import * as Inbox from "./Inbox.ts"
import { linksIn, uncertainLinksIn } from "./LinkFinder.ts"
import { Mailboxes } from "./Mailboxes.ts"
import * as MailVerdict from "./MailVerdict.ts"
import { type ReceivedCode, ReceivedCodes } from "./ReceivedCodes.ts"
import type { Message } from "./ReceivedMessage.ts"
import * as UncertainLinks from "./UncertainLinks.ts"

/** A message as it arrived. */
export interface Arrival {
  /** The mail addresses, or the phone number, that it was sent to. */
  readonly recipients: ReadonlyArray<string>
  readonly message: Message
  /**
   * The identity of a message that may arrive more than once; `null` where that is not known. The same text may be sent
   * to several recipients, so a message repeats another only where it has the same recipient too.
   */
  readonly id: string | null
  /** Whether the request of the message stays valid for as long as its key, so that a copy may arrive at any time. */
  readonly replayable?: boolean
  /** The verdict about its sender, as `MailVerdict` writes it. */
  readonly authentication?: string
}

/** The outcome of a message. */
export interface Outcome {
  /** How many of its recipients are those of credentials. */
  readonly recipients: number
  /** How many codes and links were kept. */
  readonly kept: number
  /** Whether it had arrived before for each of its recipients, so that nothing was kept. */
  readonly repeated: boolean
}

/** Raised for a mail to a workspace that has taken as many as it may within a minute. Nothing of it was kept. */
export class TooManyMails extends Schema.TaggedError<TooManyMails>()("TooManyMails", {
  limit: Schema.Int,
  retryAfterMillis: Schema.Int
}) {
  override get message() {
    return `The workspace of a recipient has received ${this.limit} mails here within a minute, and may receive ${this.limit}: send this one again later`
  }
}

type Found = readonly [ReceivedCode["kind"], string | ReadonlyArray<string> | UncertainLinks.UncertainLinks]

/** How many likely codes of one message are kept: the others are readings for a site that refuses the first. */
const mostReadings = 3

/** How long an arrived message is remembered, to recognise copies, in milliseconds. */
const rememberedMillis = 86_400_000

/** The same for messages whose requests can be replayed: longer than copies of requests are usually kept. */
const replayableMillis = 400 * 86_400_000

/** How many messages are remembered at most, those of short memory going first. */
const mostRemembered = 1_000_000

/** The workspaces whose mails are counted; beyond them, the one that received none for longest is forgotten. */
const mostWorkspaces = 10_000

const limitsOf = (share: number) => [{ requests: share, seconds: 60 }]

export class Receiving extends Context.Service<
  Receiving,
  {
    /**
     * Whether mail to an address is for a credential, and `full` where its workspace may take none now. Upper and lower case
     * do not matter.
     */
    readonly accepts: (address: string) => Effect.Effect<"accepted" | "unknown" | "full", StoreUnavailable>

    /**
     * Takes a mail. When it completes, the values of the mail are stored. A mail that a workspace of its recipients may not
     * take now is taken for none.
     */
    readonly mail: (arrival: Arrival) => Effect.Effect<Outcome, TooManyMails | StoreUnavailable>

    /** Takes an SMS, whose recipients are numbers such as `+15551234567`. */
    readonly sms: (arrival: Arrival) => Effect.Effect<Outcome, StoreUnavailable>
  }
>()("sluice/core/vault/inbox/Receiving") {
  static readonly layer = Layer.effect(
    Receiving,
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      const identifiers = yield* Identifiers
      const inboxDomain = yield* Inbox.InboxDomain
      const mailboxes = yield* Mailboxes
      const phoneNumbers = yield* PhoneNumbers
      const sealing = yield* Sealing
      const signals = yield* Signals
      const shares = yield* WorkspaceShares
      const taken = RateLimit.book(mostWorkspaces)

      /** The workspace of an address; none where there is none, or where two could be meant. */
      const workspaceOf = Effect.fnUntraced(function* (address: string) {
        if (inboxDomain === null || Inbox.read(address) === null) return Option.none()
        const domain = `@${inboxDomain.toLowerCase()}`
        if (!address.endsWith(domain)) return Option.none()
        const [owner, ...others] = yield* mailboxes.ownersOf(address.slice(0, -domain.length))
        return owner === undefined || others.length > 0 ? Option.none() : Option.some(owner)
      })

      /**
       * The value to keep beside what arrived at an address just before, as the newest replaces it: uncertain links join
       * others, and give way to a likely one (`null`). A message that has less in its favour has no part in this.
       */
      const besides = Effect.fnUntraced(function* (
        workspaceId: WorkspaceId,
        address: string,
        value: Found[1],
        { authentication, receivedAt }: Pick<ReceivedCode, "authentication" | "receivedAt">
      ) {
        if (!UncertainLinks.is(value)) return value
        const before = yield* codes.latest(workspaceId, address, {
          kind: "link",
          since: receivedAt - Inbox.freshMillis,
          senders: MailVerdict.sitesOf(authentication)
        })
        if (Option.isNone(before) || !MailVerdict.isAsGood(before.value.authentication, authentication)) return value
        // A value that was sealed with a removed key cannot be read.
        const opened = yield* sealing.unseal(workspaceId, before.value.sealed).pipe(
          Effect.map(Redacted.value),
          Effect.catchTag("CannotUnseal", () => Effect.succeed(UncertainLinks.make([])))
        )
        return UncertainLinks.is(opened) ? UncertainLinks.joined(value, opened) : null
      })

      const keep = Effect.fnUntraced(function* (
        { authentication, id, message, replayable = false }: Arrival,
        owners: ReadonlyMap<string, WorkspaceId>
      ) {
        const found = foundIn(message)
        const bringsNothing = owners.size === 0 || found.length === 0
        // A message whose recipient gets an owner later would otherwise bring its code then.
        if (bringsNothing && !replayable) return { recipients: owners.size, kept: 0, repeated: false }
        const receivedAt = yield* Clock.currentTimeMillis
        const arrived = { receivedAt, ...(authentication === undefined ? {} : { authentication }) }
        const until = receivedAt + (replayable ? replayableMillis : rememberedMillis)
        const messageId = id ?? (yield* identifiers.uuid)
        const sealed = yield* Effect.forEach([...owners], ([address, workspaceId]) =>
          Effect.map(
            Effect.forEach(found, ([kind, value]) =>
              Effect.gen(function* () {
                const kept = yield* besides(workspaceId, address, value, arrived)
                if (kept === null) return []
                const code: ReceivedCode = {
                  id: yield* identifiers.uuid,
                  kind,
                  address,
                  sealed: yield* sealing.seal(workspaceId, Redacted.make(kept)),
                  ...arrived
                }
                return [{ workspaceId, code }]
              })
            ),
            (brought) => ({ id: `${messageId} ${address}`, brought: brought.flat() })
          )
        )
        // A replayable message has one recipient, who may have no owner yet: its own id says which message it is.
        const parts = replayable ? [{ id: messageId, brought: sealed.flatMap(({ brought }) => brought) }] : sealed
        let kept = 0
        let isNew = false
        for (const { brought, id } of parts) {
          if (!(yield* codes.keepOnce({ id, until }, brought))) continue
          isNew = true
          kept += brought.length
        }
        if (kept > 0) yield* signals.publish({ _tag: "received" })
        return { recipients: owners.size, kept, repeated: !isNew }
      })

      /** The refusal of a mail to these workspaces; `null` where each may take it. */
      const tooMany = Effect.fnUntraced(function* (workspaces: ReadonlyArray<WorkspaceId>) {
        const share = yield* shares.mails
        if (share === null) return null
        const [limits, now] = [limitsOf(share), yield* Clock.currentTimeMillis]
        const full = workspaces.find((id) => taken.isFull(id, limits, now))
        if (full === undefined) return null
        return new TooManyMails({ limit: share, retryAfterMillis: taken.take(full, limits, now).resetMillis })
      })

      /** Counts a mail to these workspaces, once for each. */
      const count = Effect.fnUntraced(function* (workspaces: ReadonlyArray<WorkspaceId>) {
        const share = yield* shares.mails
        const now = yield* Clock.currentTimeMillis
        if (share !== null) for (const id of new Set(workspaces)) taken.take(id, limitsOf(share), now)
      })

      /** Reports the outcome of a message, without its content. */
      const tell = (way: string, { kept, recipients, repeated }: Outcome, { authentication }: Arrival) =>
        Effect.logInfo(
          repeated
            ? `${way} arrived that had arrived before`
            : `${way} arrived for ${recipients} credentials or numbers: kept ${kept} codes and links of it`
        ).pipe(Effect.annotateLogs(authentication === undefined ? {} : { authentication }))

      return Receiving.of({
        accepts: Effect.fn("Receiving.accepts")(function* (address) {
          const owner = yield* workspaceOf(normal(address))
          if (Option.isNone(owner)) return "unknown"
          return (yield* tooMany([owner.value])) === null ? "accepted" : "full"
        }),
        mail: Effect.fn("Receiving.mail")(function* (arrival) {
          const owners = new Map<string, WorkspaceId>()
          for (const address of new Set(arrival.recipients.map(normal))) {
            const owner = yield* workspaceOf(address)
            if (Option.isSome(owner)) owners.set(address, owner.value)
          }
          const refused = yield* tooMany([...owners.values()])
          if (refused !== null) return yield* refused
          yield* count([...owners.values()])
          const outcome = yield* keep(arrival, owners)
          yield* tell("A mail", outcome, arrival)
          return outcome
        }),
        sms: Effect.fn("Receiving.sms")(function* (arrival) {
          const owners = new Map<string, WorkspaceId>()
          for (const number of new Set(arrival.recipients)) {
            const owner = yield* phoneNumbers.workspaceOf(number)
            if (Option.isSome(owner)) owners.set(number, owner.value)
          }
          const outcome = yield* keep(arrival, owners)
          yield* tell("An SMS", outcome, arrival)
          return outcome
        })
      })
    })
  ).pipe(Layer.provide(PhoneNumbers.layer))
}

/** The values of a message: the likely ones, or else the uncertain ones. */
const foundIn = (message: Message): ReadonlyArray<Found> => {
  const [code, ...others] = codesIn(message)
    .slice(0, mostReadings)
    .map(({ code }) => code)
  const links = linksIn(message).map(({ url }) => url)
  if (code !== undefined || links.length > 0) {
    return [
      ...(code === undefined ? [] : [["code", others.length === 0 ? code : [code, ...others]] as const]),
      ...(links.length === 0 ? [] : [["link", links] as const])
    ]
  }
  const uncertain = {
    codes: uncertainCodesIn(message).map(({ code }) => code),
    links: uncertainLinksIn(message).map(({ url }) => url)
  }
  return [
    ...(uncertain.codes.length === 0 ? [] : [["uncertain_code", uncertain.codes] as const]),
    ...(uncertain.links.length === 0 ? [] : [["link", UncertainLinks.make(uncertain.links)] as const])
  ]
}

/** An address in lower case, without the quotes that some senders put around its local part. */
const normal = (address: string): string =>
  address
    .trim()
    .replace(/^"([^"\\]*)"@/, "$1@")
    .toLowerCase()

/** Removes codes and links that are too old to be used. */
export const forgetting: Periodic.Job<ReceivedCodes> = {
  name: "remove codes that are too old to be used",
  every: "1 minute",
  round: Effect.gen(function* () {
    const codes = yield* ReceivedCodes
    const now = yield* Clock.currentTimeMillis
    yield* codes.discardBefore(now - Inbox.freshMillis)
    yield* codes.forgetMessages({ now, most: mostRemembered })
  })
}
