/** An outside store of secrets in memory, for tests and for programs that embed the core. */
import { Effect, Redacted } from "effect"
import {
  AccessRefused,
  type Connection,
  ItemIncomplete,
  ItemNotFound,
  type ProvidedSecrets,
  type SecretItem,
  type SecretSource
} from "../../../core/vault/providers/SecretSource.ts"

export interface StoredItem extends Pick<SecretItem, "id" | "title" | "vaultName"> {
  readonly secrets: ProvidedSecrets
}

/** Gives the items, by their references, to connections whose access has the token. Later changes of the map are seen. */
export const make = (token: string, items: ReadonlyMap<string, StoredItem>): SecretSource => {
  const check = (connection: Connection) =>
    Effect.suspend(() =>
      Redacted.value(connection.access).token === token
        ? Effect.void
        : Effect.fail(new AccessRefused({ provider: connection.name, reason: "it does not accept the access token" }))
    )
  return {
    refusal: () => null,
    check,
    items: (connection) =>
      Effect.map(check(connection), () =>
        [...items].map(([ref, { id, title, vaultName }]) => ({ id, title, ref, vaultName }))
      ),
    read: Effect.fn("MemorySecretSource.read")(function* (connection, ref) {
      yield* check(connection)
      const provider = connection.name
      const found = items.get(ref)
      if (found === undefined) return yield* new ItemNotFound({ provider, reason: `it has no item "${ref}"` })
      const { oneTimeCode, password, tfaSecret } = found.secrets
      if (password === null && tfaSecret === null && oneTimeCode === null) {
        const reason = `the item "${ref}" holds neither a password nor a one-time password`
        return yield* new ItemIncomplete({ provider, reason })
      }
      return found.secrets
    })
  }
}
