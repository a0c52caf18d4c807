/**
 * Files that stand in for those of addresses, for replays: with the name of the address, and a line of text.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as FileNames from "../../core/browser/file/FileNames.ts"
import { FileNotFetched, FileSource } from "../../core/browser/file/FileSource.ts"

const failed = (reason: string) => new FileNotFetched({ kind: "failed", reason })

/** Nothing is fetched. An address that must not be requested is refused as it is in a run. */
export const layer = Layer.succeed(FileSource, {
  get: (url, refusal) =>
    Effect.gen(function* () {
      const refused = refusal(url)
      if (refused !== null) return yield* new FileNotFetched({ kind: "forbidden", reason: refused })
      const fileName = FileNames.safe(url.pathname.split("/").at(-1) ?? "", "file")
      const folder = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () => mkdtemp(join(tmpdir(), "sluice-stand-in-")),
          catch: () => failed("no file can be written on this machine")
        }),
        (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
      )
      const path = join(folder, fileName)
      yield* Effect.tryPromise({
        try: () => writeFile(path, `A stand-in for ${fileName}\n`),
        catch: () => failed("no file can be written on this machine")
      })
      return { path, fileName }
    })
})
