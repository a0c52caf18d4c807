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

/** What is missing, or cannot be, by its field. */
export const problemsOf = ({ domain, key, password, user, userName }: Given): Partial<Record<keyof Given, string>> => ({
  ...(user.trim() === "" ? { user: "Give it an id" } : {}),
  ...(domain.trim() === "" ? { domain: "Name the site that it signs in to" } : {}),
  ...(userName === "" ? { userName: "Type the user name" } : {}),
  ...(password === "" ? { password: "Type the password" } : {}),
  ...(/^[0-9a-fA-F]{64}$/.test(key.trim()) ? {} : { key: "Expected 64 hexadecimal digits" })
})
