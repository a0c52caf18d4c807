/**
 * The room on the disk of an embedded database. PostgreSQL's log grows by files of 16 MB: without room for one more, small
 * writes succeed for a while, and then the database stops within one.
 */
import { statfs } from "node:fs/promises"
import { Effect, Layer } from "effect"
import { WriteProbe, type Writes } from "../postgres/server/WriteProbe.ts"

/** The least room for writes, in bytes: that of two files of the log. */
const least = 33_554_432

const mebibyte = 1_048_576

/** Why the folder has no room for writes; `null` where it has. */
const lackOf = async (folder: string): Promise<string | null> => {
  const { bavail, bsize } = await statfs(folder)
  const room = bavail * bsize
  if (room >= least) return null
  return `no space left on the disk of ${folder}: ${Math.floor(room / mebibyte)} MB are free, and at least ${least / mebibyte} MB are needed`
}

/** The probe of writes, which is refused without room in the folder, too. */
export const layer = (folder: string) =>
  Layer.effect(
    WriteProbe,
    Effect.map(WriteProbe, ({ ask }) => {
      const lack = Effect.promise(() => lackOf(folder).catch((error: unknown) => String(error)))
      const either = Effect.flatMap(lack, (reason) =>
        reason === null ? ask : Effect.succeed<Writes>({ _tag: "Refused", reason })
      )
      return WriteProbe.of({ ask: either })
    })
  )
