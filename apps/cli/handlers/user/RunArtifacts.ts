/**
 * Saves what a run has left behind in a folder: its files under their names in `files`, its pictures and recordings in
 * their order, and its record.
 */
import { createWriteStream, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { extname, join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Console, Effect, Option } from "effect"
import * as FileNames from "../../../../core/browser/file/FileNames.ts"
import { type Refused, refused } from "../../user/Ending.ts"
import type { OutputSettings } from "../../user/Output.ts"
import type { Record } from "../../user/view/RunsView.ts"
import { counted } from "../../user/view/Table.ts"

/** An artifact: its address, and its name in the folder, of pictures and recordings without the ending. */
interface Artifact {
  readonly url: string
  readonly name: string
}

const endings: Readonly<globalThis.Record<string, string>> = {
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/webp": ".webp",
  "video/webm": ".webm",
  "video/mp4": ".mp4"
}

const cannotWrite = (folder: string) => (cause: unknown) =>
  refused("failed", `Cannot save in ${folder}: ${cause instanceof Error ? cause.message : String(cause)}`)

/** Refuses a folder that holds something already: nothing in it is replaced. It is made when there is something to save. */
export const judge = (folder: Option.Option<string>): Effect.Effect<void, Refused> =>
  Effect.gen(function* () {
    if (Option.isNone(folder) || !existsSync(folder.value)) return
    const found = yield* Effect.try({ try: () => readdirSync(folder.value), catch: cannotWrite(folder.value) })
    if (found.length === 0) return
    return yield* refused("wrong", `Cannot save in ${folder.value}: it is not empty, and nothing in it is replaced`)
  })

const numbered = (kind: string, index: number): string => `${kind}-${String(index + 1).padStart(3, "0")}`

const artifactsOf = ({ file_urls, screenshot_urls, video_urls }: Record): ReadonlyArray<Artifact> => {
  const taken = new Set<string>()
  const unique = (name: string): string => {
    const [end, start] = [extname(name), name.slice(0, name.length - extname(name).length)]
    let free = name
    for (let count = 2; taken.has(free.toLowerCase()); count++) free = `${start} (${count})${end}`
    taken.add(free.toLowerCase())
    return free
  }
  return [
    ...file_urls.map((file) => ({
      url: file.signed_file_url,
      name: `files/${unique(FileNames.safe(file.file_name, "file"))}`
    })),
    ...screenshot_urls.map((screenshot, index) => ({
      url: screenshot.signed_screenshot_url,
      name: numbered("screenshot", index)
    })),
    ...video_urls.map((video, index) => ({
      url: video.signed_screen_recording_url,
      name: numbered("recording", index)
    }))
  ]
}

const reasonOf = (cause: unknown): string => {
  const { cause: inner, message } = cause instanceof Error ? cause : new Error(String(cause))
  // `fetch` says no more than that it failed.
  return inner instanceof Error ? `${message}: ${inner.message}` : message
}

const fetched = async ({ name, url }: Artifact, folder: string): Promise<void> => {
  const answer = await fetch(url)
  if (!answer.ok || answer.body === null) throw new Error(`its address was answered with ${answer.status}`)
  const [type = ""] = (answer.headers.get("content-type") ?? "").split(";")
  const path = join(folder, name.startsWith("files/") ? name : `${name}${endings[type] ?? ""}`)
  await pipeline(Readable.from(answer.body), createWriteStream(path, { flags: "wx", mode: 0o600 }))
}

const cannotFetch = (folder: string, name: string) => (cause: unknown) =>
  refused(
    "failed",
    `Cannot save ${name} in ${folder}: ${reasonOf(cause)}. What is saved already stays; to try again, name another empty folder`
  )

/** Saves a run where that is asked for, and says what was saved. */
export const save = (
  record: Record,
  { json, save: place }: OutputSettings & { readonly save: Option.Option<string> }
): Effect.Effect<void, Refused> =>
  Effect.gen(function* () {
    if (Option.isNone(place)) return
    const folder = place.value
    const artifacts = artifactsOf(record)
    yield* Effect.try({
      try: () => {
        mkdirSync(record.file_urls.length === 0 ? folder : join(folder, "files"), { recursive: true, mode: 0o700 })
        writeFileSync(join(folder, "record.json"), `${JSON.stringify(record, null, 2)}\n`, { flag: "wx", mode: 0o600 })
      },
      catch: cannotWrite(folder)
    })
    yield* Effect.forEach(
      artifacts,
      (artifact) =>
        Effect.tryPromise({ try: () => fetched(artifact, folder), catch: cannotFetch(folder, artifact.name) }),
      { concurrency: 4, discard: true }
    )
    if (!json) yield* Console.log(`Saved its record and ${counted(artifacts.length, "artifact")} in ${folder}`)
  })
