/** The receivers of alerts, and the alerts that were sent. */
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
import { ReceiverForm, typeWords } from "./ReceiverForm.tsx"
import { kindList, kindWords, type Receiver } from "./ReceiverModel.ts"

const receivers = query((client) => client.alerts.listAlertReceivers())
const alerts = query((client) => client.alerts.listAlerts({ query: { limit: 50 } }))

export const AlertsView = () => {
  /** The receiver in the form; `null` for a new one, `undefined` for no form. */
  const [edited, setEdited] = useState<Receiver | null | undefined>(undefined)
  const [removing, setRemoving] = useState<Receiver | null>(null)
  if (!may("Owner")) {
    return (
      <Page title="Alerts">
        <Empty title="Only an Owner sees the alerts">Sign in with a key that has the role Owner.</Empty>
      </Page>
    )
  }
  return (
    <Page
      title="Alerts"
      note="People are told of runs that fail, wait for a person or do not start in time"
      actions={
        <button type="button" class="primary" onClick={() => setEdited(null)}>
          New receiver
        </button>
      }
    >
      <Section title="Receivers">
        <Loaded isFollowed query={receivers}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No receiver yet">
                Register who is told, by mail or in a channel of Slack or Teams, and send a test.
              </Empty>
            ) : (
              <ul class="entries">
                {all.map((receiver) => (
                  <Row
                    key={receiver.id}
                    receiver={receiver}
                    onEdit={() => setEdited(receiver)}
                    onRemove={() => setRemoving(receiver)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Latest />
      {edited !== undefined && (
        <ReceiverForm before={edited} onClose={() => setEdited(undefined)} onSaved={() => refresh(receivers)} />
      )}
      {removing !== null && (
        <Confirm
          title="Remove the receiver"
          word="Remove it"
          onClose={() => setRemoving(null)}
          onConfirm={() =>
            act(client().alerts.removeAlertReceiver({ params: { receiver_id: removing.id } }), {
              done: "The receiver was removed"
            }).then(() => refresh(receivers, alerts))
          }
        >
          {removing.name} is told nothing from now on, and what was gathered for it is not sent.
        </Confirm>
      )}
    </Page>
  )
}

const Row = ({
  onEdit,
  onRemove,
  receiver
}: {
  readonly receiver: Receiver
  readonly onEdit: () => void
  readonly onRemove: () => void
}) => {
  const { events, host, id, name, quiet_hours: quiet, to: people, type, urgent, workflow_ids: ids } = receiver
  const names = namesOf(useQuery(workflows).value)
  const test = () =>
    act(client().alerts.testAlertReceiver({ params: { receiver_id: id } })).then((answer) => {
      if (answer === null) return
      if (answer.sent) say("done", `The test was sent to ${name}`)
      else say("problem", `The test was not sent: ${answer.reason}`)
    })
  return (
    <li>
      <span class="entry-text">
        <b>{name}</b> <span class="mono">{type === "mail" ? people.join(", ") : host}</span>
        <span class="quiet">
          {typeWords[type]}
          {type === "mail" && ` by ${host}`} · {kindList(events)} ·{" "}
          {ids === null ? "every workflow" : ids.map((one) => names.get(one) ?? shortId(one)).join(", ")}
          {quiet !== null && ` · quiet from ${quiet.from} to ${quiet.to} (${quiet.time_zone})`}
          {quiet !== null && urgent.length > 0 && ` but for: ${kindList(urgent)}`}
        </span>
      </span>
      <span class="actions">
        <button type="button" aria-label={`Send a test to ${name}`} onClick={() => void test()}>
          Send a test
        </button>
        <button type="button" aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit…
        </button>
        <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove…
        </button>
      </span>
    </li>
  )
}

const stateWords = { gathering: "Gathering", sending: "Sending", sent: "Sent", failed: "Given up" } as const

const Latest = () => {
  const names = namesOf(useQuery(workflows).value)
  const known = new Map((useQuery(receivers).value ?? []).map(({ id, name }) => [id, name]))
  return (
    <Section
      title="Messages"
      note="the latest 50"
      actions={
        <button type="button" onClick={() => refresh(alerts)}>
          Reload
        </button>
      }
    >
      <Loaded isFollowed query={alerts}>
        {({ alerts: all }) =>
          all.length === 0 ? (
            <Empty title="Nobody was told anything yet">
              This list shows each message of the last 30 days, and whether it was sent.
            </Empty>
          ) : (
            <Table
              label="The latest alerts"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                {
                  word: "State",
                  cell: ({ errors, status }) => (
                    <>
                      <span class={status === "failed" ? "wrong" : ""}>{stateWords[status]}</span>
                      {status !== "sent" && errors.length > 0 && <p class="hint clip">{errors.at(-1)}</p>}
                    </>
                  )
                },
                { word: "Receiver", cell: ({ receiver_id: id }) => known.get(id) ?? "Removed" },
                { word: "Event", cell: ({ event }) => kindWords[event] },
                {
                  word: "Workflow",
                  cell: ({ workflow_id: id }) => <a href={to(["workflows", id])}>{names.get(id) ?? shortId(id)}</a>
                },
                { word: "Times", kind: "num", cell: ({ count }) => count },
                {
                  word: "First run",
                  kind: "mono",
                  cell: ({ session_ids: [first] }) =>
                    first !== undefined && <a href={to(["runs", first])}>{shortId(first)}</a>
                },
                { word: "Attempts", kind: "num", cell: ({ attempts }) => attempts },
                { word: "Last", kind: "quiet", cell: ({ last_at: at }) => <Ago at={at} /> }
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
