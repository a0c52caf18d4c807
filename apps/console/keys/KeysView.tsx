/** The API keys of the workspace. A new key is shown once. */
import { useState } from "preact/hooks"
import { copy } from "../forms/JsonText.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Field } from "../kit/Field.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page } from "../kit/Page.tsx"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"

const keys = query((client) => client.workspaces.listApiKeys())

const roles = ["Viewer", "Member", "Owner"] as const
const roleWords = {
  Viewer: "Viewer: reads",
  Member: "Member: reads, edits and starts runs",
  Owner: "Owner: also manages keys and settings"
}

export const KeysView = () => {
  const [isMaking, setMaking] = useState(false)
  const [revoking, setRevoking] = useState<{ readonly id: string; readonly name: string } | null>(null)
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
      note="Programs present one with every request; people sign in with one here."
      actions={
        <button type="button" class="primary" onClick={() => setMaking(true)}>
          New key
        </button>
      }
    >
      <div class="section">
        <Loaded query={keys}>
          {(all) => (
            <div class="scroll">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Role</th>
                    <th scope="col">Created</th>
                    <th scope="col">State</th>
                    <th scope="col" class="tight">
                      Action
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {all.map(({ created_at, id, name, revoked_at, role }) => (
                    <tr key={id}>
                      <td>
                        {name ?? <span class="quiet">without a name</span>}{" "}
                        <span class="quiet mono">{id.slice(-8)}</span>
                      </td>
                      <td>{role}</td>
                      <td class="quiet">
                        <Ago at={created_at} />
                      </td>
                      <td>
                        {revoked_at === null ? (
                          "Valid"
                        ) : (
                          <span class="quiet">
                            Revoked <Ago at={revoked_at} />
                          </span>
                        )}
                      </td>
                      <td class="tight">
                        {revoked_at === null && (
                          <button
                            type="button"
                            aria-label={`Revoke ${name ?? id}`}
                            onClick={() => setRevoking({ id, name: name ?? id.slice(-8) })}
                          >
                            Revoke…
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Loaded>
      </div>
      {isMaking && <Making onClose={() => setMaking(false)} />}
      {revoking !== null && (
        <Dialog title={`Revoke ${revoking.name}`} onClose={() => setRevoking(null)}>
          <p>
            Requests with this key are refused from now on, and sessions that began with it end. It cannot be undone.
          </p>
          <div class="dialog-actions">
            <button
              type="button"
              class="danger"
              onClick={() =>
                void act(client().workspaces.revokeApiKey({ params: { api_key_id: revoking.id } }), {
                  done: "The key was revoked"
                }).then(() => {
                  setRevoking(null)
                  refresh(keys)
                })
              }
            >
              Revoke it
            </button>
            <button type="button" onClick={() => setRevoking(null)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </Page>
  )
}

const Making = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [role, setRole] = useState<(typeof roles)[number]>("Member")
  const [key, setKey] = useState<string | null>(null)
  const send = async (event: Event) => {
    event.preventDefault()
    const payload = { role, ...(name.trim() === "" ? {} : { name: name.trim() }) }
    const made = await act(client().workspaces.makeApiKey({ payload }))
    if (made === null) return
    setKey(made.key)
    refresh(keys)
  }
  return (
    <Dialog title={key === null ? "New key" : "The new key"} onClose={onClose}>
      {key === null ? (
        <form class="form" onSubmit={send}>
          <Field label="Name" hint="Such as the program that will use it">
            <input value={name} maxLength={256} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </Field>
          <Field label="Role">
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
          <button type="submit" class="primary">
            Create
          </button>
        </form>
      ) : (
        <>
          <p>Copy it now: it is shown this once.</p>
          <p class="mono secret">{key}</p>
          <div class="dialog-actions">
            <button type="button" class="primary" onClick={() => void copy(key, "Key")}>
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
