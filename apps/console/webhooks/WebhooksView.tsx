/** Receivers of events, what was delivered to them, and what was not. */
import { useState } from "preact/hooks"
import { copy } from "../forms/JsonText.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Field } from "../kit/Field.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"

const webhooks = query((client) => client.webhooks.listEndpoints())
const deliveries = query((client) => client.webhooks.listDeliveries({ query: { limit: 50 } }))

export const WebhooksView = () => {
  const [isMaking, setMaking] = useState(false)
  return (
    <Page
      title="Webhooks"
      note="Receivers that are sent the events of runs, signed"
      actions={
        may("Owner") && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New webhook
          </button>
        )
      }
    >
      <Section title="Receivers">
        <Loaded query={webhooks}>
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
                    <span class="held-text">
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
    </Page>
  )
}

const Deliveries = () => (
  <Section
    title="Deliveries"
    note="the latest 50"
    actions={
      <button type="button" onClick={() => refresh(deliveries)}>
        Read again
      </button>
    }
  >
    <Loaded query={deliveries}>
      {({ deliveries: all }) =>
        all.length === 0 ? (
          <Empty title="Nothing was delivered yet">
            Each event that is sent to a receiver stands here with its answer.
          </Empty>
        ) : (
          <div class="scroll">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">State</th>
                  <th scope="col">Event</th>
                  <th scope="col">Receiver</th>
                  <th scope="col" class="num">
                    Attempts
                  </th>
                  <th scope="col">When</th>
                  <th scope="col" class="tight">
                    Action
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((one) => (
                  <tr key={one.id}>
                    <td class={one.status === "dead" ? "wrong" : ""}>
                      {one.status}
                      {one.response_status !== null && <span class="quiet"> {one.response_status}</span>}
                    </td>
                    <td>
                      <a href={to(["runs", one.session_id])}>{one.event}</a>
                    </td>
                    <td class="mono">{one.url}</td>
                    <td class="num">{one.attempts}</td>
                    <td class="quiet">
                      <Ago at={one.created_at} />
                    </td>
                    <td class="tight">
                      {one.status === "dead" && may("Member") && (
                        <button
                          type="button"
                          aria-label={`Send ${one.event} again`}
                          onClick={() =>
                            void act(client().webhooks.retryDelivery({ params: { delivery_id: one.id } }), {
                              done: "It is sent again"
                            }).then(() => refresh(deliveries))
                          }
                        >
                          Send again
                        </button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
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
    if (!URL.canParse(url)) return setProblem("Expected an address such as https://example.com/hook")
    setProblem(null)
    const made = await act(client().webhooks.createEndpoint({ payload: { url } }), {
      failed: (error) =>
        setProblem(error instanceof Error ? error.message : String(Reflect.get(Object(error), "message")))
    })
    if (made === null) return
    setSecret(made.secret)
    refresh(webhooks)
  }
  return (
    <Dialog title={secret === null ? "New webhook" : "The webhook was registered"} onClose={onClose}>
      {secret === null ? (
        <form class="form" onSubmit={send} noValidate>
          <Field label="Address" problem={problem} hint="It is sent every event of every workflow">
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
        <>
          <p>Its secret signs what it is sent. Copy it now: it is shown this once.</p>
          <p class="mono secret">{secret}</p>
          <div class="dialog-actions">
            <button type="button" class="primary" onClick={() => void copy(secret, "Secret")}>
              Copy
            </button>
            <button type="button" onClick={onClose}>
              Done
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
