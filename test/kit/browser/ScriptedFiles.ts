/** Downloads and file dialogs of a browser in memory. */
import { Effect, Ref } from "effect"
import type { Download } from "../../../core/browser/file/DownloadPorts.ts"
import * as FileNames from "../../../core/browser/file/FileNames.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"

/** A file that a page gives, by its name and text. A text of `null` never comes to its end. */
export type Saved = readonly [name: string, text: string | null]

const asDownload = (name: string, text: string): Download => {
  const fileName = FileNames.safe(name)
  return {
    fileName,
    mediaType: FileNames.mediaType(fileName),
    bytes: Effect.sync(() => new TextEncoder().encode(text)),
    discard: Effect.void
  }
}

const empty = { waiting: [] as ReadonlyArray<Saved>, taken: 0, asked: 0, isDialogOpen: false }

export const make = Effect.gen(function* () {
  const state = yield* Ref.make(empty)
  return {
    saves: (files: ReadonlyArray<Saved>) =>
      Ref.update(state, (now) => ({ ...now, waiting: [...now.waiting, ...files] })),
    opensDialog: Ref.update(state, (now) => ({ ...now, isDialogOpen: true })),
    /** Whether a file dialog is open, which it is no more then. */
    takesDialog: Ref.modify(state, (now) => [now.isDialogOpen, { ...now, isDialogOpen: false }]),
    forgetDownloads: Ref.update(state, ({ isDialogOpen }) => ({ ...empty, isDialogOpen })),
    downloadable: Effect.map(Ref.get(state), ({ waiting }) => (waiting.length > 0 ? ("file" as const) : null)),
    download: Effect.fnUntraced(function* (waitMillis: number) {
      const { asked, taken, waiting } = yield* Ref.get(state)
      if (asked < taken) {
        yield* Ref.update(state, (now) => ({ ...now, asked: asked + 1 }))
        return { files: [], failure: null }
      }
      const seconds = waitMillis / 1_000
      const files = waiting.flatMap(([name, text]) => (text === null ? [] : [asDownload(name, text)]))
      const endless = waiting.find(([, text]) => text === null)
      yield* Ref.update(state, (now) => ({ ...now, waiting: [], asked: asked + 1, taken: taken + files.length }))
      if (endless !== undefined) {
        const reason = `the download of ${endless[0]} is not complete after ${seconds} s (timeout_seconds), 0 bytes were received`
        return { files, failure: new PageFailure({ kind: "download", reason }) }
      }
      if (files.length > 0) return { files, failure: null }
      const reason = `no download has begun since the preceding action, ${seconds} s long (timeout_seconds)`
      return { files, failure: new PageFailure({ kind: "download", reason }) }
    }),
    /** A document that begins as a PDF does, and holds the text. */
    print: (text: string) => asDownload("page.pdf", `%PDF-1.4\n${text}`)
  }
})
