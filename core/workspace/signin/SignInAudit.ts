/** The audit entries of sign-ins to the console. They name the API key; the secret of a link or a session is in none. */
import type { Draft } from "../audit/Audit.ts"

interface Key {
  readonly id: string
  readonly name: string | null
}

const ofKey = ({ id, name }: Key) => ({ resourceId: id, resourceName: name, before: null })
const until = (expiresAt: number) => ({ expires_at: new Date(expiresAt).toISOString() })

export const ofLink = (key: Key, expiresAt: number): Draft => ({
  ...ofKey(key),
  action: "sign_in_link.create",
  after: until(expiresAt)
})

/** A session that was opened, by a link where that is said. */
export const ofStart = (key: Key, expiresAt: number, isByLink: boolean): ReadonlyArray<Draft> => [
  ...(isByLink ? [{ ...ofKey(key), action: "sign_in_link.use", after: null } as const] : []),
  { ...ofKey(key), action: "console_session.start", after: until(expiresAt) }
]

export const ofEnd = (key: Key): Draft => ({ ...ofKey(key), action: "console_session.end", after: null })

/** Sign-ins that failed. Whose they were to be is unknown. */
export const ofFailures = (address: string, attempts: number): Draft => ({
  action: "sign_in.fail",
  resourceId: null,
  before: null,
  after: { address, attempts }
})

/** Requests that were refused for their API key, which is unknown, revoked or expired. The key itself is not recorded. */
export const ofRefusedKeys = (address: string, attempts: number): Draft => ({
  action: "key.refuse",
  resourceId: null,
  before: null,
  after: { address, attempts }
})
