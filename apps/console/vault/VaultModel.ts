/** What is typed for a new credential, and the entries that an answer of the vault holds. */
import type { VaultRecord } from "../../api/vault/VaultApi.ts"

export interface Given {
  readonly key: string
  readonly user: string
  readonly domain: string
  readonly userName: string
  readonly password: string
  readonly tfaSecret: string
  /** The id of the secret provider that has its secrets; empty where they are sealed here. */
  readonly provider: string
  readonly reference: string
}

type Entry = typeof VaultRecord.Type

/** `GET /vault` answers one entry where a pair is asked for, and else a list. */
export const listOf = (answer: Entry | ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  [answer].flat() as ReadonlyArray<Entry>

const wrongKey = (key: string): { readonly key?: string } =>
  /^[0-9a-fA-F]{64}$/.test(key.trim()) ? {} : { key: "Expected 64 hexadecimal digits" }

/** What is typed to change the secrets of a credential. An empty field changes nothing. */
export interface Changed {
  readonly key: string
  readonly userName: string
  readonly password: string
}

/** What is missing from a change, or cannot be, by its field. */
export const changeProblemsOf = ({ key, password, userName }: Changed): Partial<Record<keyof Changed, string>> => {
  return {
    ...(password === "" && userName === "" ? { password: "Type the new password, or a new user name" } : {}),
    ...wrongKey(key)
  }
}

/** What is missing, or cannot be, by its field. */
export const problemsOf = (given: Given): Partial<Record<keyof Given, string>> => ({
  ...(given.user.trim() === "" ? { user: "Give it an id" } : {}),
  ...(given.domain.trim() === "" ? { domain: "Name the site that it signs in to" } : {}),
  ...(given.provider !== ""
    ? given.reference.trim() === ""
      ? { reference: "Name the item that has its secrets" }
      : {}
    : {
        ...(given.userName === "" ? { userName: "Type the user name" } : {}),
        ...(given.password === "" ? { password: "Type the password" } : {}),
        ...wrongKey(given.key)
      })
})

/** Credentials by their site, and by their user id within one. */
export const bySite = (all: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  all.toSorted(
    (one, other) =>
      one.domain.localeCompare(other.domain) || one.permissioned_user_id.localeCompare(other.permissioned_user_id)
  )

/** What is typed to connect a secret provider. */
export interface Connection {
  readonly key: string
  readonly type: ProviderType
  readonly name: string
  readonly url: string
  readonly token: string
  /** The vault of 1Password, or the mount of HashiCorp Vault, that is read. */
  readonly place: string
  readonly namespace: string
  readonly roleId: string
  readonly secretId: string
}

export const providerWords = {
  "1password": "1Password Connect",
  hashicorp_vault: "HashiCorp Vault or OpenBao"
} as const
export type ProviderType = keyof typeof providerWords

export const connectionProblemsOf = (given: Connection): Partial<Record<keyof Connection, string>> => ({
  ...(given.name.trim() === "" ? { name: "Give it a name" } : {}),
  ...(URL.canParse(given.url) ? {} : { url: "Expected an address such as https://vault.example.com" }),
  ...(given.type === "1password" && given.token === "" ? { token: "Type the access token of the Connect server" } : {}),
  ...(given.type === "hashicorp_vault" && (given.token === "") === (given.roleId === "")
    ? { token: "Type a token, or a role id and a secret id" }
    : {}),
  ...(given.roleId !== "" && given.secretId === "" ? { secretId: "Type the secret id of the role" } : {}),
  ...wrongKey(given.key)
})
