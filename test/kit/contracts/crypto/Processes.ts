/**
 * Three processes that have a port which depends on the key of the installation, for the contracts of such ports.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { InstallationKey } from "../../../../core/vault/keys/InstallationKey.ts"

export interface Processes<Port> {
  /** The port in a process of an installation. */
  readonly own: Port
  /** The same in another process of this installation. */
  readonly same: Port
  /** The same in a process of another installation. */
  readonly other: Port
}

const keyOf = (digits: string) => Layer.succeed(InstallationKey, { key: Redacted.make(digits.repeat(32)) })

/** Builds a port in three processes, from a layer that takes the key of the installation from `InstallationKey`. */
export const processesOf = <Self, Port, E, R>(port: Context.Key<Self, Port>, layer: Layer.Layer<Self, E, R>) => {
  const process = (digits: string) =>
    Effect.map(Layer.build(Layer.provide(Layer.fresh(layer), keyOf(digits))), (built) => Context.get(built, port))
  return Effect.gen(function* () {
    const made: Processes<Port> = { own: yield* process("3a"), same: yield* process("3a"), other: yield* process("c5") }
    return made
  })
}
