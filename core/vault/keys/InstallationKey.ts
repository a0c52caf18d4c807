/**
 * The key of the installation: what belongs to no workspace is protected with keys that are derived from it. It is made
 * once and never changes; the master key that it is wrapped with may.
 */
import { Clock, Context, Effect, Layer, type Redacted, Schema } from "effect"
import { SettingNames } from "../../runtime/SettingNames.ts"
import { KeyWrapping, type Owner, type WrappedKey, WrappedKeys } from "./WrappedKeys.ts"

/** Raised when the service is started with another master key than the one that its data was made with. */
export class WrongMasterKey extends Schema.TaggedError<WrongMasterKey>()("WrongMasterKey", {
  owner: Schema.String,
  /** The names of the settings of the master key, and of the one that it replaces. */
  present: Schema.String,
  previous: Schema.String
}) {
  override get message() {
    const whose = this.owner === "installation" ? "the key of the installation" : `the key of workspace ${this.owner}`
    return `Cannot start with this master key: ${whose} was stored under another one. Set ${this.present} to the key that the data was made with; while the master key is being exchanged, set ${this.previous} as well`
  }
}

export class InstallationKey extends Context.Service<
  InstallationKey,
  {
    readonly key: Redacted.Redacted<string>
  }
>()("sluice/core/vault/keys/InstallationKey") {
  /**
   * When it is built, every stored key must unwrap: else it fails and has written nothing. Then the installation is given
   * its key, unless it has one.
   */
  static readonly layer = Layer.effect(
    InstallationKey,
    Effect.gen(function* () {
      const stored = yield* WrappedKeys
      const wrapping = yield* KeyWrapping
      const names = yield* SettingNames
      const called = {
        present: names.masterKey ?? "the master key",
        previous: names.previousMasterKey ?? "the previous one"
      }
      const opened = (kept: WrappedKey) =>
        wrapping.unwrap(kept).pipe(Effect.mapError(() => new WrongMasterKey({ owner: kept.owner, ...called })))
      const known = yield* stored.list
      const keys = yield* Effect.forEach(known, opened)
      const own = keys[known.findIndex(({ owner }) => owner === installation)]
      if (own !== undefined) return InstallationKey.of({ key: own.key })

      const bound = { owner: installation, version: 1 }
      const under = yield* underWhich
      const wrapped = yield* wrapping.wrap(bound, yield* wrapping.make, under)
      const createdAt = yield* Clock.currentTimeMillis
      // Another process may have made one since: that one counts.
      const { key } = yield* opened(yield* stored.insert({ ...bound, wrapped, under, createdAt, retiredAt: null }))
      return InstallationKey.of({ key })
    })
  )
}

const installation: Owner = "installation"

/**
 * The id of the master key that new keys are wrapped with: the one that the installation's key is under. It is the
 * first to be rewrapped, so processes that know the previous master key alone continue until then.
 */
export const underWhich = Effect.gen(function* () {
  const stored = yield* WrappedKeys
  const wrapping = yield* KeyWrapping
  const [own] = yield* stored.of(installation)
  return own === undefined ? wrapping.present : own.under
})
