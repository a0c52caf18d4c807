/** The destinations of files, and what was delivered to them. */
import { useState } from "preact/hooks"
import { Confirm } from "../forms/Confirm.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { type Destination, DestinationForm } from "./DestinationForm.tsx"

const destinations = query((client) => client.fileDestinations.listDestinations())
const deliveries = query((client) => client.fileDestinations.listFileDeliveries({ query: { limit: 50 } }))

export const FilesView = () => {
  /** The destination in the form; `null` for a new one, `undefined` for no form. */
  const [edited, setEdited] = useState<Destination | null | undefined>(undefined)
  const [removing, setRemoving] = useState<Destination | null>(null)
  return (
    <Page
      title="Files"
      note="What runs download is sent on to these destinations when they end"
      actions={
        may("Owner") && (
          <button type="button" class="primary" onClick={() => setEdited(null)}>
            New destination
          </button>
        )
      }
    >
      <Section title="Destinations">
        <Loaded isFollowed query={destinations}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No destination yet">
                {may("Owner") ? "Register one, and name" : "An Owner can register one. Workflows name"} it as{" "}
                <code>file_destination</code> in a workflow.
              </Empty>
            ) : (
              <ul class="entries">
                {all.map((destination) => {
                  const { has_access, id, name, on_conflict, type, url } = destination
                  return (
                    <li key={id}>
                      <span class="entry-text">
                        <b>{name}</b> <span class="mono">{url}</span>
                        <span class="quiet">
                          {type} · {has_access ? "its access is sealed" : "no access"}
                          {on_conflict === "fail" && " · files of a name that is there are not delivered"}
                        </span>
                      </span>
                      {may("Owner") && (
                        <span class="actions">
                          <button type="button" aria-label={`Edit ${name}`} onClick={() => setEdited(destination)}>
                            Edit…
                          </button>
                          <button type="button" aria-label={`Remove ${name}`} onClick={() => setRemoving(destination)}>
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
      <Deliveries />
      {edited !== undefined && (
        <DestinationForm
          before={edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => refresh(destinations, deliveries)}
        />
      )}
      {removing !== null && (
        <Confirm
          title="Remove the destination"
          word="Remove it"
          onClose={() => setRemoving(null)}
          onConfirm={() =>
            act(client().fileDestinations.removeDestination({ params: { destination_id: removing.id } }), {
              done: "The destination was removed"
            }).then(() => refresh(destinations, deliveries))
          }
        >
          Nothing is sent to {removing.name} from now on, and what is pending for it fails. Workflows that name it send
          no files.
        </Confirm>
      )}
    </Page>
  )
}

const stateWords = { pending: "Pending", delivered: "Delivered", failed: "Given up" } as const

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
          <Empty title="Nothing was delivered yet">This list shows each file that was sent on, and where it is.</Empty>
        ) : (
          <Table
            label="All deliveries of files"
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              {
                word: "State",
                cell: ({ delivery_errors, status }) => (
                  <>
                    <span class={status === "failed" ? "wrong" : ""}>{stateWords[status]}</span>
                    {status !== "delivered" && delivery_errors.length > 0 && (
                      <p class="hint clip">{delivery_errors.at(-1)}</p>
                    )}
                  </>
                )
              },
              { word: "File", cell: ({ file_name, session_id }) => <a href={to(["runs", session_id])}>{file_name}</a> },
              { word: "Destination", cell: ({ destination }) => destination },
              { word: "Path", kind: "mono", cell: ({ path }) => path },
              { word: "Attempts", kind: "num", cell: ({ attempts }) => attempts },
              { word: "When", kind: "quiet", cell: ({ created_at }) => <Ago at={created_at} /> },
              {
                word: "Action",
                kind: "tight",
                cell: ({ file_name, id, status }) =>
                  may("Member") &&
                  status === "failed" && (
                    <button
                      type="button"
                      aria-label={`Send again: ${file_name}`}
                      onClick={() =>
                        void act(client().fileDestinations.retryFileDelivery({ params: { file_delivery_id: id } }), {
                          done: "The file is sent again"
                        }).then(() => refresh(deliveries))
                      }
                    >
                      Send again
                    </button>
                  )
              }
            ]}
          />
        )
      }
    </Loaded>
  </Section>
)
