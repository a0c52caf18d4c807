/** The generation and hashing of API keys. A key is shown once, when it is made; only its hash is stored. */
import { Context, type Effect, type Redacted } from "effect"

export class Keys extends Context.Service<
  Keys,
  {
    /** A new key: `sk_` and 256 random bits in base64url. */
    readonly make: Effect.Effect<Redacted.Redacted<string>>

    /** The lower-case hexadecimal SHA-256 of a key. */
    readonly hash: (key: Redacted.Redacted<string>) => Effect.Effect<string>
  }
>()("sluice/core/workspace/Keys") {}
