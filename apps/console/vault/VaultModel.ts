/** What is typed for a new credential, and the entries that an answer of the vault holds. */
import type { VaultRecord } from "../../api/vault/VaultApi.ts"

export interface Given {
  readonly key: string
  readonly user: string
  readonly domain: string
  readonly userName: string
  readonly password: string
  readonly tfaSecret: string
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
export const problemsOf = ({ domain, key, password, user, userName }: Given): Partial<Record<keyof Given, string>> => ({
  ...(user.trim() === "" ? { user: "Give it an id" } : {}),
  ...(domain.trim() === "" ? { domain: "Name the site that it signs in to" } : {}),
  ...(userName === "" ? { userName: "Type the user name" } : {}),
  ...(password === "" ? { password: "Type the password" } : {}),
  ...wrongKey(key)
})
