/** Downloads, printing and uploads. */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { chmod, chown, copyFile, link, mkdir, mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import type { Readable } from "node:stream"
import { Clock, Effect, Result } from "effect"
import type { FileChooser } from "playwright-core"
import { tooLargeDownload } from "../../../core/agent/Limits.ts"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { Download, Downloading as Port } from "../../../core/browser/file/DownloadPorts.ts"
import * as FileNames from "../../../core/browser/file/FileNames.ts"
import type { LocalFile } from "../../../core/browser/file/FileSource.ts"
import { isNavigation, PageFailure } from "../../../core/browser/PageFailure.ts"
import * as Finder from "../element/Finder.ts"
import { bringIntoSight } from "../element/Visible.ts"
import * as World from "../inpage/World.ts"
import type { Uploads } from "../LocalChromium.ts"
import { Refused } from "../page/Attempt.ts"
import * as GuardedAction from "../page/GuardedAction.ts"
import type { Tabs } from "../page/Tabs.ts"
import { within } from "../TimeLimit.ts"
import * as Downloading from "./Downloads.ts"
import * as PrintCalls from "./PrintCalls.ts"
import * as RemoteFile from "./RemoteFile.ts"

/** The interval at which a download is awaited, in milliseconds. */
const lookMillis = 50

/** How long a frame may take to say what it shows, in milliseconds. */
const frameMillis = 1_000

/** How long a file may take to be taken, in milliseconds. */
const uploadMillis = 60_000

/** How long a file dialog is waited for that is just being opened, in milliseconds. */
const dialogMillis = 2_000

export const make = (
  tabs: Tabs,
  options: Downloading.Options = Downloading.defaults
): Port & Pick<Elements, "upload" | "dropFile"> => {
  const { attempt, current } = tabs
  const downloads = Downloading.follow(tabs, options)
  const choosers: Array<FileChooser> = []
  /** The files that were put into each field, by its name in the world of its document. */
  const put = new Map<string, ReadonlyArray<string>>()
  const uploads = options.uploads ?? { folder: tmpdir(), gid: null }
  const folder = temporaryFolder(tabs, uploads)
  const prints = PrintCalls.follow(tabs)
  /** How many downloads were taken since they were forgotten, and how many calls have asked for one. */
  let [taken, asked] = [0, 0]
  tabs.each(({ page }) => {
    page.on("filechooser", (chooser) => {
      choosers.push(chooser)
      if (choosers.length > 10) choosers.shift()
    })
    page.on("close", () => {
      for (const gone of choosers.filter((chooser) => chooser.page() === page))
        choosers.splice(choosers.indexOf(gone), 1)
    })
  })

  const handOver = (entry: Downloading.Entry): Download => {
    downloads.take(entry)
    taken++
    const fileName = FileNames.safe(entry.saved.suggestedFilename())
    const bytes = Effect.tryPromise({
      try: () => contents(entry, options),
      catch: () => new PageFailure({ kind: "download", reason: `the download ${fileName} could not be read` })
    }).pipe(
      Effect.flatMap((read) => (read === null ? Effect.fail(tooLargeDownload(options.limits)) : Effect.succeed(read)))
    )
    return {
      fileName,
      mediaType: FileNames.mediaType(fileName),
      url: entry.saved.url(),
      bytes,
      discard: Effect.sync(() => downloads.discard(entry))
    }
  }

  /** Saves the document if it is not a page, or the PDFs that it shows in frames, and returns whether it did. */
  const savesShown = Effect.suspend(() => {
    if (current().isDeparting()) return Effect.succeed(false)
    const main = current().page.mainFrame()
    // The viewer of a PDF has a frame of its own in that of the element, and another one in it.
    const shown = current()
      .page.frames()
      .filter((frame) => frame.parentFrame()?.url().startsWith("chrome-extension:") !== true)
    const frames = new Map(shown.toReversed().map((frame) => [frame.url(), frame]))
    const saved = [...frames.values()].map((frame) =>
      // A frame that does not answer shows nothing.
      within(frameMillis, frame.evaluate(saveDocument, frame === main)).catch(() => false)
    )
    return attempt(null, async () => (await Promise.all(saved)).includes(true) || main.evaluate(saveElements)).pipe(
      Effect.orElseSucceed(() => false)
    )
  })

  /** A document that does not answer is none. */
  const showsPdf = Effect.promise(() =>
    within(
      frameMillis,
      current()
        .page.mainFrame()
        .evaluate(() => document.contentType === "application/pdf")
    ).catch(() => false)
  )

  const download = Effect.fnUntraced(function* (waitMillis: number) {
    asked++
    if (asked <= taken) return { files: [], failure: null }
    const until = (yield* Clock.currentTimeMillis) + waitMillis
    const late = Effect.map(Clock.currentTimeMillis, (now) => now > until)
    let isSaving = false
    while (downloads.waiting().length === 0 && prints.waiting().length === 0) {
      if (yield* late) {
        return {
          files: [],
          failure: new PageFailure({
            kind: "download",
            reason: `no download has begun since the preceding action, ${waitMillis / 1_000} s long (timeout_seconds)`
          })
        }
      }
      if (!isSaving) isSaving = yield* savesShown
      yield* Effect.sleep(lookMillis)
    }
    while (prints.waiting().some(({ printed }) => printed === null)) {
      if (yield* late) break
      yield* Effect.sleep(lookMillis)
    }
    const calls = [...prints.waiting()]
    prints.take()
    const pages = yield* Effect.forEach(calls, ({ printed }) =>
      Effect.result(asPdf(printed ?? PrintCalls.late(waitMillis)))
    )
    const all = [...downloads.waiting()]
    while (all.some(({ ended }) => !ended)) {
      if (yield* late) break
      yield* Effect.sleep(lookMillis)
    }
    const saved = all.filter(({ ended, failure }) => ended && failure === null).map(handOver)
    const files = [...saved, ...pages.filter(Result.isSuccess).map(({ success }) => success)]
    const other = all.find(({ ended, failure }) => !ended || failure !== null)
    for (const entry of all) if (!entry.ended || entry.failure !== null) downloads.discard(entry)
    if (other === undefined) return { files, failure: pages.find(Result.isFailure)?.failure ?? null }
    const reason = `the download of ${Downloading.shortened(other.saved.url())} is not complete after ${waitMillis / 1_000} s (timeout_seconds), ${other.received} bytes were received`
    return { files, failure: other.failure ?? new PageFailure({ kind: "download", reason }) }
  })

  /** A printed document, as a download. */
  const asPdf = Effect.fnUntraced(function* (printed: NonNullable<PrintCalls.Call["printed"]>) {
    if (printed instanceof PageFailure) return yield* printed
    const { pdf, title } = printed
    if (pdf.length > options.limits.downloadBytes) return yield* tooLargeDownload(options.limits)
    taken++
    const fileName = `${FileNames.safe(title.slice(0, 100), "page")}.pdf`
    const bytes = Effect.succeed(pdf)
    return { fileName, mediaType: "application/pdf", bytes, discard: Effect.void } satisfies Download
  })

  const print = Effect.gen(function* () {
    const title = yield* attempt(null, () => current().page.title())
    const pdf = yield* attempt(null, () => PrintCalls.pdfOf(current().page))
    return yield* asPdf({ title, pdf })
  }).pipe(Effect.timeoutOrElse({ duration: PrintCalls.printMillis, orElse: () => Effect.fail(PrintCalls.notPrinted) }))

  /** The file dialog that was opened last, in the active tab where it has one. */
  const chooser = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + dialogMillis
    while (choosers.length === 0 && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(lookMillis)
    const here = choosers.filter((chooser) => chooser.page() === current().page)
    const last = here.at(-1) ?? choosers.at(-1)
    if (last !== undefined) return last
    return yield* new PageFailure({
      kind: "upload",
      reason:
        "no file dialog is open: expected a CLICK before it that opens one, or the selector of the field for files"
    })
  })

  /** A copy of a file that stays as long as the session. */
  const kept = (file: LocalFile) =>
    Effect.tryPromise({
      try: async () => copied(file.path, await folder(), file.fileName, uploads.gid),
      catch: () => new PageFailure({ kind: "upload", reason: "the file could not be kept for the session" })
    })

  return {
    forgetDownloads: Effect.sync(() => {
      taken = 0
      asked = 0
      prints.take()
      for (const entry of [...downloads.waiting()]) downloads.discard(entry)
    }),
    downloadable: Effect.suspend(() =>
      downloads.waiting().length + prints.waiting().length > 0
        ? Effect.succeed("file" as const)
        : showsPdf.pipe(Effect.map((shown) => (shown ? "document" : null)))
    ),
    download,
    print,
    dropFile: Effect.fnUntraced(function* (target, file, how = "drop") {
      const path = yield* kept(file)
      yield* Finder.onOne(tabs, target, async (element, timeout, frame) => {
        if (target.guard !== undefined) {
          await element.waitFor({ state: "attached", timeout })
          await GuardedAction.check(current(), frame, target.guard)
        }
        await bringIntoSight(current(), frame, element, timeout)
        await World.run(current(), frame, "offerFile", null, { root: element, waitMillis: timeout })
        await World.kept(frame, "offered").setInputFiles(path, { timeout: uploadMillis })
        if (!(await World.run(current(), frame, "dropOffered", how))) {
          throw new Refused("upload", `the page takes no file that is ${how === "drop" ? "dropped" : "pasted"} there`)
        }
      })
    }),
    upload: Effect.fnUntraced(function* (target, file) {
      const path = yield* kept(file)
      if (target !== null) {
        return yield* Finder.onOne(tabs, target, async (element, timeout, frame) => {
          if (target.guard !== undefined) {
            await element.waitFor({ state: "attached", timeout })
            await GuardedAction.check(current(), frame, target.guard)
          }
          const field = await World.run(current(), frame, "filesOf", null, { root: element, waitMillis: timeout })
          const before = field.multiple && field.count > 0 ? (put.get(field.name) ?? []) : []
          // Other files than those that were put there are not known here.
          const paths = [...(before.length === field.count ? before : []), path]
          await element.setInputFiles(paths, { timeout })
          put.set(field.name, paths)
        })
      }
      const open = yield* chooser
      yield* attempt(null, () => open.setFiles(path, { timeout: uploadMillis })).pipe(
        Effect.mapError((failure) =>
          isNavigation(failure) ? new PageFailure({ kind: "upload", reason: failure.reason }) : failure
        )
      )
      choosers.splice(0)
    })
  }
}

/**
 * A folder of the session, made when there is something to put there and removed with the session. In that of a browser
 * of this machine it is removed with the browser as well, even if this process is killed.
 */
const temporaryFolder = (tabs: Tabs, around: Uploads): (() => Promise<string>) => {
  let made: Promise<string> | undefined
  let isClosed = false
  tabs
    .current()
    .page.context()
    .on("close", () => {
      isClosed = true
      made?.then((path) => rm(path, { recursive: true, force: true })).catch(() => undefined)
    })
  return () => {
    if (isClosed) return Promise.reject(new Error("the session is over"))
    made ??= mkdtemp(join(around.folder, "sluice-session-")).then((path) => shared(path, 0o710, around.gid))
    return made
  }
}

/** The site may read the file much later, when its form is sent. */
const copied = async (from: string, folder: string, fileName: string, gid: number | null): Promise<string> => {
  const own = join(folder, randomUUID())
  await mkdir(own, { mode: 0o700 })
  await shared(own, 0o710, gid)
  const path = join(own, fileName)
  // Copy, because a hard link would also change the group of the original file.
  if (gid !== null) await copyFile(from, path)
  else await link(from, path).catch(() => copyFile(from, path))
  return shared(path, 0o640, gid)
}

/** Gives a file or a folder to the group of the browser, where that is not of the user of the service. */
const shared = async (path: string, mode: number, gid: number | null): Promise<string> => {
  if (gid === null) return path
  await chown(path, 0, gid)
  await chmod(path, mode)
  return path
}

/** The saved file; `null` when it is larger than allowed, which a browser on another machine reports only now. */
const contents = async (
  { saved }: Downloading.Entry,
  { folder, limits, remote }: Downloading.Options
): Promise<Uint8Array | null> => {
  const maxBytes = limits.downloadBytes
  const chunks: Array<Buffer> = []
  let size = 0
  const source =
    remote !== null ? ofRemote(saved, remote) : folder !== null ? ofFile(await saved.path()) : readable(saved)
  for await (const chunk of await source) {
    // A stream without an encoding gives buffers.
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxBytes) return null
    chunks.push(bytes)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * A file saved by the browser. A compromised browser could replace it by a link to a file that only the service may
 * read, or by a special file without end.
 */
const ofFile = async (path: string): Promise<Readable> => {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const file = await open(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0))
  const stats = await file.stat()
  if (stats.isFile() && stats.nlink === 1) return file.createReadStream()
  await file.close()
  throw new Error("the download is not a regular file")
}

/** A file that a browser on another machine has saved, under the name that Playwright gave it. */
const ofRemote = (saved: Downloading.Entry["saved"], { downloads }: Downloading.Remote): AsyncIterable<Buffer> => {
  const path = Downloading.pathOf(saved)
  const chromium = saved.page().context().browser()
  if (path === undefined || chromium === null) throw new Error("the place of the download is not known")
  return RemoteFile.read(chromium, downloads === null ? path : join(downloads, basename(path)))
}

/**
 * A download as a readable stream. An unhandled read error would end this process, because Playwright does not handle
 * it.
 */
const readable = async (saved: Downloading.Entry["saved"]): Promise<Readable> => {
  const stream = await saved.createReadStream()
  const read = stream._read.bind(stream)
  stream._read = (size) => {
    Promise.resolve(read(size)).catch((error: Error) => stream.destroy(error))
  }
  return stream
}

/** Runs in the page. The PDFs of its own site in elements that have no frame, as in a browser without a viewer, are saved. */
const saveElements = (): boolean => {
  const addresses = new Set<string>()
  for (const one of document.querySelectorAll<HTMLEmbedElement | HTMLObjectElement>("embed[src],object[data]")) {
    const url = URL.parse(one instanceof HTMLObjectElement ? one.data : one.src)
    const isPdf = one.type === "application/pdf" || /\.pdf$/i.test(url?.pathname ?? "")
    // One of another site would be opened instead of the page.
    if (isPdf && url !== null && url.origin === location.origin) addresses.add(url.href)
  }
  for (const address of addresses) {
    const link = document.createElement("a")
    link.href = address
    link.download = ""
    document.documentElement.append(link)
    link.click()
    link.remove()
  }
  return addresses.size > 0
}

/**
 * Runs in the page. A document of another kind than a page, such as a PDF, is saved as the browser's own menu would; of those
 * in frames, which may be pictures, only a PDF.
 */
const saveDocument = (isMain: boolean): boolean => {
  if (!isMain && document.contentType !== "application/pdf") return false
  // The answer to the look before may not have been waited for.
  const isSaved = Symbol.for("sluice.saved")
  if (!isMain && Reflect.has(document, isSaved)) return true
  Reflect.set(document, isSaved, true)
  if (/^(text\/html|application\/xhtml\+xml|)$/.test(document.contentType) || location.protocol === "about:")
    return false
  // The type of an element by a namespace is not known for a variable document.
  const link = document.createElementNS("http://www.w3.org/1999/xhtml", "a") as HTMLAnchorElement
  link.href = location.href
  link.download = ""
  document.documentElement.append(link)
  link.click()
  link.remove()
  return true
}
