/**
 * HashiCorp Vault or OpenBao: the secrets of one KV engine of version 2.
 *
 * A reference is the path of a secret, with or without the mount: `app/login`, `secret/app/login`,
 * `secret/data/app/login`. A suffix `#key` takes one key as the password; `#user_name=login&password=pin` names the
 * keys instead of the default ones.
 */
import { Clock, Effect, Redacted, Semaphore } from "effect"
import { isPath } from "../../core/vault/providers/ConnectionBody.ts"
import {
  type Access,
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
import { encoded, type SecretStoreCall, type SecretStoreClient } from "./SecretStoreRequest.ts"

const maxItems = 5_000
const maxFolders = 500

/** Maximum number of concurrent requests for one lookup. */
const concurrency = 4

/** Maximum number of connections with a cached token. */
const maxLogins = 1_000

/** The default keys. */
const usual = {
  user_name: ["username", "user_name", "user"],
  password: ["password"],
  tfa_secret: ["totp", "otp", "tfa_secret", "otpauth"]
} as const

interface Login {
  /** The access that the token was made with. Another access needs another login. */
  readonly access: string
  readonly token: Redacted.Redacted<string>
  readonly goodUntil: number
}

export const make = ({ ask, inTime, refusal }: SecretStoreClient): SecretSource => {
  const logins = new Map<string, Login>()
  const locks = new Map<string, Semaphore.Semaphore>()

  const lockOf = (id: string): Semaphore.Semaphore => {
    const known = locks.get(id) ?? Semaphore.makeUnsafe(1)
    locks.delete(id)
    locks.set(id, known)
    const [oldest] = locks.keys()
    if (locks.size > maxLogins && oldest !== undefined) {
      locks.delete(oldest)
      logins.delete(oldest)
    }
    return known
  }

  const logIn = Effect.fnUntraced(function* (connection: Connection) {
    const access = Redacted.value(connection.access)
    const { json, status } = yield* ask(connection, {
      method: "POST",
      url: `${access.url ?? ""}/v1/auth/${encoded(access.auth_mount ?? "approle")}/login`,
      headers: headersOf(access, null),
      body: JSON.stringify({ role_id: access.role_id, secret_id: access.secret_id })
    })
    if (status === 400 || status === 401 || status === 403 || status === 404) {
      return yield* new AccessRefused({ provider: connection.name, reason: "it does not accept role_id and secret_id" })
    }
    const { client_token, lease_duration } = Json.objectOf(Json.objectOf(json).auth)
    if (status !== 200 || typeof client_token !== "string" || client_token === "") {
      return yield* malformed(connection, "expected a token for role_id and secret_id")
    }
    const now = yield* Clock.currentTimeMillis
    // A token is replaced before it expires, so that no pending request uses an expired one. A duration of 0 does not
    // expire.
    const lease = typeof lease_duration === "number" && lease_duration > 0 ? lease_duration * 900 : Infinity
    return { access: JSON.stringify(access), token: Redacted.make(client_token), goodUntil: now + lease }
  })

  /** The token of a connection. Concurrent lookups share one login. */
  const tokenOf = (connection: Connection, without: Redacted.Redacted<string> | null) => {
    const access = Redacted.value(connection.access)
    if (access.token !== undefined) return Effect.succeed(Redacted.make(access.token))
    return lockOf(connection.id).withPermits(1)(
      Effect.gen(function* () {
        const known = logins.get(connection.id)
        const isGood =
          known !== undefined &&
          known.token !== without &&
          known.access === JSON.stringify(access) &&
          (yield* Clock.currentTimeMillis) < known.goodUntil
        if (isGood) return known.token
        logins.delete(connection.id)
        const made = yield* logIn(connection)
        logins.set(connection.id, made)
        return made.token
      })
    )
  }

  /** The answer to a GET; `null` if not found. A revoked token is renewed once. */
  const get = Effect.fnUntraced(function* (connection: Connection, path: string) {
    const access = Redacted.value(connection.access)
    const request = (token: Redacted.Redacted<string>): SecretStoreCall => ({
      method: "GET",
      url: `${access.url ?? ""}/v1/${path}`,
      headers: headersOf(access, token)
    })
    const token = yield* tokenOf(connection, null)
    const first = yield* ask(connection, request(token))
    const isStale = first.status === 403 && access.token === undefined
    const { json, status } = isStale ? yield* ask(connection, request(yield* tokenOf(connection, token))) : first
    if (status === 401 || status === 403) {
      const reason = "it does not accept the token, or the token may not read this"
      return yield* new AccessRefused({ provider: connection.name, reason })
    }
    if (status === 404) return null
    if (status !== 200) return yield* malformed(connection, `status ${status}`)
    return Json.objectOf(Json.objectOf(json).data)
  })

  const read = Effect.fnUntraced(function* (connection: Connection, ref: string) {
    const provider = connection.name
    const mount = mountOf(connection)
    const { choices, path } = referenceOf(ref, mount)
    if (!isPath(path)) {
      const reason = `"${ref.slice(0, 256)}" is not a reference: expected a path such as ${mount}/app/login`
      return yield* new ItemNotFound({ provider, reason })
    }
    const answered = yield* get(connection, `${encoded(mount)}/data/${encoded(path)}`)
    // A secret that was deleted is answered without its data.
    if (answered === null || answered.data === null) {
      return yield* new ItemNotFound({ provider, reason: `it has no secret "${path}" at "${mount}"` })
    }
    if (typeof answered.data !== "object" || answered.metadata === undefined) {
      return yield* malformed(connection, `expected a secret of a KV engine of version 2 at "${mount}"`)
    }
    return yield* secretsOf(connection, Json.objectOf(answered.data), choices)
  })

  const items = Effect.fnUntraced(function* (connection: Connection) {
    const mount = mountOf(connection)
    const found: Array<SecretItem> = []
    let folders: ReadonlyArray<string> = [""]
    let asked = 0
    while (folders.length > 0 && found.length < maxItems && asked < maxFolders) {
      const now = folders.slice(0, maxFolders - asked)
      asked += now.length
      const inside = yield* Effect.forEach(
        now,
        (folder) =>
          Effect.gen(function* () {
            const answered = yield* get(connection, `${encoded(mount)}/metadata/${encoded(folder)}?list=true`)
            if (answered === null) return []
            const { keys } = answered
            if (!Array.isArray(keys)) return yield* malformed(connection, "expected a list of keys")
            return keys.map((key) => `${folder}${String(key)}`)
          }),
        { concurrency }
      )
      const paths = inside.flat()
      folders = paths.filter((path) => path.endsWith("/"))
      for (const path of paths.filter((path) => isPath(path))) {
        found.push({ id: path, title: path, ref: `${mount}/${path}`, vaultName: mount })
      }
    }
    return found.slice(0, maxItems)
  })

  const check = Effect.fnUntraced(function* (connection: Connection) {
    const self = yield* get(connection, "auth/token/lookup-self")
    if (self === null) return yield* malformed(connection, "it cannot look a token up")
  })

  return {
    refusal,
    items: Effect.fn("HashiCorpVault.items")((connection) => items(connection).pipe(inTime(connection))),
    read: Effect.fn("HashiCorpVault.read")((connection, ref) => read(connection, ref).pipe(inTime(connection))),
    check: Effect.fn("HashiCorpVault.check")((connection) => check(connection).pipe(inTime(connection)))
  }
}

const malformed = ({ name }: Connection, reason: string) =>
  new MalformedAnswer({ provider: name, reason: `the answer is not one of Vault: ${reason}` })

const mountOf = ({ access }: Connection): string => Redacted.value(access).mount ?? "secret"

const headersOf = ({ namespace }: Access, token: Redacted.Redacted<string> | null) => ({
  "X-Vault-Request": "true",
  ...(token === null ? {} : { "X-Vault-Token": Redacted.value(token) }),
  ...(namespace === undefined ? {} : { "X-Vault-Namespace": namespace })
})

type Choices = { readonly [name in keyof typeof usual]: ReadonlyArray<string> }

const referenceOf = (ref: string, mount: string): { readonly path: string; readonly choices: Choices | string } => {
  const hash = ref.indexOf("#")
  const written = (hash < 0 ? ref : ref.slice(0, hash)).replace(/^\/+/, "")
  const path = written.startsWith(`${mount}/`) ? written.slice(mount.length + 1).replace(/^data\//, "") : written
  const fragment = hash < 0 ? "" : ref.slice(hash + 1)
  if (fragment === "") return { path, choices: usual }
  if (!fragment.includes("=")) return { path, choices: fragment }
  const chosen = new URLSearchParams(fragment)
  const of = (name: keyof typeof usual) => {
    const key = chosen.get(name)
    return key === null ? usual[name] : [key]
  }
  return {
    path,
    choices: { user_name: of("user_name"), password: of("password"), tfa_secret: of("tfa_secret") }
  }
}

const secretsOf = Effect.fnUntraced(function* (
  { name: provider }: Connection,
  data: Readonly<Record<string, unknown>>,
  choices: Choices | string
) {
  const valueOf = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const key = keys.find((key) => Object.hasOwn(data, key) && data[key] !== null && data[key] !== "")
    if (key === undefined) return null
    const value = data[key]
    if (typeof value === "string" || typeof value === "number") return Redacted.make(String(value))
    return yield* new ItemIncomplete({ provider, reason: `the key "${key}" of the secret is not a text` })
  })
  if (typeof choices === "string") {
    const value = yield* valueOf([choices])
    if (value === null) return yield* new ItemNotFound({ provider, reason: `the secret has no key "${choices}"` })
    const isOtp = /^otpauth:/i.test(Redacted.value(value))
    return { ...nothing, [isOtp ? "tfaSecret" : "password"]: value } satisfies ProvidedSecrets
  }
  const secrets: ProvidedSecrets = {
    userName: yield* valueOf(choices.user_name),
    password: yield* valueOf(choices.password),
    tfaSecret: yield* valueOf(choices.tfa_secret),
    oneTimeCode: null
  }
  if (secrets.password === null && secrets.tfaSecret === null) {
    const reason = "the secret has neither a password nor a one-time code secret under the expected keys"
    return yield* new ItemIncomplete({ provider, reason })
  }
  return secrets
})

const nothing: ProvidedSecrets = { userName: null, password: null, tfaSecret: null, oneTimeCode: null }
