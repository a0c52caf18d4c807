/** Credentials of sites. Their secrets are sealed in the browser: no request holds one in plain text. */
import { type Effect, Redacted } from "effect"
import { useState } from "preact/hooks"
import { Confirm } from "../forms/Confirm.tsx"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, reasonOf, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { sealed } from "./Sealing.ts"
import { type Changed, changeProblemsOf, type Given, listOf, problemsOf } from "./VaultModel.ts"

const entries = query((client) => client.vault.listEntries({ query: {} }))

export const VaultView = () => {
  const [isMaking, setMaking] = useState(false)
  const [removing, setRemoving] = useState<Pair | null>(null)
  const [changing, setChanging] = useState<Pair | null>(null)
  return (
    <Page
      title="Vault"
      note="What runs sign in with. Secrets are sealed before they leave this browser."
      actions={
        may("Member") && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            Add a credential
          </button>
        )
      }
    >
      <div class="section">
        <Loaded query={entries}>
          {(answer) => {
            const all = listOf(answer)
            return all.length === 0 ? (
              <Empty title="No credential yet">
                Add the user name and password of a site. A workflow names it, and never sees it in plain text.
              </Empty>
            ) : (
              <Table
                label="Credentials"
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  { word: "User id", cell: (entry) => <b>{entry.permissioned_user_id}</b> },
                  { word: "Site", cell: ({ domain }) => domain },
                  { word: "Second factor", cell: (entry) => entry.tfa_method ?? <span class="quiet">none</span> },
                  { word: "Changed", kind: "quiet", cell: (entry) => <Ago at={entry.updated_at} /> },
                  {
                    word: "Action",
                    kind: "tight",
                    cell: ({ domain, permissioned_user_id: user }) => (
                      <div class="row-actions">
                        <a
                          class="button"
                          href={to(["runs"], { credential: user, since: "month" })}
                          aria-label={`Runs with ${user} of ${domain}`}
                        >
                          Runs
                        </a>
                        {may("Member") && (
                          <>
                            <button
                              type="button"
                              aria-label={`Change the password of ${user} of ${domain}`}
                              onClick={() => setChanging({ user, domain })}
                            >
                              Change…
                            </button>
                            <button
                              type="button"
                              aria-label={`Remove ${user} of ${domain}`}
                              onClick={() => setRemoving({ user, domain })}
                            >
                              Remove…
                            </button>
                          </>
                        )}
                      </div>
                    )
                  }
                ]}
              />
            )
          }}
        </Loaded>
      </div>
      {changing !== null && <Changing pair={changing} onClose={() => setChanging(null)} />}
      {isMaking && <Making onClose={() => setMaking(false)} />}
      {removing !== null && (
        <Confirm
          title={`Remove ${removing.user}`}
          word="Remove it"
          onClose={() => setRemoving(null)}
          onConfirm={() =>
            act(
              client().vault.removeEntry({
                payload: { permissioned_user_id: removing.user, domain: removing.domain }
              }),
              { done: "The credential was removed" }
            ).then(() => refresh(entries))
          }
        >
          Runs that need this credential of {removing.domain} fail from now on. It cannot be undone.
        </Confirm>
      )}
    </Page>
  )
}

interface Pair {
  readonly user: string
  readonly domain: string
}

const secret = { type: "password" as const, autocomplete: "off" as const, spellcheck: false }

/** The field of the key that seals what a form holds. */
const KeyField = ({
  onInput,
  problem,
  value
}: {
  readonly value: string
  readonly problem: string | undefined
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void
}) => (
  <Field
    label="Encryption key of the workspace"
    hint={
      <>
        64 hexadecimal digits, as <code>sluice keys encryption</code> prints them. It seals the values here and is sent
        nowhere.
      </>
    }
    problem={problem}
  >
    <input {...secret} value={value} onInput={onInput} />
  </Field>
)

/** A form whose values are sealed with the key that stands in it, before they are sent. */
const useSealing = <G extends { readonly key: string }>({
  blank,
  done,
  onClose,
  store,
  wrongOf
}: {
  readonly blank: G
  /** The message when it was stored. */
  readonly done: string
  readonly onClose: () => void
  readonly store: (given: G, seal: (value: string) => Promise<string>) => Promise<Effect.Effect<unknown, unknown>>
  readonly wrongOf: (given: G) => Partial<Record<keyof G, string>>
}) => {
  const [given, setGiven] = useState(blank)
  const [problems, setProblems] = useState<Partial<Record<keyof G, string>>>({})
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const set = (name: keyof G) => (event: { readonly currentTarget: HTMLInputElement }) =>
    setGiven({ ...given, [name]: event.currentTarget.value })
  const send = async (event: Event) => {
    event.preventDefault()
    const wrong = wrongOf(given)
    setProblems(wrong)
    setRefusal(null)
    if (Object.keys(wrong).length > 0) return
    setBusy(true)
    const seal = (value: string) => sealed(Redacted.make(given.key.trim()), Redacted.make(value))
    const stored = await act(await store(given, seal), {
      done,
      failed: (error) => setRefusal(reasonOf(error))
    })
    setBusy(false)
    if (stored === null) return
    refresh(entries)
    onClose()
  }
  return { given, problems, refusal, isBusy, set, send }
}

/** The end of a form: why the service refused it, and the button that sends it. */
const Sending = ({
  isBusy,
  refusal,
  word
}: {
  readonly refusal: string | null
  readonly isBusy: boolean
  readonly word: string
}) => (
  <>
    {refusal !== null && (
      <p class="wrong" role="alert">
        {refusal}
      </p>
    )}
    <button type="submit" class="primary" disabled={isBusy}>
      {word}
    </button>
  </>
)

const unchanged: Changed = { key: "", userName: "", password: "" }

const Changing = ({ onClose, pair }: { readonly onClose: () => void; readonly pair: Pair }) => {
  const { given, isBusy, problems, refusal, send, set } = useSealing({
    blank: unchanged,
    done: "The credential was changed. Runs that begin from now on use it",
    onClose,
    store: async ({ password, userName }, seal) =>
      client().vault.updateEntry({
        payload: {
          permissioned_user_id: pair.user,
          domain: pair.domain,
          ...(userName === "" ? {} : { user_name: await seal(userName) }),
          ...(password === "" ? {} : { password: await seal(password) })
        }
      }),
    wrongOf: changeProblemsOf
  })
  return (
    <Dialog title={`Change ${pair.user} of ${pair.domain}`} onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <Field label="New password" hint="If empty, the password stays" problem={problems.password}>
          <input {...secret} value={given.password} onInput={set("password")} />
        </Field>
        <Field label="New user name" hint="If empty, the user name stays" problem={problems.userName}>
          <input autocomplete="off" value={given.userName} onInput={set("userName")} />
        </Field>
        <KeyField value={given.key} onInput={set("key")} problem={problems.key} />
        <Sending refusal={refusal} isBusy={isBusy} word="Seal and change" />
      </form>
    </Dialog>
  )
}

const blank: Given = { key: "", user: "", domain: "", userName: "", password: "", tfaSecret: "" }

const Making = ({ onClose }: { readonly onClose: () => void }) => {
  const { given, isBusy, problems, refusal, send, set } = useSealing({
    blank,
    done: "The credential was sealed and stored",
    onClose,
    store: async ({ domain, password, tfaSecret, user, userName }, seal) =>
      client().vault.createEntry({
        payload: {
          permissioned_user_id: user.trim(),
          domain: domain.trim(),
          user_name: await seal(userName),
          password: await seal(password),
          ...(tfaSecret.trim() === ""
            ? {}
            : { tfa_method: "AUTHENTICATOR" as const, tfa_secret: await seal(tfaSecret.trim()) })
        }
      }),
    wrongOf: problemsOf
  })
  return (
    <Dialog title="Add a credential" onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <div class="pair">
          <Field label="User id" hint="How workflows and runs name it" problem={problems.user}>
            <input value={given.user} onInput={set("user")} />
          </Field>
          <Field label="Site" problem={problems.domain}>
            <input placeholder="https://portal.example.com" value={given.domain} onInput={set("domain")} />
          </Field>
          <Field label="User name" problem={problems.userName}>
            <input autocomplete="off" value={given.userName} onInput={set("userName")} />
          </Field>
          <Field label="Password" problem={problems.password}>
            <input {...secret} value={given.password} onInput={set("password")} />
          </Field>
        </div>
        <Field label="Authenticator secret (optional)" hint="Base32, or an otpauth:// address">
          <input {...secret} value={given.tfaSecret} onInput={set("tfaSecret")} />
        </Field>
        <KeyField value={given.key} onInput={set("key")} problem={problems.key} />
        <Sending refusal={refusal} isBusy={isBusy} word="Seal and store" />
      </form>
    </Dialog>
  )
}
