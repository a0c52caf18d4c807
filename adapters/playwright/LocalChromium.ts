/**
 * A Chromium that runs on this machine, as a process with its children and its folders.
 *
 * It is controlled through a pipe. When this process ends for any reason, including `kill -9`, the pipe closes and
 * Chromium ends. The next process that starts a browser here removes the remaining folders.
 */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { CDPSession, Browser as Chromium } from "playwright-core"
import * as Confinement from "./Confinement.ts"
import { load } from "./driver/Driver.ts"
import type * as PageMemory from "./PageMemory.ts"
import * as Processes from "./Processes.ts"
import { within } from "./TimeLimit.ts"

/**
 * Disabled features of Chromium. Only the last such switch counts, so the features that Playwright disables are
 * repeated. The others are internal pages that Chromium would load with every window although its address bar is not
 * used, which more than doubles the cost of a window.
 */
const disabledFeatures = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  // What tells the maker of Chromium about pages, forms and certificates, or fetches models, lists and translations.
  "AutofillServerCommunication",
  "OptimizationGuideModelDownloading",
  "OptimizationHintsFetching",
  "OptimizationTargetPrediction",
  "Translate",
  "InterestFeedContentSuggestions",
  "CertificateTransparencyComponentUpdater",
  "SafeBrowsingDelayedWarnings",
  "DialMediaRouteProvider",
  "DnsOverHttpsUpgrade",
  "AimEnabled",
  "PreconnectToSearch",
  "msForceBrowserSignIn",
  "msEdgeUpdateLaunchServicesPreferredVersion",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  // A renderer that is started in case another site is opened: a tenth of the processor time of a short run.
  "SpareRendererForSitePerProcess",
  "PreloadTopChromeWebUI"
]

/**
 * Features that no run needs: background traffic, first-run pages, and protocols that would bypass the guard. Which of
 * the two switches for WebRTC counts depends on the version of Chromium; each ignores the other. Every site has its own
 * process, which Chromium leaves out where memory is short, and its headless shell everywhere.
 */
export const switches = [
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--no-pings",
  "--dns-over-https-mode=off",
  // Whether someone is signed in to the browser, and what it could update, is asked at no address.
  "--gaia-url=https://127.0.0.1:1",
  "--component-updater=disable-background-downloads,url-source=about:blank",
  `--disable-features=${disabledFeatures.join(",")}`,
  "--no-first-run",
  "--no-default-browser-check",
  "--site-per-process",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"
]

/**
 * The switches of a browser that reaches everything through a proxy on loopback, loopback itself included. The proxy
 * resolves every name: otherwise the browser itself would look up the names in WebRTC candidates. Names under `.local`
 * get an address of a block without hosts, because a name that is mapped to nothing is still asked for by multicast
 * DNS.
 */
export const behind = (server: string): ReadonlyArray<string> => [
  `--proxy-server=${server}`,
  "--proxy-bypass-list=<-loopback>",
  `--host-resolver-rules=MAP *.local 240.0.0.1 , MAP * ~NOTFOUND , EXCLUDE ${new URL(server).hostname}`
]

/** The folder of files for uploads. */
export interface Uploads {
  /** A folder that the browser can read but not write. */
  readonly folder: string
  /** The group through which the browser reads the files; `null` if it has the user of the service. */
  readonly gid: number | null
}

export interface LocalChromium {
  readonly chromium: Chromium
  /** The root process of the browser. */
  readonly pid: number
  readonly confinement: Confinement.Confinement
  /** The user of its processes; `null` for the user of the service. */
  readonly user: Confinement.BrowserUser | null
  /** The folder of downloads. Its content is not trusted, because a page may have taken over the browser. */
  readonly downloads: string
  readonly uploads: Uploads
  /** Its processes; their memory and time are 0 if the system does not report them. */
  readonly processes: () => Promise<ReadonlyArray<PageMemory.Measured>>
  /** Closes the browser, or kills its processes if it does not close, and removes its folders. */
  readonly close: () => Promise<void>
}

/** Maximum wait for a browser to close, in milliseconds. */
const closingMillis = 5_000

const folderPrefix = "sluice-browser-"

const temporaryOf = (folder: string): string => join(folder, "tmp")

/**
 * Ends what was started with the browser of a folder and has outlived it: its crash handlers, which have a group of processes of
 * their own. No switch turns them off: with that for tests, no page of a sandboxed browser opens.
 */
const endProcessesOf = (folder: string): void => {
  for (const pid of Processes.withSetting(`TMPDIR=${temporaryOf(folder)}`)) Processes.kill(pid)
}

/** The longest folder of temporary files in which Chromium can have its socket: a system takes a path of 103 bytes at least. */
const longestTemporary = 103 - "/org.chromium.Chromium.XXXXXX/SingletonSocket".length

/** Starts a browser in the first of these confinements that the system allows. */
export const start = async (
  executablePath: string,
  args: ReadonlyArray<string>,
  confinements: ReadonlyArray<Confinement.Confinement>
): Promise<LocalChromium> => {
  const [first, ...weaker] = confinements
  if (first === undefined) throw new Error("no confinement is left to start the browser in")
  try {
    return await launch(executablePath, args, first)
  } catch (error) {
    if (weaker.length === 0 || !Confinement.isSandboxRefused(error)) throw error
    return start(executablePath, args, weaker)
  }
}

/** The folders of one browser, and the program that starts it. */
const prepare = (
  executablePath: string,
  user: Confinement.BrowserUser | null,
  { sandbox }: Confinement.Confinement
) => {
  const folder = mkdtempSync(join(tmpdir(), folderPrefix))
  claim(folder, null)
  const downloads = join(folder, "downloads")
  const home = join(folder, "home")
  const temporary = temporaryOf(folder)
  const uploads = join(folder, "uploads")
  if (user !== null) chmodSync(folder, 0o711)
  Confinement.folderOf(user, downloads)
  Confinement.folderOf(user, home)
  Confinement.folderOf(user, temporary)
  mkdirSync(uploads, { mode: 0o700 })
  if (user !== null) {
    chownSync(uploads, 0, user.gid)
    chmodSync(uploads, 0o710)
  }
  const program = resolve(executablePath)
  return {
    folder,
    downloads,
    uploads: { folder: uploads, gid: user?.gid ?? null } satisfies Uploads,
    program: user === null ? program : Confinement.launcher(folder, user, sandbox, program),
    environment: {
      ...environmentOf(process.env),
      ...(temporary.length > longestTemporary ? {} : { TMPDIR: temporary }),
      ...(user === null ? {} : { HOME: home })
    }
  }
}

const launch = async (
  executablePath: string,
  args: ReadonlyArray<string>,
  confinement: Confinement.Confinement
): Promise<LocalChromium> => {
  const { release, user } = Confinement.hold(confinement)
  let folder: string | null = null
  let pid = 0
  let profile: string | null = null
  let started: Chromium | null = null
  const clear = () => {
    release()
    if (folder !== null) endProcessesOf(folder)
    remove(folder, profile)
  }
  try {
    const prepared = prepare(executablePath, user, confinement)
    folder = prepared.folder
    const { chromium } = await load()
    const browser = await chromium.launch({
      executablePath: prepared.program,
      chromiumSandbox: confinement.sandbox,
      env: prepared.environment,
      args: [...switches, ...args],
      // Playwright disables the flooding protection, but a flooding page would slow down other runs.
      ignoreDefaultArgs: ["--disable-ipc-flooding-protection"],
      artifactsDir: folder,
      downloadsPath: prepared.downloads,
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false
    })
    started = browser
    const devTools = await browser.newBrowserCDPSession()
    const processInfo = await processesOf(devTools)
    pid = processInfo.find(({ type }) => type === "browser")?.id ?? 0
    const argument = Processes.wordsOf(pid).find((word) => word.startsWith("--user-data-dir="))
    profile = argument?.slice(argument.indexOf("=") + 1) ?? null
    claim(folder, profile)
    const birth = Processes.birthOf(pid)
    const end = () => {
      if (pid > 0 && birth !== null && Processes.birthOf(pid) === birth) Processes.kill(pid)
    }
    return {
      chromium: browser,
      pid,
      confinement,
      user,
      downloads: prepared.downloads,
      uploads: prepared.uploads,
      processes: async () =>
        (await processesOf(devTools)).map(({ id, type }) => ({
          pid: id,
          type,
          bytes: Processes.ownMemory(id),
          time: Processes.processorTime(id)
        })),
      close: async () => {
        await within(closingMillis, browser.close())
        end()
        clear()
      }
    }
  } catch (error) {
    if (started !== null) await within(closingMillis, started.close())
    if (pid > 0) Processes.kill(pid)
    clear()
    throw error
  }
}

/** The environment variables of the service that a browser needs to find its libraries, its fonts and its time zone. */
const passed = new Set([
  ...["PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TZDIR", "TMPDIR"],
  ...["LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_DIRS", "CHROME_DEVEL_SANDBOX"],
  // Windows
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA"],
  ...["USERPROFILE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)"]
])

/**
 * The environment of a browser: what it needs of that of the service and nothing else, as pages run in it, and a locale in
 * which the names of files can be written in any script.
 */
export const environmentOf = (env: Readonly<Record<string, string | undefined>>): Record<string, string> => {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && (passed.has(name.toUpperCase()) || /^LC_[A-Z]+$/.test(name)) ? [[name, value] as const] : []
  )
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ""
  return { ...Object.fromEntries(kept), ...(/utf-?8/i.test(locale) ? {} : { LC_ALL: "C.UTF-8" }) }
}

const processesOf = async (devTools: CDPSession) => (await devTools.send("SystemInfo.getProcessInfo")).processInfo

interface Claim {
  readonly host: string
  readonly pid: number
  readonly birth: string | null
  readonly profile: string | null
}

const claimFile = "owner.json"

/** Records the process of a folder, and its profile folder. */
const claim = (folder: string, profile: string | null): void => {
  const { pid } = process
  const mine: Claim = { host: hostname(), pid, birth: Processes.birthOf(pid), profile }
  writeFileSync(join(folder, claimFile), JSON.stringify(mine), { mode: 0o600 })
}

const remove = (folder: string | null, profile: string | null): void => {
  for (const one of [profile, folder]) {
    try {
      if (one !== null) rmSync(one, { recursive: true, force: true, maxRetries: 3 })
    } catch {}
  }
}

/** Removes the folders of processes of this machine that ended without removing them. */
export const sweep = (): void => {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(folderPrefix))
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const owner = ownerOf(folder)
    // Without its start time a process cannot be distinguished from a later one with the same id.
    if (owner === null || owner.host !== hostname() || owner.birth === null) continue
    if (Processes.birthOf(owner.pid) === owner.birth) continue
    endProcessesOf(folder)
    remove(folder, isProfile(owner.profile) ? owner.profile : null)
  }
}

/**
 * The age after which a profile that no browser has locked is removed, in milliseconds. A younger one may just be starting,
 * which takes at most three minutes.
 */
const beginningMillis = 300_000

/**
 * Removes the profiles of browsers that ended after their process, which had not noted them. A browser that runs has its
 * profile in its arguments, or its lock in the profile: a link to `host-pid`, that of another machine included.
 */
export const sweepProfiles = (now: number): void => {
  const used = Processes.words()
  // Without information about processes, every folder may be in use.
  if (used.size === 0) return
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith("playwright_chromiumdev_profile-"))) {
    const profile = join(tmpdir(), name)
    if (used.has(`--user-data-dir=${profile}`)) continue
    const lock = lockOf(profile)
    const isOver = lock === null ? changedAt(profile) < now - beginningMillis : isOfDead(lock)
    if (isOver) remove(null, profile)
  }
}

const lockOf = (profile: string): string | null => {
  try {
    return readlinkSync(join(profile, "SingletonLock"))
  } catch {
    return null
  }
}

/** Whether a lock is that of a process of this machine that has ended. */
const isOfDead = (lock: string): boolean =>
  lock.startsWith(`${hostname()}-`) && Processes.birthOf(Number(lock.slice(hostname().length + 1))) === null

const changedAt = (folder: string): number => {
  try {
    return statSync(folder).mtimeMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const isProfile = (path: string | null): boolean => path?.startsWith(join(tmpdir(), "playwright_")) === true

const ownerOf = (folder: string): Claim | null => {
  try {
    // Only this file writes claims.
    return JSON.parse(readFileSync(join(folder, claimFile), "utf8")) as Claim
  } catch {
    return null
  }
}
