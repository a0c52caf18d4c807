/** The API keys of the workspace. A new key is shown once. */
import { useState } from "preact/hooks"
import type { ApiKeyRecord } from "../../api/workspace/WorkspacesApi.ts"
import { Confirm } from "../forms/Confirm.tsx"
import { Field } from "../forms/Field.tsx"
import { Fresh } from "../forms/KeyForm.tsx"
import { Secret } from "../forms/Secret.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page } from "../kit/Page.tsx"
import { act, client, problemsByField, query, refresh } from "../kit/Service.ts"
import { may, whoIs } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Named, Table } from "../kit/Table.tsx"

const keys = query((client) => client.workspaces.listApiKeys())

type Key = typeof ApiKeyRecord.Type

const roles = ["Viewer", "Member", "Owner"] as const
const roleWords = {
  Viewer: "Viewer: reads",
  Member: "Member: reads, edits and starts runs",
  Owner: "Owner: also manages keys and settings"
}

const scopes = ["read", "run", "edit"] as const
const scopeWords = {
  read: "read: lists and reads",
  run: "run: also starts and stops runs and answers their questions",
  edit: "edit: also changes workflows and credentials"
}

const day = 86_400
/** How long a key may be valid, in seconds. */
const lifetimes = [
  { word: "Until it is revoked", seconds: null },
  { word: "1 day", seconds: day },
  { word: "30 days", seconds: 30 * day },
  { word: "90 days", seconds: 90 * day },
  { word: "1 year", seconds: 365 * day }
]
/** How long the old key stays valid after a rotation, in seconds. */
const graces = [
  { word: "1 day", seconds: day },
  { word: "1 hour", seconds: 3_600 },
  { word: "7 days", seconds: 7 * day },
  { word: "Not at all", seconds: 0 }
]

const nameOf = ({ id, name }: Key): string => name ?? id.slice(-8)

type Asked = { readonly what: "new" } | { readonly what: "rotate" | "revoke"; readonly key: Key }

export const KeysView = () => {
  const [asked, ask] = useState<Asked | null>(null)
  const close = () => ask(null)
  if (!may("Owner")) {
    return (
      <Page title="Keys">
        <Empty title="Only an Owner sees the keys">Sign in with a key that has the role Owner.</Empty>
      </Page>
    )
  }
  return (
    <Page
      title="Keys"
      note="Programs send a key with every request; people sign in with a key here."
      actions={
        <button type="button" class="primary" onClick={() => ask({ what: "new" })}>
          New key
        </button>
      }
    >
      <div class="section">
        <Loaded isFollowed query={keys}>
          {(all) => <Listed keys={all} onAsk={ask} />}
        </Loaded>
      </div>
      {asked?.what === "new" && <Making onClose={close} />}
      {asked?.what === "rotate" && <Rotating former={asked.key} onClose={close} />}
      {asked?.what === "revoke" && (
        <Confirm
          title={`Revoke ${nameOf(asked.key)}`}
          word="Revoke it"
          onClose={close}
          onConfirm={() =>
            act(client().workspaces.revokeApiKey({ params: { api_key_id: asked.key.id } }), {
              done: "The key was revoked"
            }).then(() => refresh(keys))
          }
        >
          Requests with this key are refused from now on, and its sessions end. This cannot be undone.
        </Confirm>
      )}
    </Page>
  )
}

const Listed = ({
  keys: all,
  onAsk
}: {
  readonly keys: ReadonlyArray<Key>
  readonly onAsk: (asked: Asked) => void
}) => (
  <Table
    label="Keys"
    rows={all}
    keyOf={({ id }) => id}
    columns={[
      {
        word: "Name",
        cell: ({ id, name }) => <Named id={id} name={name} />
      },
      {
        word: "Role",
        cell: ({ role, scopes }) => (
          <>
            {role}
            {scopes !== null && <span class="quiet"> only {scopes.join(", ")}</span>}
          </>
        )
      },
      { word: "User", kind: "quiet", cell: ({ user_id }) => whoIs(user_id) },
      { word: "Created", kind: "quiet", cell: ({ created_at }) => <Ago at={created_at} /> },
      { word: "Last used", kind: "quiet", cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
      { word: "State", cell: (key) => <State of={key} /> },
      {
        word: "Action",
        kind: "tight",
        cell: (key) =>
          key.revoked_at === null && (
            <div class="row-actions">
              <button type="button" aria-label={`Rotate ${nameOf(key)}`} onClick={() => onAsk({ what: "rotate", key })}>
                Rotate…
              </button>
              <button type="button" aria-label={`Revoke ${nameOf(key)}`} onClick={() => onAsk({ what: "revoke", key })}>
                Revoke…
              </button>
            </div>
          )
      }
    ]}
  />
)

const State = ({ of: { expires_at, revoked_at } }: { readonly of: Key }) => {
  if (revoked_at !== null) {
    return (
      <span class="quiet">
        Revoked <Ago at={revoked_at} />
      </span>
    )
  }
  if (expires_at === null) return <>Valid</>
  const isOver = Date.parse(expires_at) <= Date.now()
  return (
    <span class={isOver ? "quiet" : ""}>
      {isOver ? "Expired " : "Expires "}
      <Ago at={expires_at} />
    </span>
  )
}

const Making = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [role, setRole] = useState<(typeof roles)[number]>("Member")
  const [scope, setScope] = useState("")
  const [lifetime, setLifetime] = useState(0)
  const [key, setKey] = useState<string | null>(null)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const send = async (event: Event) => {
    event.preventDefault()
    setProblems({})
    const chosen = scopes.find((one) => one === scope)
    const seconds = lifetimes[lifetime]?.seconds ?? null
    const payload = {
      role,
      ...(name.trim() === "" ? {} : { name: name.trim() }),
      ...(chosen === undefined ? {} : { scopes: [chosen] }),
      ...(seconds === null ? {} : { expires_in_seconds: seconds })
    }
    const made = await act(client().workspaces.makeApiKey({ payload }), {
      failed: (error) => setProblems(problemsByField(error, ["name", "role", "scopes", "expires_in_seconds"]))
    })
    if (made === null) return
    setKey(made.key)
    refresh(keys)
  }
  return (
    <Dialog title={key === null ? "New key" : "The new key"} onClose={onClose}>
      {key === null ? (
        <Fresh>
          <form class="form" onSubmit={send} noValidate>
            <Field label="Name (optional)" hint="Such as the program that will use it" problem={problems.name}>
              <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
            </Field>
            <Field label="Role" problem={problems.role}>
              <select
                value={role}
                onChange={({ currentTarget }) => setRole(roles.find((one) => one === currentTarget.value) ?? "Viewer")}
              >
                {roles.map((one) => (
                  <option key={one} value={one}>
                    {roleWords[one]}
                  </option>
                ))}
              </select>
            </Field>
            <Field
              label="Restricted to"
              hint="A restricted key never manages keys or settings"
              problem={problems.scopes}
            >
              <select value={scope} onChange={({ currentTarget }) => setScope(currentTarget.value)}>
                <option value="">Not restricted: all that its role allows</option>
                {scopes.map((one) => (
                  <option key={one} value={one}>
                    {scopeWords[one]}
                  </option>
                ))}
              </select>
            </Field>
            <Field label="Valid" problem={problems.expires_in_seconds}>
              <select value={lifetime} onChange={({ currentTarget }) => setLifetime(Number(currentTarget.value))}>
                {lifetimes.map(({ word }, index) => (
                  <option key={word} value={index}>
                    {word}
                  </option>
                ))}
              </select>
            </Field>
            <button type="submit" class="primary">
              Create
            </button>
          </form>
        </Fresh>
      ) : (
        <Secret what="Key" value={key} onClose={onClose} />
      )}
    </Dialog>
  )
}

const Rotating = ({ former, onClose }: { readonly former: Key; readonly onClose: () => void }) => {
  const [grace, setGrace] = useState(0)
  const [key, setKey] = useState<string | null>(null)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const send = async (event: Event) => {
    event.preventDefault()
    setProblems({})
    const made = await act(
      client().workspaces.rotateApiKey({
        params: { api_key_id: former.id },
        payload: { grace_seconds: graces[grace]?.seconds ?? day }
      }),
      { failed: (error) => setProblems(problemsByField(error, ["grace_seconds"])) }
    )
    if (made === null) return
    setKey(made.key)
    refresh(keys)
  }
  return (
    <Dialog title={`Rotate ${nameOf(former)}`} onClose={onClose}>
      {key === null ? (
        <Fresh>
          <form class="form" onSubmit={send} noValidate>
            <p>A new key takes the place of this one, with the same user, role, restriction and expiry.</p>
            <Field label="The current key stays valid for" problem={problems.grace_seconds}>
              <select value={grace} onChange={({ currentTarget }) => setGrace(Number(currentTarget.value))}>
                {graces.map(({ word }, index) => (
                  <option key={word} value={index}>
                    {word}
                  </option>
                ))}
              </select>
            </Field>
            <button type="submit" class="primary">
              Rotate
            </button>
          </form>
        </Fresh>
      ) : (
        <Secret what="Key" value={key} onClose={onClose} />
      )}
    </Dialog>
  )
}
