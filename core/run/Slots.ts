/**
 * Which credentials a run is given, and which of their slots it uses while it is running.
 *
 * An entry of the vault allows a limited number of runs at a time: each uses one of its slots, taken by the claim. If
 * codes or sessions could be confused, one run at a time signs in: it uses the name of the exclusive resource until it
 * has signed in. A slot is in use for as long as its run is running, even if its worker is lost: no call returns it.
 */
import * as Inbox from "../vault/inbox/Inbox.ts"
import { effectiveTfaMethod, type Pair, type VaultEntry } from "../vault/VaultEntry.ts"
import type { WorkspaceId } from "../workspace/Ids.ts"
import type { Credential } from "./CredentialReferences.ts"

/**
 * The limits of an entry: how many runs at a time (`null`: any number), and what only one at a time may sign in with.
 */
export interface Allowance {
  readonly runs: number | null
  /** `null`: nothing. `entry`: the entry. Any other text names what several entries may share, such as a mailbox. */
  readonly login: string | null
}

/**
 * The limits of an entry. One run at a time, unless several sessions are allowed. A code sent by mail or SMS does not
 * say which run requested it, so one run at a time signs in with its address. Codes of an authenticator can be
 * distinguished.
 */
export const allowanceOf = (entry: VaultEntry): Allowance => {
  const { allow_multiple_sessions, max_concurrency, prevent_concurrency_during_login } = entry.fields
  return {
    runs: allow_multiple_sessions ? max_concurrency : 1,
    login: arrivesAt(entry) ?? (prevent_concurrency_during_login ? "entry" : null)
  }
}

/** Names where the codes of an entry arrive: at a mailbox, or at the number of the workspace; `null` where none is sent. */
const arrivesAt = (entry: VaultEntry): string | null => {
  switch (effectiveTfaMethod(entry)) {
    case "SMS":
      return `phone:${entry.workspaceId}`
    case "EMAIL":
    case "MAGIC_LINK":
      // Mail addresses ignore case, so entries whose addresses differ only in case share a mailbox.
      return `inbox:${Inbox.mailboxOf(entry.workspaceId, entry).toLowerCase()}`
    default:
      return null
  }
}

/** An entry of the vault, with what decides whether a run gets one of its slots. */
export interface Entry {
  /** Names its slots. It stays the same when the entry of the pair is deleted and created again. */
  readonly name: string
  readonly workspaceId: WorkspaceId
  readonly allowance: Allowance
  /** When one of its slots was given last; later ones have higher numbers. */
  readonly served: number
  /** Signing in with it has failed since it was changed. */
  readonly failed: boolean
  /** The runs that wait for it alone are about to be stopped, as signing in with it has failed. */
  readonly stopping: boolean
  /** A limit that it is named by allows no start. */
  readonly limited: boolean
}

/** Finds the entry that a pair means. */
export type Find = (pair: Pair) => Entry | undefined

/** How many runs use a name. */
export type InUse = (name: string) => number

/** The members that an attempt may use: those that were not tried, or all of them once each was. */
export const members = ({ permissionedUserIds, tried = [] }: Credential): ReadonlyArray<string> => {
  const left = permissionedUserIds.filter((id) => !tried.includes(id))
  return left.length === 0 ? permissionedUserIds : left
}

/** The name of what a run holds until it has signed in with an entry; `null` where nothing is exclusive. */
export const loginOf = ({ allowance, name }: Entry): string | null =>
  allowance.login === "entry" ? `login:${name}` : allowance.login

/** The name of what an entry shares with others until a run has signed in with it; `null` where it shares nothing. */
export const sharedLoginOf = (entry: Entry): string | null =>
  entry.allowance.login === "entry" ? null : entry.allowance.login

/** Returns whether an entry has a slot to give. */
export const isFree = (entry: Entry, inUse: InUse): boolean => {
  const login = loginOf(entry)
  const { runs } = entry.allowance
  return (runs === null || inUse(entry.name) < runs) && (login === null || inUse(login) === 0)
}

/**
 * Gives a run a slot of one entry for every alias; `null` when one of them has to wait, and then none is given.
 *
 * Of a pool, the member that was used least recently is taken; members whose login failed come last, and members that
 * do not exist are skipped. If no member exists, the run gets nothing for that alias: it must fail rather than wait.
 * Two aliases of one entry use one slot.
 */
export const assign = (
  credentials: ReadonlyArray<Credential>,
  find: Find,
  inUse: InUse
): ReadonlyArray<Credential> | null => {
  const assigned: Array<Credential> = []
  for (const credential of credentials) {
    const { domain, permissionedUserIds, tried = [] } = credential
    const waiting = unassigned(credential)
    const found = members(credential).map((id) => ({ id, entry: find({ permissionedUserId: id, domain }) }))
    const existing = found.flatMap(({ entry, id }) => (entry === undefined ? [] : [{ id, entry }]))
    if (existing.length === 0) {
      assigned.push(waiting)
      continue
    }
    const [best] = existing
      .filter(
        ({ entry }) => !entry.limited && isFree(entry, inUse) && !(entry.stopping && permissionedUserIds.length === 1)
      )
      .sort((a, b) => Number(a.entry.failed) - Number(b.entry.failed) || a.entry.served - b.entry.served)
    if (best === undefined) return null
    const missing = found.filter(({ entry }) => entry === undefined).map(({ id }) => id)
    assigned.push({
      ...waiting,
      ...(missing.length === 0 ? {} : { tried: [...new Set([...tried, ...missing])] }),
      chosen: best.id,
      slot: { entry: best.entry.name, login: loginOf(best.entry) }
    })
  }
  return assigned
}

/** What a run has to wait for. */
export interface Awaited {
  /** The alias of the first of its credentials that is in use. */
  readonly alias: string
  /** A slot is free, but another run signs in where only one may. */
  readonly isLogin: boolean
}

/** What a run would have to wait for; `null` where `assign` gives it its slots. */
export const awaited = (credentials: ReadonlyArray<Credential>, find: Find, inUse: InUse): Awaited | null => {
  const busy = credentials.find((credential) => assign([credential], find, inUse) === null)
  if (busy === undefined) return null
  const entries = members(busy).flatMap((permissionedUserId) => find({ permissionedUserId, domain: busy.domain }) ?? [])
  const isLogin = entries.some(
    (entry) => !entry.stopping && isFree({ ...entry, allowance: { ...entry.allowance, login: null } }, inUse)
  )
  return { alias: busy.alias, isLogin }
}

/**
 * How long a run that needs several credentials lets others use those that are free. After that it reserves them:
 * otherwise runs that need only one of them could overtake it indefinitely.
 */
export const patienceMillis = 600_000

/**
 * The names that a waiting run reserves against later runs: those of the free entries that it would be given, once it
 * has waited long enough.
 */
export const reserved = (
  credentials: ReadonlyArray<Credential>,
  waitedMillis: number,
  find: Find,
  inUse: InUse
): ReadonlyArray<string> =>
  credentials.length < 2 || waitedMillis < patienceMillis
    ? []
    : [...new Set(credentials.flatMap((credential) => names(assign([credential], find, inUse) ?? [])))]

/** Every name that a run with these credentials uses, once each. */
export const names = (credentials: ReadonlyArray<Credential>): ReadonlyArray<string> => [
  ...new Set(
    credentials.flatMap(({ slot }) => {
      if (slot === undefined) return []
      return slot.login === null ? [slot.entry] : [slot.entry, slot.login]
    })
  )
]

/** The names that a change of the credentials of a run releases. */
export const freed = (before: ReadonlyArray<Credential>, after: ReadonlyArray<Credential>): ReadonlyArray<string> => {
  const kept = new Set(names(after))
  return names(before).filter((name) => !kept.has(name))
}

/** The credentials of a run that has signed in with one of them: others may do so now. */
export const signedIn = (credentials: ReadonlyArray<Credential>, alias: string): ReadonlyArray<Credential> =>
  credentials.map((credential) =>
    credential.alias === alias && credential.slot !== undefined
      ? { ...credential, slot: { ...credential.slot, login: null } }
      : credential
  )

/** The credentials of a run that ended: they name what it used, and occupy no slot. */
export const released = (credentials: ReadonlyArray<Credential>): ReadonlyArray<Credential> =>
  credentials.map(({ slot: _, ...credential }) => credential)

/** The credential of a run that waits for its start or for a retry. */
export const unassigned = ({ chosen: _, slot: __, ...credential }: Credential): Credential => credential

/**
 * The needs of a run that decide whether it can be given slots, as a text: of runs with equal texts all wait, or none
 * does. `null` for a run that needs no slots.
 */
export const queue = (credentials: ReadonlyArray<Credential>): string | null =>
  credentials.length === 0
    ? null
    : JSON.stringify(
        credentials
          .map((credential) =>
            JSON.stringify([
              credential.domain,
              credential.permissionedUserIds.length === 1,
              [...members(credential)].sort()
            ])
          )
          .sort()
      )

/** The credential that a run could not sign in with. */
export interface FailedLogin {
  /** The name of the entry's slots. */
  readonly entry: string
  readonly permissionedUserId: string
  readonly domain: string
}

/** A failed login: the credential, and the credentials of the run with that member marked as tried. */
export const failLogin = (
  credentials: ReadonlyArray<Credential>,
  alias: string
): {
  readonly login: FailedLogin
  readonly credentials: ReadonlyArray<Credential>
  readonly untried: boolean
} | null => {
  const failed = credentials.find((credential) => credential.alias === alias)
  if (failed?.slot === undefined || failed.chosen === undefined) return null
  const { chosen, domain, permissionedUserIds, slot } = failed
  const tried = [...new Set([...(failed.tried ?? []), chosen])]
  return {
    login: { entry: slot.entry, permissionedUserId: chosen, domain },
    credentials: credentials.map((credential) => (credential === failed ? { ...failed, tried } : credential)),
    untried: permissionedUserIds.some((id) => !tried.includes(id))
  }
}

/** Returns whether one of the credentials is this member and can be no other. */
export const isOnly = (credentials: ReadonlyArray<Credential>, permissionedUserId: string): boolean =>
  credentials.some(
    ({ permissionedUserIds }) => permissionedUserIds.length === 1 && permissionedUserIds[0] === permissionedUserId
  )
