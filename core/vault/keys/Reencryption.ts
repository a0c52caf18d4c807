/**
 * Re-encrypts everything of a workspace with its present key, in small steps: a walk through all targets, whose
 * position is stored after each step. A step that is interrupted is repeated by the next process. Concurrent walks are
 * safe.
 *
 * A former key is deleted once a walk has ended that began long enough after the key was retired: by then no process
 * still seals with it.
 */
import { Clock, Context, Effect, Option, Result, Schema } from "effect"
import * as Background from "../../runtime/Background.ts"
import * as Wake from "../../runtime/Wake.ts"
import type { Collection, Kind } from "../../workspace/Collection.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import type { KeyRing } from "./EncryptionKeys.ts"
import * as ReencryptionTargets from "./ReencryptionTargets.ts"
import { type Cipher, Sealing } from "./Sealing.ts"
import { WrappedKeys } from "./WrappedKeys.ts"

/** The progress of re-encrypting the values of a workspace with its present key. */
export const Walk = Schema.Struct({
  id: Schema.String,
  /** The version of the key that everything is sealed with. */
  version: Schema.Int,
  /** The position: a target and a position in it. */
  place: Schema.String,
  after: Schema.NullOr(Schema.String),
  startedAt: Schema.Finite,
  /** When everything had been checked; `null` before. */
  endedAt: Schema.NullOr(Schema.Finite),
  /** How many records were checked, and how many values were re-encrypted. */
  checked: Schema.Int,
  resealed: Schema.Int,
  /** Values that no key of the workspace opens, and that stay as they are. */
  unreadable: Schema.Int
})
export type Walk = typeof Walk.Type

export class ReencryptionWalks extends Context.Service<ReencryptionWalks, Collection<Walk>>()(
  "sluice/core/vault/keys/ReencryptionWalks"
) {}

/** A workspace has one walk at a time. */
export const kind: Kind<Walk> = { name: "resealings", schema: Walk, key: () => "walk" }

/** How many holders are checked in one step. */
const batch = 50

/** The pause between two steps, so that others find the database free. */
const breath = "20 millis"

/** How long a retired key still decrypts values, which a process may have sealed shortly before. */
export const graceMillis = 7_200_000

/** Does one step for a workspace, and returns whether there is another one to do now. */
export const step = Effect.fn("Reencryption.step")(function* (workspaceId: WorkspaceId) {
  const walks = yield* ReencryptionWalks
  const cipher = yield* (yield* Sealing).cipher(workspaceId)
  const now = yield* Clock.currentTimeMillis
  if (cipher.keys.former.length === 0) return false
  const [known] = yield* walks.list(workspaceId)
  if (known === undefined || isOutdated(known, cipher.keys, now)) {
    yield* begin(workspaceId, cipher.keys, known, now)
    return true
  }
  if (known.endedAt !== null) {
    yield* discard(workspaceId, cipher.keys, known)
    return false
  }
  const targets = yield* ReencryptionTargets.all
  const index = Math.max(
    targets.findIndex(({ name }) => name === known.place),
    0
  )
  const target = targets[index]
  if (target === undefined) return false
  const { holders, next } = yield* target.page(workspaceId, known.after, batch)
  const counts = yield* reencrypt(workspaceId, target, cipher, holders)
  const following = next === null ? targets[index + 1] : target
  yield* advance(workspaceId, known, (before) => ({
    ...before,
    place: following?.name ?? target.name,
    after: next,
    endedAt: following === undefined ? now : null,
    checked: before.checked + holders.length,
    resealed: before.resealed + counts.resealed,
    unreadable: before.unreadable + counts.unreadable
  }))
  return true
})

/**
 * Re-encrypts the values of these holders that are under a former key. Values that no key decrypts are kept and
 * counted.
 */
const reencrypt = Effect.fnUntraced(function* (
  workspaceId: WorkspaceId,
  target: ReencryptionTargets.Target,
  cipher: Cipher,
  holders: ReadonlyArray<ReencryptionTargets.Holder>
) {
  let resealed = 0
  let unreadable = 0
  for (const { id, sealed } of holders) {
    const renewed = new Map<string, string>()
    for (const one of sealed) {
      const after = yield* Effect.option(cipher.under(cipher.keys.present.version, one))
      if (Option.isNone(after)) unreadable++
      else if (after.value !== one) renewed.set(one, after.value)
    }
    if (renewed.size > 0) yield* target.replace(workspaceId, id, renewed)
    resealed += renewed.size
  }
  return { resealed, unreadable }
})

/** A walk to a key that is not the present one is obsolete, and one that began before keys could be discarded too. */
const isOutdated = (walk: Walk, { former, present }: KeyRing, now: number): boolean =>
  walk.version !== present.version ||
  (walk.endedAt !== null &&
    former.some(
      ({ retiredAt }) =>
        retiredAt !== null && retiredAt + graceMillis <= now && walk.startedAt < retiredAt + graceMillis
    ))

const begin = Effect.fnUntraced(function* (
  workspaceId: WorkspaceId,
  { present }: KeyRing,
  outdated: Walk | undefined,
  now: number
) {
  const walks = yield* ReencryptionWalks
  const fresh: Walk = {
    id: outdated?.id ?? (yield* (yield* Identifiers).uuid),
    version: present.version,
    place: "",
    after: null,
    startedAt: now,
    endedAt: null,
    checked: 0,
    resealed: 0,
    unreadable: 0
  }
  if (outdated !== undefined) return yield* advance(workspaceId, outdated, () => fresh)
  // Another process may have begun it.
  yield* Effect.ignore(walks.insert(workspaceId, fresh))
})

/** Stores the position of a walk, unless another process has advanced it. */
const advance = Effect.fnUntraced(function* (workspaceId: WorkspaceId, seen: Walk, decide: (before: Walk) => Walk) {
  const walks = yield* ReencryptionWalks
  const isSame = Schema.toEquivalence(Schema.Json)
  yield* walks
    .change(workspaceId, seen.id, (before) =>
      Result.succeed(isSame({ ...before }, { ...seen }) ? decide(before) : before)
    )
    .pipe(Effect.catchTag("KeyTaken", Effect.die))
})

/** Throws away the former keys that nothing can be under any more. */
const discard = Effect.fnUntraced(function* (workspaceId: WorkspaceId, { former }: KeyRing, walk: Walk) {
  const stored = yield* WrappedKeys
  const over = former.filter(
    ({ retiredAt, version }) =>
      retiredAt !== null && version < walk.version && walk.startedAt >= retiredAt + graceMillis
  )
  for (const { version } of over) yield* stored.remove(workspaceId, version)
})

/** Steps for all workspaces until none has another one to do now. */
export const round = Effect.fn("Reencryption.round")(function* () {
  const known = yield* (yield* WrappedKeys).list
  const present = new Map<string, number>(known.map(({ owner, version }) => [owner, version] as const))
  // The owners with keys of several versions.
  const waiting = new Set<string>(
    known.flatMap(({ owner, version }) => (present.get(owner) === version ? [] : [owner]))
  )
  for (const { id } of yield* (yield* WorkspaceStore).list) {
    if (!waiting.has(id)) continue
    while (yield* step(id)) yield* Effect.sleep(breath)
  }
})

/** Continues the rotations in progress, and those that begin, without end. */
export const run = Effect.fn("Reencryption.run")(function* () {
  const begun = yield* Wake.onSignal((signal) => signal._tag === "changed" && signal.kind === "encryption_key")
  return yield* round().pipe(
    Background.round("seal secrets under the present keys"),
    Effect.andThen(begun.sleep(Wake.longestSleep)),
    Effect.forever
  )
}, Effect.scoped)
