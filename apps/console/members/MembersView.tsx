/** The members of the workspace, with the role and the keys of each. */
import { useState } from "preact/hooks"
import { Confirm } from "../forms/Confirm.tsx"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { Page } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may, ownWorkspaceId, whoIs } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { type Column, Table } from "../kit/Table.tsx"
import { Invitations } from "./Invitations.tsx"
import { linesOf, type MemberLine } from "./MembersModel.ts"

const workspaces = query((client) => client.workspaces.listWorkspaces({ query: { load_members: "true" } }))
const keys = query((client) => client.workspaces.listApiKeys())

const roleWords: Readonly<Record<string, string>> = {
  Viewer: "reads",
  Member: "reads, edits and starts runs",
  Owner: "also manages keys and settings"
}

export const MembersView = () => (
  <Page
    title="Members"
    note="People and programs that have a key of this workspace"
    actions={
      may("Owner") && (
        <a class="button" href={to(["keys"])}>
          Keys
        </a>
      )
    }
  >
    <div class="section">{may("Owner") ? <WithKeys /> : <WithoutKeys />}</div>
    {may("Owner") && <Invitations />}
    {!may("Owner") && <p class="note">Only an Owner sees the keys of members, invites people and removes a member.</p>}
  </Page>
)

const memberColumns: ReadonlyArray<Column<MemberLine>> = [
  {
    word: "User",
    cell: ({ user }) => (
      <>
        {whoIs(user)} {whoIs(user) === "you" && <span class="quiet mono">{user.slice(-8)}</span>}
      </>
    )
  },
  {
    word: "Role",
    cell: ({ role }) => (
      <>
        {role} <span class="quiet">{roleWords[role]}</span>
      </>
    )
  }
]

const WithoutKeys = () => (
  <Loaded isFollowed query={workspaces}>
    {(all) => (
      <Table
        label="Members"
        rows={linesOf(all, ownWorkspaceId(), [], Date.now())}
        keyOf={({ user }) => user}
        columns={memberColumns}
      />
    )}
  </Loaded>
)

const WithKeys = () => {
  const [removing, remove] = useState<MemberLine | null>(null)
  const held = useQuery(keys).value ?? []
  const revokeAll = async ({ keys: own }: MemberLine) => {
    for (const { id } of own) {
      const revoked = await act(client().workspaces.revokeApiKey({ params: { api_key_id: id } }))
      if (revoked === null) break
    }
    refresh(keys, workspaces)
  }
  const columns: ReadonlyArray<Column<MemberLine>> = [
    ...memberColumns,
    {
      word: "Valid keys",
      cell: ({ keys: own }) =>
        own.length === 0 ? (
          <span class="quiet">none</span>
        ) : (
          own.map(({ id, name }) => name ?? `key ${id.slice(-8)}`).join(", ")
        )
    },
    { word: "Last used", kind: "quiet", cell: ({ lastUsed }) => <Ago at={lastUsed} /> },
    {
      word: "Action",
      kind: "tight",
      cell: (line) =>
        line.keys.length > 0 &&
        whoIs(line.user) !== "you" && (
          <button type="button" aria-label={`Remove ${whoIs(line.user)}`} onClick={() => remove(line)}>
            Remove…
          </button>
        )
    }
  ]
  return (
    <>
      <Loaded isFollowed query={workspaces}>
        {(all) => (
          <Table
            label="Members"
            rows={linesOf(all, ownWorkspaceId(), held, Date.now())}
            keyOf={({ user }) => user}
            columns={columns}
          />
        )}
      </Loaded>
      {removing !== null && (
        <Confirm
          title={`Remove ${whoIs(removing.user)}`}
          word={removing.keys.length === 1 ? "Revoke the key" : `Revoke ${removing.keys.length} keys`}
          onClose={() => remove(null)}
          onConfirm={() => revokeAll(removing)}
        >
          Every key of this user is revoked: its requests are refused from now on, and its sessions end. This cannot be
          undone. What this user did stays in the audit trail.
        </Confirm>
      )}
    </>
  )
}
