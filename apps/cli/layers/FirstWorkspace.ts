/**
 * The first workspace of a service that starts on empty data, with its encryption key, and an API key of
 * its owner.
 */
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import * as Startup from "../../../adapters/postgres/server/Startup.ts"
import { EncryptionKeys } from "../../../core/vault/keys/EncryptionKeys.ts"
import { Identifiers } from "../../../core/workspace/Identifiers.ts"
import { UserId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { Keys } from "../../../core/workspace/Keys.ts"
import { defaultInputRequiredTimeoutSeconds, signedUrlTtlSeconds } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"

/** The keys to use instead of random ones. */
export interface Bootstrap {
  readonly bootstrapKey: Option.Option<Redacted.Redacted<string>>
  readonly bootstrapEncryptionKey: Option.Option<Redacted.Redacted<string>>
}

export interface FirstKeys {
  readonly key: Redacted.Redacted<string>
  readonly encryptionKey: Redacted.Redacted<string>
}

/** The keys of the first workspace, where this process made it. */
export class FirstWorkspace extends Context.Service<FirstWorkspace, Option.Option<FirstKeys>>()(
  "sluice/apps/cli/layers/FirstWorkspace"
) {}

/** Says which of the given keys are ignored, as the data has a workspace already and they are not its keys. */
const sayIgnored = Effect.fnUntraced(function* (bootstrap: Bootstrap, first: WorkspaceId) {
  const { bootstrapEncryptionKey, bootstrapKey } = bootstrap
  const workspaces = yield* WorkspaceStore
  const ignored: Array<string> = []
  if (Option.isSome(bootstrapKey)) {
    const holder = yield* workspaces.authenticate(yield* (yield* Keys).hash(bootstrapKey.value))
    if (Option.isNone(holder)) ignored.push("SLUICE_BOOTSTRAP_KEY")
  }
  if (Option.isSome(bootstrapEncryptionKey)) {
    const { former, present } = yield* (yield* EncryptionKeys).ring(first)
    const given = Redacted.value(bootstrapEncryptionKey.value).toLowerCase()
    if (![present, ...former].some(({ key }) => Redacted.value(key) === given))
      ignored.push("SLUICE_BOOTSTRAP_ENCRYPTION_KEY")
  }
  if (ignored.length === 0) return
  const verb = ignored.length === 1 ? "is" : "are"
  yield* Effect.logWarning(
    `${ignored.join(" and ")} ${verb} ignored: the first workspace gets its keys when it is made, and this database has a workspace already. \`sluice keys create\` makes API keys, and \`sluice keys encryption\` shows its encryption key`
  )
})

/** Makes the first workspace if there is none, and answers its keys then: the only time that the owner's key is known. */
export const make = Effect.fn("FirstWorkspace.make")(function* (bootstrap: Bootstrap) {
  const encryptionKeys = yield* EncryptionKeys
  const workspaces = yield* WorkspaceStore
  const identifiers = yield* Identifiers
  const keys = yield* Keys
  const [first] = yield* workspaces.list
  if (first !== undefined) {
    yield* sayIgnored(bootstrap, first.id)
    return Option.none<FirstKeys>()
  }
  const createdAt = yield* Clock.currentTimeMillis
  const workspaceId = WorkspaceId.make(yield* identifiers.uuid)
  const key = Option.isSome(bootstrap.bootstrapKey) ? bootstrap.bootstrapKey.value : yield* keys.make
  yield* workspaces.create({
    id: workspaceId,
    name: "First workspace",
    createdAt,
    waitingTtlMillis: null,
    inputRequiredTimeoutSeconds: defaultInputRequiredTimeoutSeconds,
    signedUrlTtlSeconds: signedUrlTtlSeconds.maximum,
    founding: true
  })
  const encryptionKey = yield* Option.match(bootstrap.bootstrapEncryptionKey, {
    onNone: () => encryptionKeys.of(workspaceId),
    onSome: (given) => encryptionKeys.give(workspaceId, Redacted.make(Redacted.value(given).toLowerCase()))
  })
  yield* workspaces.addKey({
    id: yield* identifiers.uuid,
    hash: yield* keys.hash(key),
    name: "First key",
    workspaceId,
    userId: UserId.make(yield* identifiers.uuid),
    role: "Owner",
    createdAt,
    revokedAt: null
  })
  return Option.some<FirstKeys>({ key, encryptionKey })
})

/** Makes the workspace when the layer is built, so that no port opens before the key is accepted. */
export const layer = (bootstrap: Bootstrap) =>
  Layer.effect(FirstWorkspace, Startup.during("it makes the first workspace")(make(bootstrap)))
