/**
 * 1Password, by the REST API of a Connect server.
 *
 * A reference is `op://vault/item`, each by name or id, or the id of an item. `op://vault/item/field` and
 * `op://vault/item/section/field` refer to a single secret: a password, or a one-time password for a field of that
 * type.
 */
import { Effect, Redacted } from "effect"
import {
  AccessRefused,
  type Connection,
  ItemIncomplete,
  ItemNotFound,
  MalformedAnswer,
  type ProvidedSecrets,
  type SecretItem,
  type SecretSource
} from "../../core/vault/providers/SecretSource.ts"
import * as Json from "../../core/workspace/Json.ts"
import type { SecretStoreClient } from "./SecretStoreRequest.ts"

const maxItems = 5_000

/** Maximum number of concurrent requests for one lookup. */
const concurrency = 4

interface Named {
  readonly id: string
  readonly name: string
}

interface Reference {
  readonly vault: string | null
  readonly item: string
  readonly section: string | null
  readonly field: string | null
}

interface Field {
  readonly id: string
  readonly label: string
  readonly purpose: string
  readonly type: string
  readonly section: string
  readonly value: string
  readonly totp: string
}

export const make = ({ ask, inTime, refusal }: SecretStoreClient): SecretSource => {
  const get = Effect.fnUntraced(function* (connection: Connection, path: string) {
    const { token = "", url = "" } = Redacted.value(connection.access)
    const provider = connection.name
    const { json, status } = yield* ask(connection, {
      method: "GET",
      url: `${url}/v1/${path}`,
      headers: { Authorization: `Bearer ${token}` }
    })
    if (status === 401) return yield* new AccessRefused({ provider, reason: "it does not accept the access token" })
    if (status === 403) return yield* new AccessRefused({ provider, reason: "the access token may not read this" })
    if (status === 404) return null
    if (status !== 200) return yield* malformed(connection, `status ${status}`)
    return json
  })

  const list = Effect.fnUntraced(function* (connection: Connection, path: string) {
    const json = yield* get(connection, path)
    // Without a list of vaults, this is not a Connect server; without a list of items, the vault does not exist.
    if (json === null && path !== "vaults") {
      return yield* new ItemNotFound({ provider: connection.name, reason: "it has no such vault" })
    }
    return Array.isArray(json) ? json.map(Json.objectOf) : yield* malformed(connection, "expected a list")
  })

  const vaults = Effect.fnUntraced(function* (connection: Connection) {
    return (yield* list(connection, "vaults")).map(({ id, name }): Named => ({ id: text(id), name: text(name) }))
  })

  /** The vaults of the connection: all that it can access, or the configured one. */
  const mine = Effect.fnUntraced(function* (connection: Connection) {
    const all = yield* vaults(connection)
    const { vault } = Redacted.value(connection.access)
    if (vault === undefined) return all
    return [yield* only(connection, "vault", vault, all)]
  })

  const only = (connection: Connection, kind: string, wanted: string, all: ReadonlyArray<Named>) => {
    const matching = matches(wanted, all)
    const [one] = matching
    const reason =
      matching.length === 0 ? `it has no ${kind} "${wanted}"` : `it has several of the ${kind} "${wanted}": give its id`
    return one !== undefined && matching.length === 1
      ? Effect.succeed(one)
      : Effect.fail(new ItemNotFound({ provider: connection.name, reason }))
  }

  const itemIn = (connection: Connection, vaultId: string, itemId: string) =>
    get(connection, `vaults/${encodeURIComponent(vaultId)}/items/${encodeURIComponent(itemId)}`)

  const byTitle = Effect.fnUntraced(function* (connection: Connection, vaultId: string, title: string) {
    const filter = encodeURIComponent(`title eq ${JSON.stringify(title)}`)
    const found = yield* list(connection, `vaults/${encodeURIComponent(vaultId)}/items?filter=${filter}`)
    const named = found.map(({ id, title }): Named => ({ id: text(id), name: text(title) }))
    return (yield* only(connection, "item", title, named)).id
  })

  /** The vault of an item that is referred to by its id alone. */
  const anywhere = Effect.fnUntraced(function* (connection: Connection, itemId: string) {
    const found = yield* Effect.forEach(yield* mine(connection), ({ id }) => itemIn(connection, id, itemId), {
      concurrency
    })
    return found.find((item) => item !== null) ?? null
  })

  const locate = Effect.fnUntraced(function* (connection: Connection, { item, vault }: Reference) {
    const limited = Redacted.value(connection.access).vault
    if (vault === null) return yield* anywhere(connection, item)
    const isDirect = isId(vault) && (limited === undefined || limited === vault)
    const vaultId = isDirect ? vault : (yield* only(connection, "vault", vault, yield* mine(connection))).id
    const direct = isId(item) ? yield* itemIn(connection, vaultId, item) : null
    return direct ?? (yield* itemIn(connection, vaultId, yield* byTitle(connection, vaultId, item)))
  })

  const read = Effect.fnUntraced(function* (connection: Connection, ref: string) {
    const provider = connection.name
    const reference = referenceOf(ref)
    if (reference === null) {
      const reason = `"${ref.slice(0, 256)}" is not a reference: expected op://vault/item, or the id of an item`
      return yield* new ItemNotFound({ provider, reason })
    }
    const found = yield* locate(connection, reference)
    if (found === null) return yield* new ItemNotFound({ provider, reason: `it has no item "${ref.slice(0, 256)}"` })
    const fields = fieldsOf(found)
    if (fields === null) return yield* malformed(connection, "expected an item with its fields")
    const secrets = reference.field === null ? loginOf(fields) : singleOf(fields, reference)
    if (secrets === null) {
      return yield* new ItemNotFound({ provider, reason: `the item has no field "${ref.slice(0, 256)}"` })
    }
    if (secrets.password === null && secrets.tfaSecret === null && secrets.oneTimeCode === null) {
      const reason = `the item "${ref.slice(0, 256)}" holds neither a password nor a one-time password`
      return yield* new ItemIncomplete({ provider, reason })
    }
    return secrets
  })

  const items = Effect.fnUntraced(function* (connection: Connection) {
    const lists = yield* Effect.forEach(
      yield* mine(connection),
      ({ id, name }) =>
        Effect.map(list(connection, `vaults/${encodeURIComponent(id)}/items`), (all) =>
          all
            .filter(({ state }) => state !== "ARCHIVED" && state !== "DELETED")
            .map((item): SecretItem => {
              const itemId = text(item.id)
              return { id: itemId, title: text(item.title), ref: `op://${id}/${itemId}`, vaultName: name }
            })
        ),
      { concurrency }
    )
    return lists.flat().slice(0, maxItems)
  })

  const check = Effect.fnUntraced(function* (connection: Connection) {
    const seen = yield* mine(connection)
    if (seen.length === 0) {
      return yield* new AccessRefused({ provider: connection.name, reason: "the access token may see no vault" })
    }
  })

  return {
    refusal,
    items: Effect.fn("OnePasswordConnect.items")((connection) => items(connection).pipe(inTime(connection))),
    read: Effect.fn("OnePasswordConnect.read")((connection, ref) => read(connection, ref).pipe(inTime(connection))),
    check: Effect.fn("OnePasswordConnect.check")((connection) => check(connection).pipe(inTime(connection)))
  }
}

const malformed = ({ name }: Connection, reason: string) =>
  new MalformedAnswer({ provider: name, reason: `the answer is not one of a Connect server: ${reason}` })

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const isId = (text: string): boolean => /^[a-z0-9]{26}$/.test(text)

/** An exact match, or else one that differs in case only. */
const matches = (wanted: string, all: ReadonlyArray<Named>): ReadonlyArray<Named> => {
  const exact = all.filter(({ id, name }) => id === wanted || name === wanted)
  return exact.length > 0 ? exact : all.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
}

const referenceOf = (ref: string): Reference | null => {
  if (isId(ref)) return { vault: null, item: ref, section: null, field: null }
  if (!/^op:\/\//i.test(ref)) return null
  const parts = ref
    .slice(5)
    .replace(/\?attribute=\w+$/, "")
    .split("/")
  const [vault = "", item = "", first, second] = parts
  if (parts.length > 4 || parts.some((part) => part.trim() === "")) return null
  if (item === "") return null
  return second === undefined
    ? { vault, item, section: null, field: first ?? null }
    : { vault, item, section: first ?? null, field: second }
}

const fieldsOf = (item: unknown): ReadonlyArray<Field> | null => {
  const { fields, id, sections } = Json.objectOf(item)
  if (typeof id !== "string") return null
  const labels = new Map(
    (Array.isArray(sections) ? sections : []).map((section) => {
      const { id, label } = Json.objectOf(section)
      return [text(id), text(label)] as const
    })
  )
  return (Array.isArray(fields) ? fields : []).map((field) => {
    const { id, label, purpose, section, totp, type, value } = Json.objectOf(field)
    const sectionId = text(Json.objectOf(section).id)
    return {
      id: text(id),
      label: text(label),
      purpose: text(purpose),
      type: text(type),
      section: labels.get(sectionId) || text(Json.objectOf(section).label) || sectionId,
      value: text(value),
      totp: text(totp)
    }
  })
}

const secret = (value: string | undefined): Redacted.Redacted<string> | null =>
  value === undefined || value === "" ? null : Redacted.make(value)

const isOtp = ({ type }: Field): boolean => type === "OTP" || type === "TOTP"

const nothing: ProvidedSecrets = { userName: null, password: null, tfaSecret: null, oneTimeCode: null }

/**
 * The login of an item by the purposes of its fields, or by the ids that other categories than logins have for them.
 */
const loginOf = (fields: ReadonlyArray<Field>): ProvidedSecrets => {
  const valueOf = (purpose: string, ...ids: ReadonlyArray<string>) =>
    (fields.find((field) => field.purpose === purpose) ?? fields.find(({ id }) => ids.includes(id)))?.value
  const otp = fields.find((field) => isOtp(field) && (field.value !== "" || field.totp !== ""))
  return {
    userName: secret(valueOf("USERNAME", "username")),
    password: secret(valueOf("PASSWORD", "password", "credential")),
    tfaSecret: secret(otp?.value),
    oneTimeCode: otp?.value === "" ? secret(otp.totp) : null
  }
}

const singleOf = (fields: ReadonlyArray<Field>, { field, section }: Reference): ProvidedSecrets | null => {
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const found = fields.find(
    (one) => (one.id === field || same(one.label, field ?? "")) && (section === null || same(one.section, section))
  )
  if (found === undefined) return null
  if (!isOtp(found)) return { ...nothing, password: secret(found.value) }
  return { ...nothing, tfaSecret: secret(found.value), oneTimeCode: found.value === "" ? secret(found.totp) : null }
}
