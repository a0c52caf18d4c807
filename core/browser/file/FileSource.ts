/**
 * The source of the files that a run uploads.
 */
import { Context, Effect, Schema, type Scope } from "effect"

/** A file on the local disk, which exists until the scope in which it was fetched closes. */
export interface LocalFile {
  readonly path: string
  readonly fileName: string
}

/** How large an uploaded file may be, in bytes. */
export const maxUploadBytes = 100_000_000

/** How long fetching one may take, in milliseconds. */
export const fetchMillis = 60_000

/**
 * Raised if no file can be fetched from an address. `kind`: the address is forbidden, the file is too large, or there
 * is no answer.
 */
export class FileNotFetched extends Schema.TaggedError<FileNotFetched>()("FileNotFetched", {
  kind: Schema.Literals(["forbidden", "tooLarge", "failed"]),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export interface FileSource {
  /**
   * Fetches a file of at most `maxUploadBytes` over HTTP. Its name is that of the address or the server, sanitized. Private
   * and loopback addresses are refused unless they are allowed. `refusal` returns why the address,
   * or one that it redirects to, must not be requested; `null` when it may.
   */
  readonly get: (
    url: URL,
    refusal: (url: URL) => string | null
  ) => Effect.Effect<LocalFile, FileNotFetched, Scope.Scope>
}

/** Without an implementation, no file can be fetched. */
export const FileSource = Context.Reference<FileSource>("sluice/core/browser/file/FileSource", {
  defaultValue: () => ({
    get: () => Effect.fail(new FileNotFetched({ kind: "forbidden", reason: "files are not fetched here" }))
  })
})
