/** Webhooks and their deliveries. */
import { Atom } from "effect/reactivity"
import { useState } from "preact/hooks"
import { namesOf, shortId, workflows } from "../data/Workflows.ts"
import { Confirm } from "../forms/Confirm.tsx"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { say } from "../kit/Notices.ts"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { type Webhook, WebhookForm } from "./WebhookForm.tsx"

const webhooks = query((client) => client.webhooks.listEndpoints())

/** The latest deliveries to a receiver; to all of them for an empty id. */
const deliveriesTo = Atom.family((id: string) =>
  query((client) => client.webhooks.listDeliveries({ query: { limit: 50, ...(id === "" ? {} : { webhook_id: id }) } }))
)

export const WebhooksView = () => {
  const [isMaking, setMaking] = useState(false)
  const [changing, setChanging] = useState<Webhook | null>(null)
  const [receiver, setReceiver] = useState("")
  const names = namesOf(useQuery(workflows).value)
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
                {all.map((webhook) => {
                  const { active, event_types_subscribed, id, inactive_reason, url, workflow_id } = webhook
                  return (
                    <li key={id}>
                      <span class="entry-text">
                        <span class="mono">{url}</span>
                        <span class="quiet">
                          {event_types_subscribed.length === 0 ? "every event" : event_types_subscribed.join(", ")} of{" "}
                          {workflow_id === null ? "every workflow" : (names.get(workflow_id) ?? shortId(workflow_id))}
                          {!active && ` · not active${inactive_reason === null ? "" : `: ${inactive_reason}`}`}
                        </span>
                      </span>
                      {may("Owner") && (
                        <span class="actions">
                          <button
                            type="button"
                            aria-label={`Send a test to ${url}`}
                            onClick={() =>
                              void act(client().webhooks.testEndpoint({ params: { webhook_id: id } })).then(
                                (answer) => {
                                  if (answer === null) return
                                  const { error, response, success } = answer
                                  if (success) say("done", `The receiver answered ${response}`)
                                  else say("problem", `The test did not arrive: ${error || response}`)
                                  refresh(deliveriesTo(receiver))
                                }
                              )
                            }
                          >
                            Send a test
                          </button>
                          <button type="button" aria-label={`Edit ${url}`} onClick={() => setChanging(webhook)}>
                            Edit…
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
                  )
                })}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Deliveries receiver={receiver} onReceiver={setReceiver} />
      {isMaking && <WebhookForm before={null} onClose={() => setMaking(false)} onSaved={() => refresh(webhooks)} />}
      {changing !== null && (
        <WebhookForm before={changing} onClose={() => setChanging(null)} onSaved={() => refresh(webhooks)} />
      )}
      {removing !== null && (
        <Confirm
          title="Remove the webhook"
          word="Remove it"
          onClose={() => setRemoving(null)}
          onConfirm={() =>
            act(client().webhooks.removeEndpoint({ params: { webhook_id: removing.id } }), {
              done: "The webhook was removed"
            }).then(() => refresh(webhooks, deliveriesTo(receiver)))
          }
        >
          {removing.url} is sent nothing from now on, and what is pending for it is given up.
        </Confirm>
      )}
    </Page>
  )
}

const stateWords = { pending: "Pending", delivered: "Delivered", dead: "Given up" } as const

const Deliveries = ({
  onReceiver,
  receiver
}: {
  readonly receiver: string
  readonly onReceiver: (id: string) => void
}) => {
  const deliveries = deliveriesTo(receiver)
  const all = useQuery(webhooks).value ?? []
  return (
    <Section
      title="Deliveries"
      note="the latest 50"
      actions={
        <>
          {all.length > 0 && (
            <select
              aria-label="Receiver"
              value={all.some(({ id }) => id === receiver) ? receiver : ""}
              onChange={({ currentTarget }) => onReceiver(currentTarget.value)}
            >
              <option value="">To all receivers</option>
              {all.map(({ id, url, workflow_id }) => (
                <option key={id} value={id}>
                  {url}
                  {workflow_id === null ? "" : " (one workflow)"}
                </option>
              ))}
            </select>
          )}
          <button type="button" onClick={() => refresh(deliveries)}>
            Reload
          </button>
        </>
      }
    >
      <Loaded isFollowed query={deliveries}>
        {({ deliveries: all }) =>
          all.length === 0 ? (
            <Empty title={receiver === "" ? "Nothing was delivered yet" : "Nothing was delivered to this receiver yet"}>
              This list shows each event and each test that was sent to a receiver, with its answer.
            </Empty>
          ) : (
            <Table
              label="All deliveries"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                {
                  word: "State",
                  cell: ({ delivery_errors, response_status, session_id, status }) => (
                    <>
                      <span class={status === "dead" ? "wrong" : ""}>
                        {status === "dead" && session_id === null ? "Did not arrive" : stateWords[status]}
                      </span>
                      {response_status !== null && <span class="quiet"> {response_status}</span>}
                      {delivery_errors.length > 0 && <p class="hint clip">{delivery_errors.at(-1)}</p>}
                    </>
                  )
                },
                {
                  word: "Event",
                  cell: ({ event, session_id }) =>
                    session_id === null ? "Test" : <a href={to(["runs", session_id])}>{event}</a>
                },
                { word: "Receiver", kind: "mono", cell: ({ url }) => url },
                { word: "Attempts", kind: "num", cell: ({ attempts }) => attempts },
                { word: "When", kind: "quiet", cell: ({ created_at }) => <Ago at={created_at} /> },
                {
                  word: "Action",
                  kind: "tight",
                  cell: ({ event, id, session_id, status }) =>
                    may("Member") &&
                    session_id !== null && (
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
}
