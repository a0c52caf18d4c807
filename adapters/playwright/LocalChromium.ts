/**
 * A Chromium that runs on this machine, as a process with its children and its folders.
 *
 * It is driven through a pipe: whatever ends this process, `kill -9` included, closes the pipe and so ends Chromium. The
 * folders that are left behind then are removed by the next process that starts one here.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { type CDPSession, type Browser as Chromium, chromium } from "playwright-core"
import * as Processes from "./Processes.ts"
import { within } from "./Within.ts"

/**
 * What Chromium is to do without. Of several such switches the last one counts, so that what Playwright names has to be
 * named again; the others are pages of the browser's own that it would load with every window, though nobody types into
 * its address bar, for more than twice of what a window of a run costs otherwise.
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
  "AimEnabled",
  "PreconnectToSearch",
  "msForceBrowserSignIn",
  "msEdgeUpdateLaunchServicesPreferredVersion",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup"
]

/**
 * What no run needs: background traffic, first-run pages, and protocols that would pass the guard by. Which of the two
 * switches for WebRTC counts depends on the version of Chromium; each ignores the other.
 */
export const switches = [
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${disabledFeatures.join(",")}`,
  "--no-first-run",
  "--no-default-browser-check",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"
]

/**
 * The switches of a browser that reaches everything through a proxy on loopback, loopback itself included. The proxy
 * resolves every name: the browser would otherwise look up the names in WebRTC candidates by itself. Names under `.local`
 * get an address of a block without hosts, because a name that is mapped to nothing is still asked for by multicast DNS.
 */
export const behind = (server: string): ReadonlyArray<string> => [
  `--proxy-server=${server}`,
  "--proxy-bypass-list=<-loopback>",
  `--host-resolver-rules=MAP *.local 240.0.0.1 , MAP * ~NOTFOUND , EXCLUDE ${new URL(server).hostname}`
]

export interface LocalChromium {
  readonly chromium: Chromium
  /** The process that all others of the browser descend from. */
  readonly pid: number
  /** The folder that it saves downloads to. */
  readonly downloads: string
  /** The memory of each of its processes that is its own, in bytes; nothing where the system does not tell. */
  readonly processes: () => Promise<
    ReadonlyArray<{ readonly pid: number; readonly type: string; readonly bytes: number }>
  >
  /** Closes it, or ends its processes where it does not close. Nothing of it is left then. */
  readonly close: () => Promise<void>
}

/** How long a browser may take to close by itself, in milliseconds. */
const closingMillis = 5_000

const folderPrefix = "sluice-browser-"

export const launch = async (executablePath: string, args: ReadonlyArray<string>): Promise<LocalChromium> => {
  const folder = await mkdtemp(join(tmpdir(), folderPrefix))
  claim(folder, null)
  const downloads = join(folder, "downloads")
  let pid = 0
  let profile: string | null = null
  let started: Chromium | null = null
  try {
    const one = await chromium.launch({
      executablePath,
      env: environmentOf(process.env),
      args: [...switches, ...args],
      // Playwright lets pages flood the browser, which would hold up the runs beside them.
      ignoreDefaultArgs: ["--disable-ipc-flooding-protection"],
      artifactsDir: folder,
      downloadsPath: downloads,
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false
    })
    started = one
    const devTools = await one.newBrowserCDPSession()
    const processInfo = await processesOf(devTools)
    pid = processInfo.find(({ type }) => type === "browser")?.id ?? 0
    const told = Processes.wordsOf(pid).find((word) => word.startsWith("--user-data-dir="))
    profile = told?.slice(told.indexOf("=") + 1) ?? null
    claim(folder, profile)
    const birth = Processes.birthOf(pid)
    const end = () => {
      if (pid > 0 && birth !== null && Processes.birthOf(pid) === birth) Processes.kill(pid)
    }
    return {
      chromium: one,
      pid,
      downloads,
      processes: async () =>
        (await processesOf(devTools)).map(({ id, type }) => ({ pid: id, type, bytes: Processes.ownMemory(id) })),
      close: async () => {
        await within(closingMillis, one.close())
        end()
        remove(folder, profile)
      }
    }
  } catch (error) {
    if (started !== null) await within(closingMillis, started.close())
    if (pid > 0) Processes.kill(pid)
    remove(folder, profile)
    throw error
  }
}

/**
 * What a browser has as its environment: nothing of the service's own, as pages run in it, and a locale in which the names of
 * files can be written in any script.
 */
export const environmentOf = (env: Readonly<Record<string, string | undefined>>): Record<string, string> => {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || /^(SLUICE_|DATABASE_URL$|AWS_)/.test(name) ? [] : [[name, value] as const]
  )
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ""
  return { ...Object.fromEntries(passed), ...(/utf-?8/i.test(locale) ? {} : { LC_ALL: "C.UTF-8" }) }
}

const processesOf = async (devTools: CDPSession) => (await devTools.send("SystemInfo.getProcessInfo")).processInfo

interface Claim {
  readonly host: string
  readonly pid: number
  readonly birth: string | null
  readonly profile: string | null
}

const claimFile = "owner.json"

/** Notes whose a folder is, and which other one belongs to it. */
const claim = (folder: string, profile: string | null): void => {
  const { pid } = process
  const mine: Claim = { host: hostname(), pid, birth: Processes.birthOf(pid), profile }
  writeFileSync(join(folder, claimFile), JSON.stringify(mine))
}

const remove = (folder: string, profile: string | null): void => {
  for (const one of [profile, folder]) {
    try {
      if (one !== null) rmSync(one, { recursive: true, force: true, maxRetries: 3 })
    } catch {}
  }
}

/** Removes the folders of processes of this machine that ended without doing so. */
export const sweep = (): void => {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(folderPrefix))
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const owner = ownerOf(folder)
    // Without a birth nothing tells a process from a later one of its id.
    if (owner === null || owner.host !== hostname() || owner.birth === null) continue
    if (Processes.birthOf(owner.pid) !== owner.birth) remove(folder, isProfile(owner.profile) ? owner.profile : null)
  }
}

const isProfile = (path: string | null): boolean => path?.startsWith(join(tmpdir(), "playwright_")) === true

const ownerOf = (folder: string): Claim | null => {
  try {
    return JSON.parse(readFileSync(join(folder, claimFile), "utf8")) as Claim
  } catch {
    return null
  }
}
