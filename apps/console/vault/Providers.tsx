/** Stores outside of the vault that secrets are read from. The browser seals their tokens, too. */
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
import {
  type ConnectedProvider,
  type Connection,
  configurationOf,
  connectionOf,
  connectionProblemsOf,
  type ProviderType,
  providerWords
} from "./VaultModel.ts"

const group = () => client()["secret providers"]

export const providers = query((client) => client["secret providers"].listSecretProviders({}))

interface Named {
  readonly id: string
  readonly name: string
}

type Former = ConnectedProvider & Named

export const Providers = () => {
  const [isConnecting, setConnecting] = useState(false)
  const [changing, setChanging] = useState<Former | null>(null)
  const [removing, setRemoving] = useState<Named | null>(null)
  return (
    <Section
      title="Secret providers"
      note="Stores that secrets are read from instead of this vault"
      actions={
        may("Owner") && (
          <button type="button" onClick={() => setConnecting(true)}>
            Connect one…
          </button>
        )
      }
    >
      <Loaded isFollowed query={providers}>
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
                  cell: (provider) => {
                    const { id, name } = provider
                    return (
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
                          <button type="button" aria-label={`Change ${name}`} onClick={() => setChanging(provider)}>
                            Change…
                          </button>
                          <button type="button" aria-label={`Remove ${name}`} onClick={() => setRemoving({ id, name })}>
                            Remove…
                          </button>
                        </div>
                      )
                    )
                  }
                }
              ]}
            />
          )
        }
      </Loaded>
      {isConnecting && <Connecting former={null} onClose={() => setConnecting(false)} />}
      {changing !== null && <Connecting former={changing} onClose={() => setChanging(null)} />}
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
          A provider that a credential still uses is not removed.
        </Confirm>
      )}
    </Section>
  )
}

const blank: Connection = {
  ...{ key: "", type: "1password", name: "", url: "", token: "" },
  ...{ place: "", namespace: "", roleId: "", secretId: "", cache: "" }
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
  "config.secret_id": "secretId",
  cache_ttl_seconds: "cache"
} as const

/** The form that connects a secret provider or changes one. In a change, an empty field keeps its value. */
const Connecting = ({ former, onClose }: { readonly former: Former | null; readonly onClose: () => void }) => {
  const { given, isBusy, problems, refusal, send, set } = useSealing({
    blank: former === null ? blank : connectionOf(former),
    done: former === null ? "The secret provider was tested and connected" : "The secret provider was changed",
    onDone: () => {
      refresh(providers)
      onClose()
    },
    paths,
    store: async (given, seal) => {
      const found = configurationOf(given, former)
      const secrets = await Promise.all(
        Object.entries(found?.secrets ?? {}).map(async ([name, value]) => [name, await seal(value)] as const)
      )
      const cache = given.cache.trim()
      const payload = {
        name: given.name.trim(),
        ...(found === null ? {} : { config: { ...found.plain, ...Object.fromEntries(secrets) } }),
        cache_ttl_seconds: cache === "" ? null : Number(cache)
      }
      return former === null
        ? group().createSecretProvider({ query: {}, payload: { ...payload, provider_type: given.type } })
        : group().changeSecretProvider({ params: { secret_provider_id: former.id }, query: {}, payload })
    },
    wrongOf: (given) => connectionProblemsOf(given, former)
  })
  const isNew = former === null
  const stays = isNew ? undefined : "If empty, it does not change"
  const isVault = given.type === "hashicorp_vault"
  return (
    <Dialog title={isNew ? "Connect a secret provider" : `Change ${former.name}`} onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <div class="pair">
          <Field label="Kind" problem={problems.type}>
            <select disabled={!isNew} value={given.type} onChange={set("type")}>
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
        <Field
          label="Address"
          hint={isNew ? undefined : "If empty, it does not change. A new address needs the access token or role again"}
          problem={problems.url}
        >
          <input
            placeholder={former?.config_hint.host ?? "https://vault.example.com"}
            value={given.url}
            onInput={set("url")}
          />
        </Field>
        <Field label={isVault ? "Token (or a role below)" : "Access token"} hint={stays} problem={problems.token}>
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
        <Field
          label="Reuse a secret for (optional)"
          hint="In seconds. If empty, every run reads it again"
          problem={problems.cache}
        >
          <input inputMode="numeric" value={given.cache} onInput={set("cache")} />
        </Field>
        <KeyField value={given.key} onInput={set("key")} problem={problems.key} />
        <Sending refusal={refusal} isBusy={isBusy} word={isNew ? "Seal, test and connect" : "Test and change"} />
      </form>
    </Dialog>
  )
}

interface Item {
  readonly title: string
  readonly ref: string
  readonly vaultName?: string
}

/** The item of a provider that holds the secrets of a credential: chosen from the provider's list, or typed. */
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
