// @ts-check
import { existsSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { root, succeeds } from "./run.js"
import { BootstrapError, say } from "./say.js"

const headlessShell = "/usr/lib/chromium/chromium-headless-shell"

const programs = {
  linux: [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/snap/bin/chromium",
    headlessShell
  ],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium"
  ],
  win32: [
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe"
  ]
}

/**
 * The path of a Chromium: `SLUICE_CHROMIUM`, one in a usual place or in Playwright's cache, or a new installation of the
 * distribution's package or, where that is not possible, of Playwright's build.
 */
export const findChromium = () => {
  const named = process.env.SLUICE_CHROMIUM
  if (named !== undefined && named !== "") {
    if (existsSync(named)) return named
    throw new BootstrapError(`SLUICE_CHROMIUM=${named} does not exist: name a Chromium program, or unset it`)
  }
  const found = usual() ?? cached()
  if (found !== undefined) return found
  const program = installPackage("chromium") ? usual() : undefined
  if (program !== undefined) return program
  say("Installing Chromium (playwright-core install) …")
  const cli = join(root, "node_modules", "playwright-core", "cli.js")
  succeeds(process.execPath, [cli, "install", ...(process.getuid?.() === 0 ? ["--with-deps"] : []), "chromium"])
  const own = cached()
  if (own !== undefined) return own
  throw new BootstrapError(
    "No Chromium was found, and none could be installed. Install Chromium or Chrome, or set SLUICE_CHROMIUM to the program"
  )
}

/**
 * The browsers of the tests: for most of them the headless shell of Chromium, where there is one. With
 * `SLUICE_TEST_HEADLESS_SHELL=0`, all use the browser that runs have by default; with a path, that shell.
 */
export const testBrowsers = () => {
  const asked = process.env.SLUICE_TEST_HEADLESS_SHELL ?? ""
  const chromium = { SLUICE_CHROMIUM: findChromium() }
  if (asked === "0") return { ...chromium, SLUICE_TEST_HEADLESS_SHELL: "" }
  if (asked !== "" && !existsSync(asked)) {
    throw new BootstrapError(
      `SLUICE_TEST_HEADLESS_SHELL=${asked}: expected the path of a headless shell of Chromium, or 0 for Chromium itself`
    )
  }
  if (asked !== "") return { ...chromium, SLUICE_TEST_HEADLESS_SHELL: asked }
  const isThere = existsSync(headlessShell) || (installPackage("chromium-headless-shell") && existsSync(headlessShell))
  return isThere ? { ...chromium, SLUICE_TEST_HEADLESS_SHELL: headlessShell } : chromium
}

/**
 * Whether a package of the distribution could be installed.
 *
 * @param {string} name
 */
const installPackage = (name) => {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false
  say(`Installing ${name} (apt-get install ${name}) …`)
  const quiet = { DEBIAN_FRONTEND: "noninteractive" }
  return (
    succeeds("apt-get", ["update", "-qq"], quiet) &&
    succeeds("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], quiet)
  )
}

const usual = () =>
  (programs[/** @type {keyof typeof programs} */ (process.platform)] ?? []).find((path) => existsSync(path))

const homeFolder = () => {
  try {
    return homedir()
  } catch {
    throw new BootstrapError(
      "The user of this process has no home folder: set HOME to a folder that the user may write to"
    )
  }
}

/** The newest Chromium in Playwright's cache that was installed to its end, which Playwright marks by a file. */
export const cached = () => {
  const named = process.env.PLAYWRIGHT_BROWSERS_PATH
  const home = named ? "" : homeFolder()
  const caches = {
    linux: join(home, ".cache", "ms-playwright"),
    darwin: join(home, "Library", "Caches", "ms-playwright"),
    win32: join(process.env.LOCALAPPDATA ?? home, "ms-playwright")
  }
  const inside = {
    linux: ["chrome-linux64/chrome", "chrome-linux/chrome"],
    darwin: [
      "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
      "chrome-mac-arm64/Chromium.app/Contents/MacOS/Chromium"
    ],
    win32: ["chrome-win64\\chrome.exe", "chrome-win\\chrome.exe"]
  }
  const platform = /** @type {keyof typeof caches} */ (process.platform)
  const cache = named || caches[platform]
  if (cache === undefined || !existsSync(cache)) return undefined
  return readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name) && existsSync(join(cache, name, "INSTALLATION_COMPLETE")))
    .sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
    .flatMap((name) => inside[platform].map((path) => join(cache, name, path)))
    .find((path) => existsSync(path))
}
