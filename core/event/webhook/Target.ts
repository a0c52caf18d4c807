/**
 * The target of an event.
 */
import { Option, Schema } from "effect"
import type { Entry } from "../EventLog.ts"
import { isOfRun } from "../RunEvent.ts"
import * as Subscription from "./Subscription.ts"
import { defaultValidity, RunWebhook, type Webhook } from "./Webhook.ts"

/** An address with what deliveries to it need. */
export interface Target {
  /** The registered webhook; `null` for the one that the submission of the run named. */
  readonly webhookId: string | null
  readonly url: string
  readonly sealedSecret: string
  /** In seconds. */
  readonly validity: number
}

const readRunWebhook = Schema.decodeUnknownOption(RunWebhook)

/** The webhook options of a submission; nothing when it said nothing that can be read. */
export const runWebhookOf = (sent: Schema.Json | null): RunWebhook =>
  Option.getOrElse(readRunWebhook(sent), (): RunWebhook => ({}))

/**
 * All targets of an event, the run's own first.
 *
 * A registered webhook is sent the events of its workflow or of all, of the kinds that it subscribed to, while it is
 * active. Of a run that checks a credential, only questions to persons are sent, as it does nothing of its workflow. Naming one for a run does not take the registered ones' place. Events about the workflow go to registered
 * webhooks only.
 */
export const targetsOf = (
  { event, isCheck = false, webhook, workflowId }: Pick<Entry, "event" | "isCheck" | "webhook" | "workflowId">,
  registered: ReadonlyArray<Webhook>
): ReadonlyArray<Target> => {
  if (isCheck && !event.event.startsWith("interaction.")) return []
  const own = runWebhookOf(webhook)
  const ofRun = runTarget(own)
  return [
    ...(ofRun !== null && isOfRun({ event }) && Subscription.includes(own.event_types_subscribed ?? [], event.event)
      ? [ofRun]
      : []),
    ...registered
      .filter(
        (one) =>
          one.active &&
          (one.workflowId === null || one.workflowId === workflowId) &&
          Subscription.includes(one.eventTypes, event.event)
      )
      .map(registeredTarget)
  ]
}

/** The target that a submission named; `null` when it named none. */
export const runTarget = ({ sealed_secret, url, validity }: RunWebhook): Target | null =>
  url === undefined || sealed_secret === undefined
    ? null
    : { webhookId: null, url, sealedSecret: sealed_secret, validity: validity ?? defaultValidity }

export const registeredTarget = ({ id, sealedSecret, url, validity }: Webhook): Target => ({
  webhookId: id,
  url,
  sealedSecret,
  validity
})
