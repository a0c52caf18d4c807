/** The form of a new credential, and the entries in an answer of the vault. */
import type { VaultRecord } from "../../api/vault/VaultApi.ts"

export interface Given {
  readonly key: string
  readonly user: string
  readonly domain: string
  readonly userName: string
  readonly password: string
  readonly tfaSecret: string
  /** The id of the secret provider that holds its secrets; empty when they are sealed here. */
  readonly provider: string
  readonly reference: string
}

export type Entry = typeof VaultRecord.Type

/** `GET /vault` answers one entry for a pair, and otherwise a list. */
export const listOf = (answer: Entry | ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  [answer].flat() as ReadonlyArray<Entry>

const wrongKey = (key: string): { readonly key?: string } =>
  /^[0-9a-fA-F]{64}$/.test(key.trim()) ? {} : { key: "Expected 64 hexadecimal digits" }

/** The form that changes the secrets of a credential. An empty field changes nothing. */
export interface Changed {
  readonly key: string
  readonly userName: string
  readonly password: string
}

/** The problems of a change, by field. */
export const changeProblemsOf = ({ key, password, userName }: Changed): Partial<Record<keyof Changed, string>> => {
  return {
    ...(password === "" && userName === "" ? { password: "Type the new password, or a new user name" } : {}),
    ...wrongKey(key)
  }
}

/** The problems of a new credential, by field. */
export const problemsOf = (given: Given): Partial<Record<keyof Given, string>> => ({
  ...(given.user.trim() === "" ? { user: "Give the user an id" } : {}),
  ...(given.domain.trim() === "" ? { domain: "Name the site of the credential" } : {}),
  ...(given.provider !== ""
    ? given.reference.trim() === ""
      ? { reference: "Name the item that holds the secrets" }
      : {}
    : {
        ...(given.userName === "" ? { userName: "Type the user name" } : {}),
        ...(given.password === "" ? { password: "Type the password" } : {}),
        ...wrongKey(given.key)
      })
})

/** The health of a credential in a few words: its status, and what is behind it. */
export const healthWords = ({ failures, status }: Entry["health"]): string => {
  const [latest] = failures
  switch (status) {
    case "unknown":
      return "not tried yet"
    case "failing":
      return latest === undefined
        ? "failing"
        : `failing: ${failureWords[latest.kind]}${latest.count === 1 ? "" : `, ${latest.count} times`}`
    case "expiring":
      return "session ends soon, and a person has to sign in"
    case "healthy":
      return "healthy"
  }
}

const failureWords: Readonly<Record<Entry["health"]["failures"][number]["kind"], string>> = {
  refused: "user name or password refused",
  locked: "account locked",
  code_refused: "code refused",
  no_code: "no code came",
  new_password: "new password required",
  enrolment: "second factor must be set up",
  captcha: "captcha",
  no_answer: "nobody answered",
  no_secret: "secret could not be read",
  unexpected: "unexpected page"
}

/** Credentials by their site, and by their user id within one. */
export const bySite = (all: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  all.toSorted(
    (one, other) =>
      one.domain.localeCompare(other.domain) || one.permissioned_user_id.localeCompare(other.permissioned_user_id)
  )

/** The form that connects a secret provider or changes one. */
export interface Connection {
  readonly key: string
  readonly type: ProviderType
  readonly name: string
  readonly url: string
  readonly token: string
  /** The vault of 1Password or the mount of HashiCorp Vault to read from. */
  readonly place: string
  readonly namespace: string
  readonly roleId: string
  readonly secretId: string
  /** How long a secret may be reused, in seconds; empty reads it each time. */
  readonly cache: string
}

/** A connected secret provider as the service answers it: without its address and its secrets. */
export interface ConnectedProvider {
  readonly provider_type: string
  readonly name: string
  readonly config_hint: Readonly<Record<string, string>>
  readonly cache_ttl_seconds: number | null
}

/** The form for a change of a connected secret provider. Fields that are empty and stay empty change nothing. */
export const connectionOf = ({
  cache_ttl_seconds,
  config_hint,
  name,
  provider_type
}: ConnectedProvider): Connection => ({
  ...{ key: "", url: "", token: "", roleId: "", secretId: "" },
  type: provider_type as ProviderType,
  name,
  place: config_hint.vault ?? config_hint.mount ?? "",
  namespace: config_hint.namespace ?? "",
  cache: cache_ttl_seconds === null ? "" : String(cache_ttl_seconds)
})

/** The part of a request with the access to a secret provider. `secrets` must be sealed before they are sent. */
interface Configuration {
  readonly plain: Readonly<Record<string, string | null>>
  readonly secrets: Readonly<Record<string, string>>
}

/** The typed configuration; `null` when a change of a secret provider keeps it. */
export const configurationOf = (given: Connection, former: ConnectedProvider | null): Configuration | null => {
  const isVault = given.type === "hashicorp_vault"
  const place = given.place.trim()
  const shown = former === null ? { place: "", namespace: "" } : connectionOf(former)
  const namespace = given.namespace.trim()
  const plain = {
    ...(given.url.trim() === "" ? {} : { url: given.url.trim() }),
    ...(place !== shown.place ? { [isVault ? "mount" : "vault"]: place === "" ? null : place } : {}),
    ...(isVault && namespace !== shown.namespace ? { namespace: namespace === "" ? null : namespace } : {}),
    ...(isVault && given.roleId.trim() !== "" ? { role_id: given.roleId.trim() } : {}),
    // A token replaces a role, and a role replaces a token.
    ...(former === null || !isVault
      ? {}
      : given.token !== ""
        ? { role_id: null, secret_id: null }
        : given.roleId.trim() !== ""
          ? { token: null }
          : {})
  }
  const secrets = {
    ...(given.token === "" ? {} : { token: given.token }),
    ...(!isVault || given.secretId === "" ? {} : { secret_id: given.secretId })
  }
  const isSame = Object.keys(plain).length + Object.keys(secrets).length === 0
  return former !== null && isSame ? null : { plain, secrets }
}

export const providerWords = {
  "1password": "1Password Connect",
  hashicorp_vault: "HashiCorp Vault or OpenBao"
} as const
export type ProviderType = keyof typeof providerWords

type ConnectionProblems = Partial<Record<keyof Connection, string>>

/** The problems of a connection, by field. In a change of `former`, an empty field changes nothing. */
export const connectionProblemsOf = (
  given: Connection,
  former: ConnectedProvider | null = null
): ConnectionProblems => {
  const isNew = former === null
  const hasAccess = given.token !== "" || given.secretId !== ""
  return {
    ...(given.name.trim() === "" ? { name: "Give the provider a name" } : {}),
    ...(URL.parse(given.url.trim()) !== null || (!isNew && given.url.trim() === "")
      ? {}
      : { url: "Expected an address such as https://vault.example.com" }),
    ...accessProblemOf(given, isNew),
    ...(given.roleId !== "" && given.secretId === "" ? { secretId: "Type the secret id of the role" } : {}),
    ...(/^\d*$/.test(given.cache.trim()) ? {} : { cache: "Expected a whole number of seconds, such as 60" }),
    ...(isNew || hasAccess ? wrongKey(given.key) : {})
  }
}

const accessProblemOf = ({ roleId, token, type }: Connection, isNew: boolean): ConnectionProblems => {
  if (type === "1password") {
    return isNew && token === "" ? { token: "Type the access token of the Connect server" } : {}
  }
  const isMissing = isNew && token === "" && roleId === ""
  const isBoth = token !== "" && roleId !== ""
  return isMissing || isBoth ? { token: "Type a token, or a role id and a secret id" } : {}
}
