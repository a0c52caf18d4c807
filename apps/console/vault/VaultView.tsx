/** Credentials of sites. The browser seals their secrets: no request contains one in plain text. */
import { useState } from "preact/hooks"
import { Confirm } from "../forms/Confirm.tsx"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { say } from "../kit/Notices.ts"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { Providers, providers, Reference } from "./Providers.tsx"
import { KeyField, Sending, secret, useSealing } from "./SealedForm.tsx"
import {
  bySite,
  type Changed,
  changeProblemsOf,
  type Entry,
  type Given,
  healthWords,
  listOf,
  problemsOf
} from "./VaultModel.ts"

const entries = query((client) => client.vault.listEntries({ query: {} }))

export const VaultView = () => {
  const connected = useQuery(providers).value ?? []
  const [isMaking, setMaking] = useState(false)
  const [removing, setRemoving] = useState<Pair | null>(null)
  const [changing, setChanging] = useState<Pair | null>(null)
  return (
    <Page
      title="Vault"
      note="The credentials of runs. Secrets are sealed before they leave this browser."
      actions={
        may("Member") && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            Add a credential
          </button>
        )
      }
    >
      <Section title="Credentials" note="by site">
        <Loaded isFollowed query={entries}>
          {(answer) => {
            const all = bySite(listOf(answer))
            return all.length === 0 ? (
              <Empty title="No credential yet">
                Add the user name and password of a site. A workflow refers to the credential by name and does not
                contain its secrets.
              </Empty>
            ) : (
              <Table
                label="All credentials"
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  { word: "Site", cell: ({ domain }) => domain },
                  { word: "User id", cell: (entry) => <b>{entry.permissioned_user_id}</b> },
                  {
                    word: "Secrets",
                    cell: ({ secret_provider_id: id, secret_ref }) =>
                      id === null ? (
                        <span class="quiet">sealed here</span>
                      ) : (
                        <span title={secret_ref ?? ""}>
                          {connected.find((one) => one.id === id)?.name ?? "a secret provider"}
                        </span>
                      )
                  },
                  { word: "Second factor", cell: (entry) => entry.tfa_method ?? <span class="quiet">none</span> },
                  { word: "Health", cell: ({ health }) => <Health health={health} /> },
                  { word: "Changed", kind: "quiet", cell: (entry) => <Ago at={entry.updated_at} /> },
                  {
                    word: "Action",
                    kind: "tight",
                    cell: ({ domain, permissioned_user_id: user, secret_provider_id }) => (
                      <div class="row-actions">
                        <a
                          class="button"
                          href={to(["runs"], { credential: user, since: "month" })}
                          aria-label={`Runs with ${user} of ${domain}`}
                        >
                          Runs with {user}
                        </a>
                        {may("Member") && (
                          <>
                            <button
                              type="button"
                              aria-label={`Check now: ${user} of ${domain}`}
                              onClick={() => check({ user, domain })}
                            >
                              Check now
                            </button>
                            <button
                              type="button"
                              disabled={secret_provider_id !== null}
                              title={secret_provider_id === null ? undefined : "Its secrets are in a secret provider"}
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
      </Section>
      <Providers />
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
          Runs that need this credential of {removing.domain} fail from now on. This cannot be undone.
        </Confirm>
      )}
    </Page>
  )
}

/** Starts a run that only signs in. What it finds out becomes the health of the credential, which the page follows. */
const check = async ({ domain, user }: Pair) => {
  const payload = { permissioned_user_id: user, domain }
  const started = await act(client().vault.checkEntry({ payload }))
  if (started === null) return
  say("done", `The check of ${user} has begun.`, { word: "Follow its run", address: to(["runs", started.session_id]) })
  refresh(entries)
}

/** How signing in goes; a failure leads to the run that found it out. */
const Health = ({ health }: { readonly health: Entry["health"] }) => (
  <>
    {health.last_session_id === null ? (
      <span class="quiet">{healthWords(health)}</span>
    ) : (
      <a href={to(["runs", health.last_session_id])}>{healthWords(health)}</a>
    )}
    {health.last_success_at !== null && (
      <div class="quiet">
        last success <Ago at={health.last_success_at} />
      </div>
    )}
  </>
)

interface Pair {
  readonly user: string
  readonly domain: string
}

const paths = {
  permissioned_user_id: "user",
  domain: "domain",
  user_name: "userName",
  password: "password",
  tfa_secret: "tfaSecret",
  secret_ref: "reference",
  secret_provider_id: "provider"
} as const

const unchanged: Changed = { key: "", userName: "", password: "" }

const Changing = ({ onClose, pair }: { readonly onClose: () => void; readonly pair: Pair }) => {
  const { given, isBusy, problems, refusal, send, set } = useSealing({
    blank: unchanged,
    done: "The credential was changed. Later runs use it",
    onDone: () => {
      refresh(entries)
      onClose()
    },
    paths: { user_name: "userName", password: "password" },
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

const blank: Given = {
  ...{ key: "", user: "", domain: "", userName: "", password: "", tfaSecret: "" },
  ...{ provider: "", reference: "" }
}

const Making = ({ onClose }: { readonly onClose: () => void }) => {
  const connected = useQuery(providers).value ?? []
  const { given, isBusy, problems, refusal, send, set } = useSealing({
    blank,
    done: "The credential was stored",
    onDone: () => {
      refresh(entries)
      onClose()
    },
    paths,
    store: async ({ domain, password, provider, reference, tfaSecret, user, userName }, seal) => {
      const pair = { permissioned_user_id: user.trim(), domain: domain.trim() }
      if (provider !== "") {
        const bound = { secret_provider_id: provider, secret_ref: reference.trim() }
        return client().vault.createEntry({ payload: { ...pair, ...bound } })
      }
      return client().vault.createEntry({
        payload: {
          ...pair,
          user_name: await seal(userName),
          password: await seal(password),
          ...(tfaSecret.trim() === ""
            ? {}
            : { tfa_method: "AUTHENTICATOR" as const, tfa_secret: await seal(tfaSecret.trim()) })
        }
      })
    },
    wrongOf: problemsOf
  })
  return (
    <Dialog title="Add a credential" onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <div class="pair">
          <Field label="User id" hint="How workflows and runs name it" problem={problems.user}>
            <input value={given.user} onInput={set("user")} />
          </Field>
          <Field label="Site" hint="Where it signs in" problem={problems.domain}>
            <input placeholder="https://portal.example.com" value={given.domain} onInput={set("domain")} />
          </Field>
        </div>
        {connected.length > 0 && (
          <Field label="Its secrets" problem={problems.provider}>
            <select value={given.provider} onChange={set("provider")}>
              <option value="">Sealed here, and kept in this vault</option>
              {connected.map(({ id, name }) => (
                <option key={id} value={id}>
                  Read from {name}
                </option>
              ))}
            </select>
          </Field>
        )}
        {given.provider !== "" ? (
          <Reference
            key={given.provider}
            provider={given.provider}
            value={given.reference}
            problem={problems.reference}
            onInput={set("reference")}
          />
        ) : (
          <>
            <div class="pair">
              <Field label="User name" problem={problems.userName}>
                <input autocomplete="off" value={given.userName} onInput={set("userName")} />
              </Field>
              <Field label="Password" problem={problems.password}>
                <input {...secret} value={given.password} onInput={set("password")} />
              </Field>
            </div>
            <Field
              label="Authenticator secret (optional)"
              hint="Base32, or an otpauth:// address"
              problem={problems.tfaSecret}
            >
              <input {...secret} value={given.tfaSecret} onInput={set("tfaSecret")} />
            </Field>
            <KeyField value={given.key} onInput={set("key")} problem={problems.key} />
          </>
        )}
        <Sending refusal={refusal} isBusy={isBusy} word={given.provider === "" ? "Seal and store" : "Store"} />
      </form>
    </Dialog>
  )
}
