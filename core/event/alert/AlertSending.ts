/** Sends what an alert says to its receiver: by mail, or to the web hook of a channel. */
import { Effect, Option, Redacted, Schema } from "effect"
import { Sealing } from "../../vault/keys/Sealing.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { describe, isDelivered, type Outcome } from "../webhook/Delivery.ts"
import { Sender } from "../webhook/Sender.ts"
import type { AlertOutcome } from "./Alert.ts"
import { type AlertReceiver, ReceiverAccess } from "./AlertReceiver.ts"
import * as AlertText from "./AlertText.ts"
import { MailTransport } from "./MailTransport.ts"

const readAccess = Schema.decodeUnknownOption(ReceiverAccess)

/** Sends words to a receiver. `id` is the same for each attempt of one alert. */
export const send = Effect.fn("AlertSending.send")(function* (
  workspaceId: WorkspaceId,
  receiver: AlertReceiver,
  id: string,
  words: AlertText.AlertWords
) {
  const access = yield* accessOf(workspaceId, receiver)
  if (access === null) return refused("The access of the receiver cannot be unsealed. Set it again")
  const { host, mail, type } = receiver
  if (mail !== null) {
    const domain = mail.from.slice(mail.from.indexOf("@") + 1)
    return yield* (yield* MailTransport).send(mail.server, Redacted.make(access), {
      from: mail.from,
      to: mail.to,
      subject: words.title,
      text: AlertText.mailText(words),
      messageId: `<${id}@${domain}>`
    })
  }
  if (access.url === undefined) return refused(`The receiver has no address at ${host}. Set it again`)
  const body = type === "slack" ? AlertText.slackBody(words) : AlertText.teamsBody(words)
  const outcome = yield* (yield* Sender).post({
    url: access.url,
    headers: { "content-type": "application/json", "user-agent": "sluice" },
    body: JSON.stringify(body)
  })
  return outcomeOf(outcome)
})

const refused = (reason: string): AlertOutcome => ({ _tag: "Refused", reason })

/** A web hook that does not exist any more is not tried again. */
const outcomeOf = (outcome: Outcome): AlertOutcome => {
  if (outcome._tag === "Refused") return outcome
  if (isDelivered(outcome)) return { _tag: "Sent" }
  const isGone = outcome._tag === "Answered" && (outcome.status === 404 || outcome.status === 410)
  return { _tag: isGone ? "Refused" : "Failed", reason: describe(outcome) }
}

const accessOf = Effect.fnUntraced(function* (workspaceId: WorkspaceId, { sealedAccess }: AlertReceiver) {
  if (sealedAccess === null) return {} satisfies ReceiverAccess
  const opened = yield* (yield* Sealing).unseal(workspaceId, sealedAccess).pipe(
    Effect.map(Option.some),
    Effect.catchTag("CannotUnseal", () => Effect.succeed(Option.none()))
  )
  return Option.getOrNull(Option.flatMap(opened, (value) => readAccess(Redacted.value(value))))
})
