/**
 * The downloads of a session, from any of its tabs, while they are in progress.
 *
 * The browser writes them to a separate folder, which is emptied when the session closes. A download that grows too
 * large is cancelled at once, and so is the oldest one not yet taken when all together are too large.
 */
import { basename } from "node:path"
import type { Download as Saved } from "playwright-core"
import { defaultPageLimits, type PageLimits, tooLargeDownload, tooManyDownloads } from "../../../core/agent/Limits.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Uploads } from "../LocalChromium.ts"
import type { Tabs } from "../page/Tabs.ts"
import { type Bounds, unbounded } from "../walls/Bounds.ts"

/** A browser on another machine whose files are read through it. */
export interface Remote {
  /** Its folder of downloads; `null` where Playwright names one. */
  readonly downloads: string | null
}

export interface Options {
  /** The folder that the browser saves to, where it is on this machine: the growth of downloads is followed then. */
  readonly folder: string | null
  /** Where the files of the browser are read through it; `null` where they are not. */
  readonly remote: Remote | null
  /** The folder of files for uploads, where the browser is on this machine. */
  readonly uploads: Uploads | null
  readonly bounds: Bounds
  readonly limits: PageLimits
  /** How large all that a session has at one time may be together, in bytes. */
  readonly maxSessionBytes: number
}

export const defaults: Options = {
  folder: null,
  remote: null,
  uploads: null,
  bounds: unbounded,
  limits: defaultPageLimits,
  maxSessionBytes: 500_000_000
}

/** Maximum number of downloads, of all sessions of a browser, whose browser events are remembered. */
const mostGrowing = 1_000

/** One download, in progress or complete. */
export interface Entry {
  readonly saved: Saved
  /** Bytes received so far, if known. */
  received: number
  /** Whether the download has ended, and the reason if there is no file. */
  ended: boolean
  failure: PageFailure | null
}

export interface Downloads {
  /** Those that were not taken, oldest first. */
  readonly waiting: () => ReadonlyArray<Entry>
  /** Takes a download, so that it is no longer discarded. */
  readonly take: (entry: Entry) => void
  /** Discards a download, and cancels it if it is in progress. */
  readonly discard: (entry: Entry) => void
}

/** The browser's report of a download, whose name differs from Playwright's. */
interface Growth {
  readonly guid: string
  readonly url: string
  received: number
  entry: Entry | null
}

export const follow = (tabs: Tabs, options: Options): Downloads => {
  const { bounds, limits, maxSessionBytes } = options
  const entries: Array<Entry> = []
  const taken = new Set<Entry>()
  const growing: Array<Growth> = []
  let begun = 0

  const discard = (entry: Entry): void => {
    const at = entries.indexOf(entry)
    if (at >= 0) entries.splice(at, 1)
    taken.delete(entry)
    const gone = entry.ended ? entry.saved.delete() : entry.saved.cancel()
    gone.catch(() => undefined)
  }

  const end = (entry: Entry, failure: PageFailure): void => {
    if (entry.ended) return
    entry.ended = true
    entry.failure = failure
    entry.saved.cancel().catch(() => undefined)
  }

  /** Enforces the limit of the total size, by removing downloads that were not taken. */
  const bound = (): void => {
    const all = [...taken, ...entries]
    let total = all.reduce((sum, { received }) => sum + received, 0)
    for (const entry of all) if (entry.received > limits.downloadBytes) end(entry, tooLargeDownload(limits))
    while (total > maxSessionBytes && entries[0] !== undefined) {
      total -= entries[0].received
      discard(entries[0])
    }
  }

  const begin = (saved: Saved): void => {
    const entry: Entry = { saved, received: 0, ended: false, failure: null }
    entries.push(entry)
    if (++begun > limits.downloads) bounds.pass(tooManyDownloads(limits))
    const known = growing.find((growth) => growth.entry === null && isOf(growth, saved))
    if (known !== undefined) {
      known.entry = entry
      entry.received = known.received
    }
    bound()
    saved
      .failure()
      .then((reason) => {
        if (entry.ended) return
        entry.failure =
          reason === null
            ? null
            : new PageFailure({
                kind: "download",
                reason: `the download of ${shortened(saved.url())} ended early: ${reason}`
              })
        entry.ended = true
      })
      .catch(() => {
        if (entry.ended) return
        entry.failure = new PageFailure({
          kind: "download",
          reason: "its tab was closed before the download was complete"
        })
        entry.ended = true
      })
  }

  const watchGrowth = async (): Promise<void> => {
    const [first] = tabs.all()
    const chromium = first?.page.context().browser() ?? null
    const downloadPath = options.folder ?? options.remote?.downloads ?? null
    if (downloadPath === null || first === undefined || chromium === null) return
    const closed = new Promise<void>((resolve) => first.page.context().once("close", () => resolve()))
    const line = await chromium.newBrowserCDPSession()
    closed.then(() => line.detach()).catch(() => undefined)
    const { targetInfo } = await (await first.devTools()).send("Target.getTargetInfo")
    const { browserContextId } = targetInfo
    if (browserContextId === undefined) return
    line.on("Browser.downloadWillBegin", ({ guid, url }) => {
      const paired = new Set(growing.map(({ entry }) => entry))
      const entry = entries.find((kept) => !paired.has(kept) && isOf({ guid, url }, kept.saved)) ?? null
      growing.push({ guid, url, received: 0, entry })
      if (growing.length > mostGrowing) growing.shift()
    })
    line.on("Browser.downloadProgress", ({ guid, receivedBytes }) => {
      const growth = growing.find((known) => known.guid === guid)
      if (growth === undefined) return
      growth.received = receivedBytes
      if (growth.entry !== null) growth.entry.received = receivedBytes
      bound()
    })
    // As Playwright sets it, plus events of the progress of downloads.
    await line.send("Browser.setDownloadBehavior", {
      behavior: "allowAndName",
      browserContextId,
      downloadPath,
      eventsEnabled: true
    })
  }

  tabs.each(({ page }) => void page.on("download", begin))
  watchGrowth().catch(() => undefined)

  return {
    waiting: () => entries,
    take: (entry) => {
      const at = entries.indexOf(entry)
      if (at >= 0) entries.splice(at, 1)
      taken.add(entry)
    },
    discard
  }
}

/**
 * Returns whether a browser event belongs to this download. The browser reports the downloads of all sessions by the
 * name of the saved file, which Playwright knows but does not publish; without that name, the addresses are compared.
 */
const isOf = ({ guid, url }: Pick<Growth, "guid" | "url">, saved: Saved): boolean => {
  const path = pathOf(saved)
  return path === undefined ? url === saved.url() : basename(path) === guid
}

/** The path of a download, as Playwright set it; `undefined` if unknown. */
export const pathOf = (saved: Saved): string | undefined => {
  // Playwright has this field, and no type for it.
  const { _artifact } = saved as Saved & {
    readonly _artifact?: { readonly _initializer?: { readonly absolutePath?: string } }
  }
  return _artifact?._initializer?.absolutePath
}

/** An address for messages: without query and fragment, and at most one line long. */
export const shortened = (url: string): string =>
  /^(data|blob):/.test(url) ? `${url.slice(0, 5).split(":")[0]}: address` : (url.split(/[?#]/)[0] ?? "").slice(0, 200)
