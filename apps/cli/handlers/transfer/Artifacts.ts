/**
 * Copies artifacts from one store to another.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as ArtifactFolder from "../../../../adapters/files/ArtifactFolder.ts"
import { ArtifactFiles } from "../../../../core/run/artifact/ArtifactFiles.ts"

type Files = ArtifactFiles["Service"]

/** The artifacts of a folder, which is made if there is none. */
export const inFolder = (folder: string) =>
  Effect.map(Layer.build(ArtifactFolder.layer(folder)), (built) => Context.get(built, ArtifactFiles))

/** The ids of all artifacts that the database names. */
export const ids = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly id: string
  }>`select id from artifacts where finished_at is not null order by at, id`
  return rows.map(({ id }) => id)
})

/** Copies an artifact and answers its size and SHA-256; `null` when it is not there. */
export const copy = Effect.fnUntraced(function* (from: Files, to: Files, id: string) {
  const found = yield* from.find(id)
  if (Option.isNone(found)) return null
  const { fileName, mediaType, read } = found.value
  const hash = createHash("sha256")
  const bytes = yield* to.putStream(
    id,
    { fileName, mediaType },
    Stream.tap(read(), (piece) => Effect.sync(() => hash.update(piece)))
  )
  return { id, bytes, sha256: hash.digest("hex") }
})

/** The SHA-256 of an artifact that is kept; `null` when it is not there. */
export const digestOf = Effect.fnUntraced(function* (files: Files, id: string) {
  const found = yield* files.find(id)
  if (Option.isNone(found)) return null
  const hash = createHash("sha256")
  yield* Stream.runForEach(found.value.read(), (piece) => Effect.sync(() => hash.update(piece)))
  return hash.digest("hex")
})
