/** Registers a webhook, or changes the address and the events of one. */
import { useState } from "preact/hooks"
import { EventType } from "../../../core/event/webhook/Subscription.ts"
import type { WebhookEndpoint } from "../../api/webhook/WebhooksApi.ts"
import { workflows } from "../data/Workflows.ts"
import { Field } from "../forms/Field.tsx"
import { Secret } from "../forms/Secret.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { act, client, problemsByField } from "../kit/Service.ts"

export type Webhook = typeof WebhookEndpoint.Type

/** The kinds of events. One is what older clients call another. */
const kinds = EventType.literals.filter((kind) => kind !== "execution.pause")

const fields = ["url", "event_types_subscribed", "workflow_id"]

export const WebhookForm = ({
  before,
  onClose,
  onSaved
}: {
  /** The one to change; `null`: a new one. */
  readonly before: Webhook | null
  readonly onClose: () => void
  readonly onSaved: () => void
}) => {
  const [url, setUrl] = useState(before?.url ?? "")
  const [isEvery, setEvery] = useState((before?.event_types_subscribed ?? []).length === 0)
  const [chosen, setChosen] = useState<ReadonlyArray<EventType>>(before?.event_types_subscribed ?? [])
  const [workflow, setWorkflow] = useState("")
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [secret, setSecret] = useState<string | null>(null)
  const all = useQuery(workflows).value ?? []
  const events = isEvery ? [] : chosen
  const send = async (event: Event) => {
    event.preventDefault()
    const found = {
      ...(URL.parse(url.trim()) === null ? { url: "Expected an address such as https://example.com/hook" } : {}),
      ...(!isEvery && chosen.length === 0 ? { event_types_subscribed: "Choose at least one event" } : {})
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const payload = { url: url.trim(), event_types_subscribed: events }
    const failed = (error: unknown) => setProblems(problemsByField(error, fields))
    if (before === null) {
      const scope = workflow === "" ? {} : { workflow_id: workflow }
      const made = await act(client().webhooks.createEndpoint({ payload: { ...payload, ...scope } }), { failed })
      if (made === null) return
      setSecret(made.secret)
      return onSaved()
    }
    const done = "The webhook was changed"
    const params = { webhook_id: before.id }
    if ((await act(client().webhooks.changeEndpoint({ params, payload }), { failed, done })) === null) return
    onSaved()
    onClose()
  }
  if (secret !== null) {
    return (
      <Dialog title="The webhook was registered" onClose={onClose}>
        <Secret what="Secret" value={secret} onClose={onClose}>
          This secret signs its deliveries.
        </Secret>
      </Dialog>
    )
  }
  return (
    <Dialog title={before === null ? "New webhook" : "Change the webhook"} onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <Field label="Address" problem={problems.url}>
          <input
            type="text"
            inputMode="url"
            placeholder="https://"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </Field>
        {before === null && (
          <Field label="Workflow" problem={problems.workflow_id}>
            <select value={workflow} onChange={({ currentTarget }) => setWorkflow(currentTarget.value)}>
              <option value="">Every workflow</option>
              {all.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
        )}
        <Field
          label="Events"
          hint="Every event includes kinds that come later."
          problem={problems.event_types_subscribed}
        >
          <select
            value={isEvery ? "every" : "some"}
            onChange={({ currentTarget }) => setEvery(currentTarget.value === "every")}
          >
            <option value="every">Every event</option>
            <option value="some">Only those that are ticked</option>
          </select>
        </Field>
        {!isEvery && (
          <fieldset class="ticks">
            <legend>Events that it receives</legend>
            {kinds.map((kind) => (
              <label key={kind} class="tick">
                <input
                  type="checkbox"
                  checked={chosen.includes(kind)}
                  onChange={({ currentTarget }) => {
                    setChosen(currentTarget.checked ? [...chosen, kind] : chosen.filter((one) => one !== kind))
                    setProblems(({ event_types_subscribed: _, ...others }) => others)
                  }}
                />
                <span class="mono">{kind}</span>
              </label>
            ))}
          </fieldset>
        )}
        <div class="dialog-actions">
          <button type="submit" class="primary">
            {before === null ? "Register" : "Save"}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
