/** Seals values in the browser, in the form that the vault accepts. */
import { Effect, type Redacted } from "effect"
import * as VaultValues from "../../../adapters/crypto/VaultValues.ts"

export const sealed = (key: Redacted.Redacted<string>, value: Redacted.Redacted<string>): Promise<string> =>
  Effect.runPromise(VaultValues.seal(key, value))
