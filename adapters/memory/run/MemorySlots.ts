/** The slots of credentials in use, in memory: derived from the running runs. */
import type { Credential } from "../../../core/run/CredentialReferences.ts"
import type { LimitLedger } from "../../../core/run/limit/LimitLedger.ts"
import type { UsedLimit } from "../../../core/run/limit/NamedLimit.ts"
import * as Run from "../../../core/run/Run.ts"
import type { StopAfter } from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import type { Change } from "../../../core/run/Transition.ts"
import * as Domain from "../../../core/vault/site/Domain.ts"
import * as VaultEntries from "../../../core/vault/VaultEntries.ts"
import type { Pair, VaultEntry } from "../../../core/vault/VaultEntry.ts"
import { RunId, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { filesOf, type Tables, write } from "../Tables.ts"

type Shape = Tables["Service"]

/**
 * Assigns credentials to waiting runs, one after the other; `null` for a run that must wait. Slots reserved for earlier
 * runs of the same round count as used.
 */
export const assigner = (tables: Shape, now: number, limits: LimitLedger) => {
  const reserved: Array<string> = []
  const taken = heldIn(tables)
  const inUse: Slots.InUse = (name) => taken(name) + reserved.filter((one) => one === name).length
  return ({ credentials, notBefore, workspaceId }: Run.Run): ReadonlyArray<Credential> | null => {
    if (credentials.length === 0) return credentials
    const find = findIn(tables, workspaceId, limits)
    const assigned = Slots.assign(credentials, find, inUse)
    if (assigned === null) reserved.push(...Slots.reserved(credentials, now - notBefore, find, inUse))
    return assigned
  }
}

/** What a run would have to wait for if it were claimed now. */
export const awaited = (tables: Shape, run: Run.Run): Slots.Awaited | null =>
  Run.isWaiting(run) ? Slots.awaited(run.credentials, findIn(tables, run.workspaceId), heldIn(tables)) : null

/** The spent limit that a run draws on by an entry that it may be given, where such limits keep it; `null` otherwise. */
export const spentOf = (
  tables: Shape,
  { credentials, workspaceId }: Run.Run,
  limits: LimitLedger
): UsedLimit | null => {
  if (Slots.assign(credentials, findIn(tables, workspaceId, limits), heldIn(tables)) !== null) return null
  for (const credential of credentials) {
    for (const permissionedUserId of Slots.members(credential)) {
      const entry = locate(tables, workspaceId, { permissionedUserId, domain: credential.domain })
      const spent = entry === undefined ? null : spentOfEntry(limits, workspaceId, entry.id)
      if (spent !== null) return spent
    }
  }
  return null
}

const spentOfEntry = (limits: LimitLedger, workspaceId: WorkspaceId, id: string) =>
  limits.spent({ workspaceId, workflowId: "", tags: [], credentialIds: [id] })

/** The ids of the entries that have slots of these names. */
export const entryIds = (
  tables: Shape,
  workspaceId: WorkspaceId,
  names: ReadonlyArray<string>
): ReadonlyArray<string> =>
  names.length === 0
    ? []
    : entriesOf(tables, workspaceId)
        .filter((entry) => names.includes(nameOf(workspaceId, entry)))
        .map(({ id }) => id)

/** Records the assignment of slots, for fair turns. */
export const serve = (tables: Shape, credentials: ReadonlyArray<Credential>, turn: number): void => {
  for (const { slot } of credentials) {
    if (slot !== undefined) tables.slotTurns.set(slot.entry, { ...turnOf(tables, slot.entry), served: turn })
  }
}

/** Records that the credential of an alias works. */
export const worked = (tables: Shape, run: Run.Run, alias: string): void => {
  const entry = run.credentials.find((credential) => credential.alias === alias)?.slot?.entry
  if (entry !== undefined) tables.slotTurns.set(entry, { ...turnOf(tables, entry), failedAt: null })
}

/**
 * Records that a run could not sign in, so that waiting runs with the credential are stopped. Ignored if the credential
 * was changed after the run began.
 */
export const noteFailure = (tables: Shape, { failedLogin, run }: Change, at: number): void => {
  if (failedLogin === undefined) return
  const { domain, entry, permissionedUserId, stopsOthers } = failedLogin
  const present = locate(tables, run.workspaceId, { domain, permissionedUserId })
  if (present !== undefined && run.startedAt !== null && present.updatedAt > run.startedAt) return
  tables.slotTurns.set(entry, { ...turnOf(tables, entry), failedAt: at })
  if (!stopsOthers) return
  const find = findIn(tables, run.workspaceId)
  const waiting = [...tables.runs.values()].filter(
    (other) =>
      Run.isWaiting(other) &&
      other.workspaceId === run.workspaceId &&
      other.credentials.some((credential) =>
        Slots.members(credential).some(
          (permissionedUserId) => find({ permissionedUserId, domain: credential.domain })?.name === entry
        )
      )
  )
  tables.failedLogins.set(run.id, { ...failedLogin, waiting: waiting.map(({ id }) => id), failedAt: at })
}

/**
 * Stops up to `limit` waiting runs with the credential of a failed login, and returns whether there may be more. Stops
 * none if the credential was changed since.
 */
export const stopAfterFailedLogins = (tables: Shape, limit: number, decide: StopAfter, now: number): boolean => {
  const [next] = tables.failedLogins
  if (next === undefined) return false
  const [cause, failed] = next
  const workspaceId = tables.runs.get(cause)?.workspaceId
  const present = workspaceId === undefined ? undefined : locate(tables, workspaceId, failed)
  if (present !== undefined && present.updatedAt > failed.failedAt) {
    tables.failedLogins.delete(cause)
    return true
  }
  for (const id of failed.waiting.slice(0, limit)) {
    const run = tables.runs.get(id)
    if (run === undefined || !Run.isWaiting(run)) continue
    const change = decide({ run, files: filesOf(tables, id) }, { ...failed, runId: RunId.make(cause) }, now)
    if (change !== null) write(tables, change, now)
  }
  if (failed.waiting.length <= limit) tables.failedLogins.delete(cause)
  else tables.failedLogins.set(cause, { ...failed, waiting: failed.waiting.slice(limit) })
  return true
}

const turnOf = (tables: Shape, entry: string) => tables.slotTurns.get(entry) ?? { served: 0, failedAt: null }

const heldIn =
  (tables: Shape): Slots.InUse =>
  (name) =>
    [...tables.runs.values()].filter((run) => run.lease !== null && Slots.names(run.credentials).includes(name)).length

const findIn =
  (tables: Shape, workspaceId: WorkspaceId, limits: LimitLedger | null = null): Slots.Find =>
  (pair) => {
    const entry = locate(tables, workspaceId, pair)
    if (entry === undefined) return undefined
    const name = nameOf(workspaceId, entry)
    const { failedAt, served } = turnOf(tables, name)
    return {
      name,
      workspaceId,
      served,
      allowance: Slots.allowanceOf(entry),
      failed: failedAt !== null && failedAt >= entry.updatedAt,
      stopping: [...tables.failedLogins.values()].some((failed) => failed.entry === name),
      limited: limits !== null && spentOfEntry(limits, workspaceId, entry.id) !== null
    }
  }

const nameOf = (workspaceId: WorkspaceId, entry: VaultEntry): string => `${workspaceId} ${VaultEntries.keyOf(entry)}`

const entriesOf = (tables: Shape, workspaceId: WorkspaceId) =>
  [...(tables.collections.get(VaultEntries.kind.name)?.values() ?? [])]
    .filter((entry) => entry.workspaceId === workspaceId)
    // The table of a kind holds only values of that kind.
    .map(({ value }) => value as VaultEntry)

const locate = (tables: Shape, workspaceId: WorkspaceId, { domain, permissionedUserId }: Pair) => {
  const own = entriesOf(tables, workspaceId).filter((entry) => entry.permissionedUserId === permissionedUserId)
  return own.find((entry) => entry.domain === domain) ?? own.find((entry) => Domain.matches(entry.domain, domain))
}
