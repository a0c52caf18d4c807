/** Stores outside of the vault that secrets are read from. Their tokens are sealed in the browser as well. */
import { Effect } from "effect"
import { useEffect, useState } from "preact/hooks"
import { Confirm } from "../forms/Confirm.tsx"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Section } from "../kit/Page.tsx"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { KeyField, Sending, secret, useSealing } from "./SealedForm.tsx"
import { type Connection, connectionProblemsOf, type ProviderType, providerWords } from "./VaultModel.ts"

const group = () => client()["secret providers"]

export const providers = query((client) => client["secret providers"].listSecretProviders({}))

interface Named {
  readonly id: string
  readonly name: string
}

export const Providers = () => {
  const [isConnecting, setConnecting] = useState(false)
  const [removing, setRemoving] = useState<Named | null>(null)
  return (
    <Section
      title="Secret providers"
      note="stores that secrets are read from instead of this vault"
      actions={
        may("Owner") && (
          <button type="button" onClick={() => setConnecting(true)}>
            Connect one…
          </button>
        )
      }
    >
      <Loaded query={providers}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No secret provider yet">
              {may("Owner")
                ? "Connect 1Password, HashiCorp Vault or OpenBao, and credentials can name items there."
                : "An Owner can connect one."}
            </Empty>
          ) : (
            <Table
              label="Connected secret providers"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { word: "Name", cell: ({ name }) => <b>{name}</b> },
                {
                  word: "Kind",
                  cell: ({ provider_type: type }) => providerWords[type as ProviderType] ?? type
                },
                {
                  word: "Place",
                  cell: ({ config_hint }) => <span class="quiet">{Object.values(config_hint).join(" · ")}</span>
                },
                { word: "Changed", kind: "quiet", cell: ({ updated_at }) => <Ago at={updated_at} /> },
                {
                  word: "Action",
                  kind: "tight",
                  cell: ({ id, name }) =>
                    may("Owner") && (
                      <div class="row-actions">
                        <button
                          type="button"
                          aria-label={`Test ${name}`}
                          onClick={() =>
                            void act(group().testSecretProvider({ params: { secret_provider_id: id } }), {
                              done: ({ error, success }) =>
                                success ? `${name} answers, and accepts the access` : `${name} failed: ${error}`
                            })
                          }
                        >
                          Test
                        </button>
                        <button type="button" aria-label={`Remove ${name}`} onClick={() => setRemoving({ id, name })}>
                          Remove…
                        </button>
                      </div>
                    )
                }
              ]}
            />
          )
        }
      </Loaded>
      {isConnecting && <Connecting onClose={() => setConnecting(false)} />}
      {removing !== null && (
        <Confirm
          title={`Remove ${removing.name}`}
          word="Remove it"
          onClose={() => setRemoving(null)}
          onConfirm={() =>
            act(group().removeSecretProvider({ params: { secret_provider_id: removing.id } }), {
              done: "The secret provider was removed"
            }).then(() => refresh(providers))
          }
        >
          A provider that a credential still reads from is not removed.
        </Confirm>
      )}
    </Section>
  )
}

const blank: Connection = {
  ...{ key: "", type: "1password", name: "", url: "", token: "" },
  ...{ place: "", namespace: "", roleId: "", secretId: "" }
}

const paths = {
  name: "name",
  provider_type: "type",
  "config.url": "url",
  "config.token": "token",
  "config.vault": "place",
  "config.mount": "place",
  "config.namespace": "namespace",
  "config.role_id": "roleId",
  "config.secret_id": "secretId"
} as const

const Connecting = ({ onClose }: { readonly onClose: () => void }) => {
  const { given, isBusy, problems, refusal, send, set } = useSealing({
    blank,
    done: "The secret provider was tested and connected",
    onDone: () => {
      refresh(providers)
      onClose()
    },
    paths,
    store: async ({ name, namespace, place, roleId, secretId, token, type, url }, seal) => {
      const other = { [type === "1password" ? "vault" : "mount"]: place.trim(), namespace: namespace.trim() }
      return group().createSecretProvider({
        query: {},
        payload: {
          provider_type: type,
          name: name.trim(),
          config: {
            url: url.trim(),
            ...Object.fromEntries(Object.entries(other).filter(([, value]) => value !== "")),
            ...(token === "" ? {} : { token: await seal(token) }),
            ...(roleId === "" ? {} : { role_id: roleId.trim(), secret_id: await seal(secretId) })
          }
        }
      })
    },
    wrongOf: connectionProblemsOf
  })
  const isVault = given.type === "hashicorp_vault"
  return (
    <Dialog title="Connect a secret provider" onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <div class="pair">
          <Field label="Kind" problem={problems.type}>
            <select value={given.type} onChange={set("type")}>
              {Object.entries(providerWords).map(([type, word]) => (
                <option key={type} value={type}>
                  {word}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Name" problem={problems.name}>
            <input value={given.name} onInput={set("name")} />
          </Field>
        </div>
        <Field label="Address" problem={problems.url}>
          <input placeholder="https://vault.example.com" value={given.url} onInput={set("url")} />
        </Field>
        <Field label={isVault ? "Token (or a role below)" : "Access token"} problem={problems.token}>
          <input {...secret} value={given.token} onInput={set("token")} />
        </Field>
        <div class="pair">
          <Field label={isVault ? "Mount (optional)" : "Vault (optional)"} problem={problems.place}>
            <input placeholder={isVault ? "secret" : ""} value={given.place} onInput={set("place")} />
          </Field>
          {isVault && (
            <Field label="Namespace (optional)" problem={problems.namespace}>
              <input value={given.namespace} onInput={set("namespace")} />
            </Field>
          )}
        </div>
        {isVault && (
          <div class="pair">
            <Field label="Role id (optional)" problem={problems.roleId}>
              <input value={given.roleId} onInput={set("roleId")} />
            </Field>
            <Field label="Secret id (optional)" problem={problems.secretId}>
              <input {...secret} value={given.secretId} onInput={set("secretId")} />
            </Field>
          </div>
        )}
        <KeyField value={given.key} onInput={set("key")} problem={problems.key} />
        <Sending refusal={refusal} isBusy={isBusy} word="Seal, test and connect" />
      </form>
    </Dialog>
  )
}

interface Item {
  readonly title: string
  readonly ref: string
  readonly vaultName?: string
}

/** The item of a provider that has the secrets of a credential: one of those that it lists, or typed. */
export const Reference = ({
  onInput,
  problem,
  provider,
  value
}: {
  readonly provider: string
  readonly value: string
  readonly problem: string | undefined
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void
}) => {
  const [items, setItems] = useState<ReadonlyArray<Item>>([])
  useEffect(() => {
    const asked = group().listSecretItems({ params: { secret_provider_id: provider } })
    void Effect.runPromise(Effect.option(asked)).then((found) => found._tag === "Some" && setItems(found.value))
  }, [provider])
  return (
    <>
      <Field
        label="Item"
        hint={items.length === 0 ? "Its reference, such as op://vault/item" : "Choose one, or type its reference"}
        problem={problem}
      >
        <input list="items" autocomplete="off" value={value} onInput={onInput} />
      </Field>
      <datalist id="items">
        {items.map(({ ref, title, vaultName }) => (
          <option key={ref} value={ref}>
            {vaultName === undefined ? title : `${title} (${vaultName})`}
          </option>
        ))}
      </datalist>
    </>
  )
}
