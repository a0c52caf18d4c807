/**
 * The files that a run produced: each has its own event, and the end event lists all of them.
 */
import { Schema } from "effect"
import type { RunEvent } from "./RunEvent.ts"

/** A file as events store it; rendering replaces the id by its address, as `signed_file_url`. */
export const RunFile = Schema.Struct({
  file_id: Schema.String,
  file_name: Schema.String,
  timestamp: Schema.String,
  metadata: Schema.JsonObject
})
export type RunFile = typeof RunFile.Type

/** The file that an event reports. */
export const fileOf = (event: RunEvent): ReadonlyArray<RunFile> => {
  if (event.event !== "file.uploaded") return []
  const { file_id, file_name, metadata, timestamp } = event.payload
  return [{ file_id, file_name, timestamp, metadata }]
}

/** A file with the address at which it can be fetched without a key. */
export const rendered = (
  { file_id, file_name, metadata, timestamp }: RunFile,
  artifact: (id: string) => { readonly url: string; readonly expires: string }
) => {
  const { expires, url } = artifact(file_id)
  return { signed_file_url: url, signed_file_url_expires: expires, file_name, timestamp, metadata }
}

/** Files as events keep them. What is none is left out. */
export const read = (kept: unknown): ReadonlyArray<RunFile> =>
  (Array.isArray(kept) ? kept : [])
    .filter(Schema.is(RunFile))
    .map(({ file_id, file_name, metadata, timestamp }) => ({ file_id, file_name, timestamp, metadata }))
