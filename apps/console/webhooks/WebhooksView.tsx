/** Webhooks and their deliveries. */
import { useState } from "preact/hooks"
import { Confirm } from "../forms/Confirm.tsx"
import { Field } from "../forms/Field.tsx"
import { Secret } from "../forms/Secret.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, reasonOf, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"

const webhooks = query((client) => client.webhooks.listEndpoints())
const deliveries = query((client) => client.webhooks.listDeliveries({ query: { limit: 50 } }))

export const WebhooksView = () => {
  const [isMaking, setMaking] = useState(false)
  const [removing, setRemoving] = useState<{ readonly id: string; readonly url: string } | null>(null)
  return (
    <Page
      title="Webhooks"
      note="They send the events of runs, signed, to your receivers"
      actions={
        may("Owner") && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New webhook
          </button>
        )
      }
    >
      <Section title="Receivers">
        <Loaded isFollowed query={webhooks}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No webhook yet">
                {may("Owner")
                  ? "Register the address of a receiver, and send it a test."
                  : "An Owner can register one."}
              </Empty>
            ) : (
              <ul class="entries">
                {all.map(({ active, event_types_subscribed, id, inactive_reason, url }) => (
                  <li key={id}>
                    <span class="entry-text">
                      <span class="mono">{url}</span>
                      <span class="quiet">
                        {event_types_subscribed.length === 0 ? "every event" : event_types_subscribed.join(", ")}
                        {!active && ` · not active${inactive_reason === null ? "" : `: ${inactive_reason}`}`}
                      </span>
                    </span>
                    {may("Owner") && (
                      <span class="actions">
                        <button
                          type="button"
                          aria-label={`Send a test to ${url}`}
                          onClick={() =>
                            void act(client().webhooks.testEndpoint({ params: { webhook_id: id } }), {
                              done: ({ error, response, success }) =>
                                success
                                  ? `The receiver answered ${response}`
                                  : `The test did not arrive: ${error || response}`
                            })
                          }
                        >
                          Send a test
                        </button>
                        <button
                          type="button"
                          aria-label={`${active ? "Deactivate" : "Activate"} ${url}`}
                          onClick={() =>
                            void act(
                              client().webhooks.changeEndpoint({
                                params: { webhook_id: id },
                                payload: { active: !active }
                              })
                            ).then(() => refresh(webhooks))
                          }
                        >
                          {active ? "Deactivate" : "Activate"}
                        </button>
                        <button type="button" aria-label={`Remove ${url}`} onClick={() => setRemoving({ id, url })}>
                          Remove…
                        </button>
                      </span>
                    )}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Deliveries />
      {isMaking && <Making onClose={() => setMaking(false)} />}
      {removing !== null && (
        <Confirm
          title="Remove the webhook"
          word="Remove it"
          onClose={() => setRemoving(null)}
          onConfirm={() =>
            act(client().webhooks.removeEndpoint({ params: { webhook_id: removing.id } }), {
              done: "The webhook was removed"
            }).then(() => refresh(webhooks, deliveries))
          }
        >
          {removing.url} is sent nothing from now on, and what is pending for it is given up.
        </Confirm>
      )}
    </Page>
  )
}

const stateWords = { pending: "Pending", delivered: "Delivered", dead: "Given up" } as const

const Deliveries = () => (
  <Section
    title="Deliveries"
    note="the latest 50"
    actions={
      <button type="button" onClick={() => refresh(deliveries)}>
        Reload
      </button>
    }
  >
    <Loaded isFollowed query={deliveries}>
      {({ deliveries: all }) =>
        all.length === 0 ? (
          <Empty title="Nothing was delivered yet">
            This list shows each event that was sent to a receiver, with its answer.
          </Empty>
        ) : (
          <Table
            label="All deliveries"
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              {
                word: "State",
                cell: ({ delivery_errors, response_status, status }) => (
                  <>
                    <span class={status === "dead" ? "wrong" : ""}>{stateWords[status]}</span>
                    {response_status !== null && <span class="quiet"> {response_status}</span>}
                    {delivery_errors.length > 0 && <p class="hint clip">{delivery_errors.at(-1)}</p>}
                  </>
                )
              },
              { word: "Event", cell: ({ event, session_id }) => <a href={to(["runs", session_id])}>{event}</a> },
              { word: "Receiver", kind: "mono", cell: ({ url }) => url },
              { word: "Attempts", kind: "num", cell: ({ attempts }) => attempts },
              { word: "When", kind: "quiet", cell: ({ created_at }) => <Ago at={created_at} /> },
              {
                word: "Action",
                kind: "tight",
                cell: ({ event, id, session_id, status }) =>
                  may("Member") && (
                    <div class="row-actions">
                      {status === "dead" && (
                        <button
                          type="button"
                          aria-label={`Send again: ${event}`}
                          onClick={() =>
                            void act(client().webhooks.retryDelivery({ params: { delivery_id: id } }), {
                              done: "The delivery is sent again"
                            }).then(() => refresh(deliveries))
                          }
                        >
                          Send again
                        </button>
                      )}
                      <button
                        type="button"
                        title="Sends all events of this run again to the webhooks that subscribe to them now"
                        aria-label={`Replay the run ${session_id.slice(-8)}`}
                        onClick={() =>
                          void act(client().webhooks.replayWebhooks({ params: { session_id } }), {
                            done: ({ nr_failed, nr_success }) =>
                              `${nr_success} of ${nr_success + nr_failed} events of the run arrived`
                          }).then(() => refresh(deliveries))
                        }
                      >
                        Replay the run
                      </button>
                    </div>
                  )
              }
            ]}
          />
        )
      }
    </Loaded>
  </Section>
)

const Making = ({ onClose }: { readonly onClose: () => void }) => {
  const [url, setUrl] = useState("")
  const [problem, setProblem] = useState<string | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const send = async (event: Event) => {
    event.preventDefault()
    if (URL.parse(url) === null) return setProblem("Expected an address such as https://example.com/hook")
    setProblem(null)
    const made = await act(client().webhooks.createEndpoint({ payload: { url } }), {
      failed: (error) => setProblem(reasonOf(error))
    })
    if (made === null) return
    setSecret(made.secret)
    refresh(webhooks)
  }
  return (
    <Dialog title={secret === null ? "New webhook" : "The webhook was registered"} onClose={onClose}>
      {secret === null ? (
        <form class="form" onSubmit={send} noValidate>
          <Field label="Address" problem={problem} hint="It receives every event of every workflow">
            <input
              type="url"
              placeholder="https://"
              value={url}
              onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            />
          </Field>
          <button type="submit" class="primary">
            Register
          </button>
        </form>
      ) : (
        <Secret what="Secret" value={secret} onClose={onClose}>
          This secret signs its deliveries.
        </Secret>
      )}
    </Dialog>
  )
}
