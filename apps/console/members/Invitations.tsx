/** The invitations of the workspace: made for a role, listed, and revoked. Their links are shown once. */
import { useState } from "preact/hooks"
import type { InvitationRecord } from "../../api/workspace/InvitationsApi.ts"
import { Confirm } from "../forms/Confirm.tsx"
import { Field } from "../forms/Field.tsx"
import { Fresh } from "../forms/KeyForm.tsx"
import { Secret } from "../forms/Secret.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Section } from "../kit/Page.tsx"
import { act, client, problemsByField, query, refresh } from "../kit/Service.ts"
import { invitationLink, whoIs } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Named, Table } from "../kit/Table.tsx"

type Invitation = typeof InvitationRecord.Type

const invitations = query((client) => client.invitations.listInvitations())

const roles = ["Viewer", "Member", "Owner"] as const

const lifetimes = [
  { word: "1 day", seconds: 86_400 },
  { word: "7 days", seconds: 7 * 86_400 },
  { word: "30 days", seconds: 30 * 86_400 }
] as const

const stateWords = { open: "Open", used: "Accepted", expired: "Expired" } as const

export const Invitations = () => {
  const [isInviting, setInviting] = useState(false)
  const [revoking, revoke] = useState<Invitation | null>(null)
  return (
    <Section
      title="Invitations"
      note="The person who accepts one gets a key that no one else has seen"
      actions={
        <button type="button" onClick={() => setInviting(true)}>
          Invite…
        </button>
      }
    >
      <Loaded isFollowed query={invitations}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No invitation yet">
              <b>Invite…</b> makes a link. The first person who accepts it gets a key of this workspace.
            </Empty>
          ) : (
            <Table
              label="All invitations"
              rows={all.toReversed()}
              keyOf={({ id }) => id}
              columns={[
                {
                  word: "Name",
                  cell: ({ id, name }) => <Named id={id} name={name} />
                },
                { word: "Role", cell: ({ role }) => role },
                { word: "By", kind: "quiet", cell: ({ created_by }) => whoIs(created_by) },
                {
                  word: "State",
                  cell: ({ expires_at, state, used_at }) => (
                    <>
                      {stateWords[state]}{" "}
                      <span class="quiet">
                        {state === "open" && "ends "}
                        <Ago at={used_at ?? expires_at} />
                      </span>
                    </>
                  )
                },
                {
                  word: "Action",
                  kind: "tight",
                  cell: (one) =>
                    one.state === "open" && (
                      <button type="button" aria-label={`Revoke… ${nameOf(one)}`} onClick={() => revoke(one)}>
                        Revoke…
                      </button>
                    )
                }
              ]}
            />
          )
        }
      </Loaded>
      {isInviting && <Inviting onClose={() => setInviting(false)} />}
      {revoking !== null && (
        <Confirm
          title={`Revoke the invitation ${nameOf(revoking)}`}
          word="Revoke it"
          onClose={() => revoke(null)}
          onConfirm={() =>
            act(client().invitations.revokeInvitation({ params: { invitation_id: revoking.id } }), {
              done: "The invitation was revoked"
            }).then(() => refresh(invitations))
          }
        >
          Its link no longer works.
        </Confirm>
      )}
    </Section>
  )
}

const nameOf = ({ id, name }: Invitation): string => name ?? id.slice(-8)

const fields = ["name", "role", "expires_in_seconds"]

const Inviting = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [role, setRole] = useState<(typeof roles)[number]>("Member")
  const [seconds, setSeconds] = useState<number>(lifetimes[1].seconds)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [token, setToken] = useState<string | null>(null)
  const send = async (event: Event) => {
    event.preventDefault()
    setProblems({})
    const payload = { role, expires_in_seconds: seconds, ...(name.trim() === "" ? {} : { name: name.trim() }) }
    const made = await act(client().invitations.createInvitation({ payload }), {
      failed: (error) => setProblems(problemsByField(error, fields))
    })
    if (made === null) return
    setToken(made.token)
    refresh(invitations)
  }
  return (
    <Dialog title={token === null ? "Invite a person" : "The link of the invitation"} onClose={onClose}>
      {token !== null ? (
        <Secret what="Link" value={invitationLink(token)} onClose={onClose}>
          Send this link to the person. The first person who accepts it gets a key with the role {role}.
        </Secret>
      ) : (
        <Fresh>
          <form class="form" onSubmit={send} noValidate>
            <Field label="Name (optional)" hint="Such as the name of the person" problem={problems.name}>
              <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
            </Field>
            <Field label="Role" problem={problems.role}>
              <select
                value={role}
                onChange={({ currentTarget }) => setRole(roles.find((one) => one === currentTarget.value) ?? "Viewer")}
              >
                {roles.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </Field>
            <Field label="Can be accepted for" problem={problems.expires_in_seconds}>
              <select value={seconds} onChange={({ currentTarget }) => setSeconds(Number(currentTarget.value))}>
                {lifetimes.map((one) => (
                  <option key={one.word} value={one.seconds}>
                    {one.word}
                  </option>
                ))}
              </select>
            </Field>
            <button type="submit" class="primary">
              Make the link
            </button>
          </form>
        </Fresh>
      )}
    </Dialog>
  )
}
