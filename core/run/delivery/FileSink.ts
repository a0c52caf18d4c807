/**
 * Puts files at destinations outside.
 */
import { Context, type Effect, type Redacted, type Stream } from "effect"
import type { Access, DestinationType } from "./FileDestination.ts"

/** A destination with its access in clear. */
export interface OpenDestination {
  readonly type: DestinationType
  readonly url: string
  /** The fingerprint of the host key of an `sftp` destination. */
  readonly hostKey?: string
  readonly access: Redacted.Redacted<Access>
}

export interface SentFile {
  /** Names separated by `/`, of which none is empty, `.` or `..`. */
  readonly path: string
  /** How many bytes it has. */
  readonly size: number
  /** Its SHA-256, in lower-case hexadecimal. */
  readonly sha256: string
  /** Reads it piece by piece, each time from its beginning. */
  readonly read: () => Stream.Stream<Uint8Array, Error>
  readonly mediaType: string
}

/** What came of an attempt. */
export type PutOutcome =
  /** The destination has these bytes under this path; `wasThere` where it had them before. */
  | { readonly _tag: "Stored"; readonly wasThere: boolean }
  /** Other content has this path, and is unchanged. */
  | { readonly _tag: "Taken" }
  /** It may succeed later. `retryAfterMillis` is the pause that the destination asked for, if any. */
  | { readonly _tag: "Failed"; readonly reason: string; readonly retryAfterMillis: number | null }
  /** It was not sent, as it must not be. */
  | { readonly _tag: "Refused"; readonly reason: string }

export class FileSink extends Context.Service<
  FileSink,
  {
    /** The SHA-256 of a content, in lower-case hexadecimal. */
    readonly sha256: <E>(content: Stream.Stream<Uint8Array, E>) => Effect.Effect<string, E>

    /** Why this address would be refused, if that can be decided without resolving its name; `null` otherwise. */
    readonly refusal: (type: DestinationType, url: string) => string | null

    /**
     * Puts a file at its path, and makes the folders of the path where the destination has folders. What has the path
     * already is never replaced, as far as the destination can say so in one step; else it is read before. Private,
     * loopback and link-local addresses are refused unless allowed; the address that is judged is the one that is connected
     * to. No outcome contains the access. A bounded part of the file is held, whatever its size.
     */
    readonly put: (destination: OpenDestination, file: SentFile) => Effect.Effect<PutOutcome>
  }
>()("sluice/core/run/delivery/FileSink") {}
