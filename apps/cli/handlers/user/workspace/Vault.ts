/**
 * What the commands of `sluice vault` do: they seal and open secrets on this machine, so that the service never gets a
 * plain one.
 */
import { Effect, Option, Redacted, Result, type Schema, type Stdio } from "effect"
import * as VaultValues from "../../../../../adapters/crypto/VaultValues.ts"
import { EntryBody } from "../../../../../core/vault/EntryBody.ts"
import * as Json from "../../../../../core/workspace/Json.ts"
import type { Client } from "../../../../api/Client.ts"
import type { VaultRecord } from "../../../../api/vault/VaultApi.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { classOf, type Refused, refused } from "../../../user/Ending.ts"
import { jsonObjectOf, jsonOf } from "../../../user/Input.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"
import * as Secrets from "../../../user/Secrets.ts"
import { cell, instant, table } from "../../../user/view/Table.ts"
import { workflowId } from "../../../user/WorkflowName.ts"
import { followed } from "../Execute.ts"

type Settings = ConnectionSettings & OutputSettings
type Entry = typeof VaultRecord.Type

/** The fields of an entry that are sealed, with the words by which a person is asked for them. */
const sealedFields = {
  user_name: "User name",
  password: "Password",
  tfa_secret: "Secret of one-time codes, or an otpauth address"
} as const

type SealedField = keyof typeof sealedFields

const names = Object.keys(sealedFields) as ReadonlyArray<SealedField>

/** The fields that standard input may have: the arguments name the entry. */
const fields = Object.keys(EntryBody.fields).filter((name) => name !== "permissioned_user_id" && name !== "domain")

const isSealed = (name: string): name is SealedField => Object.hasOwn(sealedFields, name)

/** An entry without its sealed values: which of them are set is enough. */
const shown = (entry: Entry) => ({
  ...entry,
  ...Object.fromEntries(names.map((name) => [name, entry[name] === null ? null : "sealed"])),
  ...(entry.proxy_setting === "custom" ? { proxy_value: "sealed" } : {})
})

export const list = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const entries = [yield* client.vault.listEntries({ query: {} })].flat() as ReadonlyArray<Entry>
      yield* answer(settings, entries.map(shown), () =>
        entries.length === 0
          ? "No credentials"
          : table(
              ["USER", "SITE", "SET", "HEALTH", "LAST SUCCESS", "CHANGED"],
              entries.map((entry) => [
                cell(entry.permissioned_user_id, 40),
                cell(entry.domain, 60),
                entry.secret_provider_id === null
                  ? names.filter((name) => entry[name] !== null).join(", ")
                  : "by a secret provider",
                entry.health.status,
                entry.health.last_success_at === null ? "" : instant(entry.health.last_success_at),
                instant(entry.updated_at)
              ])
            )
      )
    })
  )

interface Sealing extends Settings {
  readonly encryptionKey: Option.Option<Redacted.Redacted<string>>
  readonly user: string
  readonly site: string
}

const keyOf = ({ encryptionKey }: Sealing) =>
  Secrets.asked(encryptionKey, {
    variable: "SLUICE_ENCRYPTION_KEY",
    prompt: "encryption key of the workspace",
    pattern: /^[0-9a-fA-F]{64}$/,
    expected: "64 hexadecimal digits"
  })

interface PutSettings extends Sealing {
  readonly fromEnv: Readonly<Record<string, string>>
  readonly tfaMethod: Option.Option<Exclude<Entry["tfa_method"], undefined>>
}

/** A secret with its field. The address of a proxy of the user is one, too: it may have a password. */
type Secret = readonly [SealedField | "proxy_value", Redacted.Redacted<string>]

/** What is to be stored: secrets, which are sealed first, and other fields, which are sent as they are. */
interface Given {
  readonly secrets: ReadonlyArray<Secret>
  readonly others: Readonly<Record<string, unknown>>
}

const fromVariables = (fromEnv: PutSettings["fromEnv"]) =>
  Effect.map(
    Effect.forEach(Object.entries(fromEnv), ([name, variable]) =>
      isSealed(name)
        ? Effect.map(Secrets.fromVariable(variable), (value) => [name, value] as const)
        : Effect.fail(
            refused("wrong", `--from-env: expected one of ${names.join(", ")} before =, got "${cell(name, 40)}"`)
          )
    ),
    (secrets): Given => ({ secrets, others: {} })
  )

const atTerminal = Effect.gen(function* () {
  const secrets: Array<Secret> = []
  for (const name of names) {
    const message = `${sealedFields[name]} (empty: unchanged)`
    const value = name === "user_name" ? Redacted.make(yield* Secrets.shown(message)) : yield* Secrets.hidden(message)
    if (Redacted.value(value) !== "") secrets.push([name, value])
  }
  return { secrets, others: {} } satisfies Given
})

const fromInput: Effect.Effect<Given, Refused, Stdio.Stdio> = Effect.gen(function* () {
  const written = yield* Effect.mapError(jsonOf("Standard input", yield* Secrets.input), () =>
    // What the parser says may repeat a part of a secret.
    refused("wrong", `Standard input: expected a JSON object such as {"user_name": "…", "password": "…"}`)
  )
  if (!Json.isObject(written)) return yield* refused("wrong", "Standard input: expected a JSON object of fields")
  // A misspelled name of a secret would send it as it is.
  const unknown = Object.keys(written).find((name) => !fields.includes(name))
  if (unknown !== undefined) {
    const expected = `expected one of ${fields.join(", ")}`
    return yield* refused("wrong", `Standard input: "${cell(unknown, 40)}" is not a field of a credential: ${expected}`)
  }
  const isSecret = (name: string): name is Secret[0] =>
    isSealed(name) || (name === "proxy_value" && written.proxy_setting === "custom")
  const [secrets, others]: [Array<Secret>, Record<string, unknown>] = [[], {}]
  for (const [name, value] of Object.entries(written)) {
    if (!isSecret(name)) others[name] = value
    else if (value === null) others[name] = null
    else if (typeof value === "string") secrets.push([name, Redacted.make(value)])
    else return yield* refused("wrong", `Standard input: expected a text or null for ${name}`)
  }
  return { secrets, others }
})

const givenBy = Effect.fnUntraced(function* (fromEnv: PutSettings["fromEnv"]) {
  if (Object.keys(fromEnv).length > 0) return yield* fromVariables(fromEnv)
  return (yield* Secrets.isTerminal) ? yield* atTerminal : yield* fromInput
})

/** Seals secrets and stores them: in the entry of the user for the site, or in a new one. */
export const put = (settings: PutSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { fromEnv, site, tfaMethod, user } = settings
      const given = yield* givenBy(fromEnv)
      const isEmpty = given.secrets.length === 0 && Object.keys(given.others).length === 0 && Option.isNone(tfaMethod)
      if (isEmpty) return yield* refused("wrong", "No field was given: nothing was changed")
      const key = given.secrets.length === 0 ? null : yield* keyOf(settings)
      const sealed: Record<string, string> = {}
      for (const [name, value] of given.secrets) {
        if (key !== null) sealed[name] = yield* VaultValues.seal(key, value)
      }
      // The service checks the other fields, and reports every problem at its path.
      const payload = {
        ...given.others,
        ...sealed,
        ...(Option.isSome(tfaMethod) ? { tfa_method: tfaMethod.value } : {}),
        permissioned_user_id: user,
        domain: site
      } as Parameters<Client["vault"]["createEntry"]>[0]["payload"]
      const { created, entry } = yield* client.vault.updateEntry({ payload }).pipe(
        Effect.map((entry) => ({ created: false, entry })),
        Effect.catch((error) =>
          classOf(error) === "missing"
            ? Effect.map(client.vault.createEntry({ payload }), (entry) => ({ created: true, entry }))
            : Effect.fail(error)
        )
      )
      yield* answer(settings, { created, ...shown(entry) }, () => {
        const what = [...given.secrets.map(([name]) => name), ...Object.keys(given.others)].join(", ")
        return `${created ? "Stored" : "Changed"} the credential of ${cell(user)} for ${cell(entry.domain)}${what === "" ? "" : `: ${what}`}`
      })
    })
  )

interface TestSettings extends Sealing {
  readonly code: boolean
}

const verdictOf = (key: Redacted.Redacted<string>, value: string | null) =>
  value === null
    ? Effect.succeed("not set")
    : Effect.map(
        Effect.result(VaultValues.unseal(key, value)),
        (opened: Result.Result<Redacted.Redacted<Schema.Json>, Error>) =>
          Result.isFailure(opened)
            ? "does not open with this encryption key"
            : typeof Redacted.value(opened.success) === "string"
              ? "opens"
              : "opens, but is not text"
      )

/** Opens every secret of an entry on this machine. No plain value is printed. */
export const test = (settings: TestSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { site, user } = settings
      const query = { permissioned_user_id: user, domain: site }
      const [entry] = [yield* client.vault.listEntries({ query })].flat() as ReadonlyArray<Entry>
      if (entry === undefined) return yield* refused("missing", `There is no credential of "${user}" for ${site}`)
      if (entry.secret_provider_id !== null) {
        return yield* refused("conflict", "The secrets of this credential are in a secret provider, not in the vault")
      }
      const key = yield* keyOf(settings)
      const verdicts: Record<string, string> = {}
      for (const name of names) verdicts[name] = yield* verdictOf(key, entry[name])
      const code = settings.code ? yield* client.vault.tfaCode({ query }) : null
      yield* answer(settings, { ...verdicts, ...(code === null ? {} : { one_time_code: "made" }) }, () =>
        [
          ...Object.entries(verdicts).map(([name, verdict]) => `${name.padEnd(11)} ${verdict}`),
          ...(code === null ? [] : [`A one-time code was made (${code.type})`])
        ].join("\n")
      )
      const bad = Object.entries(verdicts).filter(([, verdict]) => verdict !== "opens" && verdict !== "not set")
      if (bad.length > 0) return yield* refused("failed", `Cannot use ${bad.map(([name]) => name).join(", ")}`)
    })
  )

interface CheckSettings extends Settings {
  readonly user: string
  readonly site: string
  readonly watch: boolean
  readonly workflow: Option.Option<string>
  readonly input: Option.Option<string>
}

/** Lets the service sign in with a credential now, by a run that does nothing else. */
export const check = (settings: CheckSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { input, site, user, workflow } = settings
      const payload = {
        permissioned_user_id: user,
        domain: site,
        ...(Option.isSome(input) ? { run_input_variables: yield* jsonObjectOf("--input", input.value) } : {}),
        ...(Option.isSome(workflow) ? { workflow_id: yield* workflowId(client, workflow.value) } : {})
      }
      const started = yield* client.vault.checkEntry({ payload })
      yield* followed(client, { ...settings, save: Option.none() }, started)
    })
  )
