/**
 * Keyed fingerprints that recognise a possibly secret value without storing it. Without the key of the installation,
 * values cannot be guessed from their fingerprints.
 */
import { Context } from "effect"

export class Fingerprints extends Context.Service<
  Fingerprints,
  {
    /** The same for the same text, ever after: 64 lower-case hexadecimal digits. `purpose` keeps those of one use apart. */
    readonly of: (purpose: string, text: string) => string
  }
>()("sluice/core/vault/keys/Fingerprints") {}
