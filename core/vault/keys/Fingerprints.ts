/**
 * Short texts by which to recognise what may be secret, without keeping it: without the key of the installation nobody
 * finds out by trying what a fingerprint is of.
 */
import { Context } from "effect"

export class Fingerprints extends Context.Service<
  Fingerprints,
  {
    /** The same for the same text, ever after: 64 lower-case hexadecimal digits. `purpose` keeps those of one use apart. */
    readonly of: (purpose: string, text: string) => string
  }
>()("sluice/core/vault/keys/Fingerprints") {}
