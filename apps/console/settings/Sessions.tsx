/** The open sessions at the console: those of the workspace for an Owner, their own for others. Each can be ended. */

import { useState } from "preact/hooks"
import type { OpenSession } from "../../api/console/LinksApi.ts"
import { Confirm } from "../forms/Confirm.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Section } from "../kit/Page.tsx"
import { act, client, query, refresh } from "../kit/Service.ts"
import { whoIs } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Named, Table } from "../kit/Table.tsx"

type Session = typeof OpenSession.Type

const sessions = query((client) => client.console.listOpenSessions())

const nameOf = ({ key_id, key_name }: Session): string => key_name ?? key_id.slice(-8)

export const Sessions = () => {
  const [ending, end] = useState<Session | null>(null)
  return (
    <Section title="Sessions" note="Browsers that are signed in to this console">
      <Loaded isFollowed query={sessions}>
        {({ sessions: all }) =>
          all.length === 0 ? (
            <Empty title="No open session">A browser that signs in with a key or a link is listed here.</Empty>
          ) : (
            <Table
              label="Open sessions"
              rows={all}
              keyOf={({ key_id, opened_at }) => `${key_id} ${opened_at}`}
              columns={[
                { word: "Key", cell: ({ key_id, key_name }) => <Named id={key_id} name={key_name} /> },
                { word: "User", kind: "quiet", cell: ({ user_id }) => whoIs(user_id) },
                { word: "Opened", kind: "quiet", cell: ({ opened_at }) => <Ago at={opened_at} /> },
                { word: "Ends", kind: "quiet", cell: ({ expires_at }) => <Ago at={expires_at} /> },
                {
                  word: "Action",
                  kind: "tight",
                  cell: (one) =>
                    one.current ? (
                      <span class="quiet">this browser</span>
                    ) : (
                      <button type="button" aria-label={`End… the session of ${nameOf(one)}`} onClick={() => end(one)}>
                        End…
                      </button>
                    )
                }
              ]}
            />
          )
        }
      </Loaded>
      {ending !== null && (
        <Confirm
          title={`End the session of ${nameOf(ending)}`}
          word="End it"
          onClose={() => end(null)}
          onConfirm={() =>
            act(
              client().console.endOpenSession({
                params: { api_key_id: ending.key_id, opened_at: ending.opened_at }
              }),
              { done: "The session was ended" }
            ).then(() => refresh(sessions))
          }
        >
          Its browser is signed out. Its key stays valid.
        </Confirm>
      )}
    </Section>
  )
}
