// @ts-check
/**
 * Makes the files of a release: `node release.js [--dry-run] [--set VERSION] [FOLDER]`. The same commit gives the same
 * files.
 *
 * - `--set VERSION` writes a version into every file that contains it, gives the unreleased changes its heading, and ends.
 * - `--dry-run` makes the files from any commit. Without it, a release needs a clean checkout and its section of the
 *   changelog, and is tagged.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { billOf } from "./bom.js"
import { root } from "./run.js"
import { BootstrapError, say } from "./say.js"

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), "utf8")

/** The files that contain the version: `package.json`, and those that repeat it. */
const places = [
  { path: "package.json", pattern: /^( {2}"version": ")([^"]+)/gm, times: 1 },
  { path: "package-lock.json", pattern: /^((?: {2}| {6})"version": ")([^"]+)/gm, times: 2 },
  { path: "deploy/helm/Chart.yaml", pattern: /^((?:version|appVersion): )(\S+)/gm, times: 2 }
]

/** @param {(typeof places)[number]} place */
const foundIn = ({ path, pattern, times }) => [...read(path).matchAll(pattern)].slice(0, times)

/** The places with another version than `package.json`. */
export const otherVersions = () => {
  const { version } = JSON.parse(read("package.json"))
  return places.flatMap((place) =>
    foundIn(place).flatMap(([, , own]) => (own === version ? [] : [`${place.path} says ${own} in place of ${version}`]))
  )
}

/**
 * Writes a version into every file that contains it.
 *
 * @param {string} version
 * @param {string} day such as 2026-10-01
 */
export const setVersion = (version, day) => {
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version)) {
    throw new BootstrapError(`Cannot set the version "${version}": expected one such as 0.2.0`)
  }
  for (const place of places) {
    let left = place.times
    const text = read(place.path).replace(place.pattern, (all, before) => (left-- > 0 ? `${before}${version}` : all))
    writeFileSync(join(root, place.path), text)
  }
  const changes = read("CHANGELOG.md")
  writeFileSync(
    join(root, "CHANGELOG.md"),
    changes.replace("## Unreleased\n", `## Unreleased\n\n## ${version} (${day})\n`)
  )
}

/**
 * The section of the changelog of a version; `null` when there is none.
 *
 * @param {string} changes
 * @param {string} heading
 */
export const sectionOf = (changes, heading) => {
  const part = changes.split(/^## /m).find((one) => one === heading || /^(\S+)/.exec(one)?.[1] === heading)
  return part === undefined ? null : part.slice(part.indexOf("\n") + 1).trim()
}

/** @param {string} program @param {ReadonlyArray<string>} args */
const output = (program, args, cwd = root) => {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd, maxBuffer: 1 << 30 })
  if (status !== 0) throw new BootstrapError(`${program} ${args[0]} failed: ${String(stderr).trim()}`)
  return stdout
}

/** The sources of an image: the paths that `deploy/Dockerfile` copies. */
const contextPaths = ["package.json", "package-lock.json", ".npmrc", "apps", "adapters", "core", "deploy"]

/**
 * An archive of the files of the current commit. Its bytes depend on them alone.
 *
 * @param {string} prefix
 * @param {ReadonlyArray<string>} paths
 */
const archive = (prefix, paths) =>
  gzipSync(output("git", ["archive", "--format=tar", `--prefix=${prefix}/`, "HEAD", "--", ...paths]))

/**
 * The packages of the checkout, packed by npm.
 *
 * @param {string} node
 * @param {string} folder
 */
const pack = (node, folder) => {
  if (!existsSync(join(root, "apps/bootstrap/build.js"))) return say("There are no packages to build")
  const built = mkdtempSync(join(tmpdir(), "sluice-release-"))
  try {
    output(node, ["apps/bootstrap/build.js", built])
    for (const name of readdirSync(built).sort()) {
      if (existsSync(join(built, name, "package.json"))) {
        output("npm", ["pack", "--silent", "--pack-destination", folder], join(built, name))
      }
    }
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
}

/**
 * Makes the files in an empty folder.
 *
 * @param {string} folder
 * @param {{ readonly node: string, readonly heading: string, readonly withPackages: boolean }} options
 */
export const makeFiles = (folder, { heading, node, withPackages }) => {
  const lock = JSON.parse(read("package-lock.json"))
  const name = `sluice-${lock.version}`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.tar.gz`), archive(name, ["."]))
  writeFileSync(join(folder, `${name}-image.tar.gz`), archive(`${name}-image`, contextPaths))
  writeFileSync(join(folder, `${name}.cdx.json`), `${JSON.stringify(billOf(lock), null, 2)}\n`)
  writeFileSync(join(folder, "NOTES.md"), `${sectionOf(read("CHANGELOG.md"), heading) ?? ""}\n`)
  if (withPackages) pack(node, folder)
  const sums = readdirSync(folder)
    .sort()
    .map(
      (file) =>
        `${createHash("sha256")
          .update(readFileSync(join(folder, file)))
          .digest("hex")}  ${file}\n`
    )
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""))
  return sums
}

/**
 * @param {string} node
 * @param {ReadonlyArray<string>} args
 */
export const release = (node, args) => {
  const isTrial = args.includes("--dry-run")
  const set = args.indexOf("--set")
  if (set >= 0) return setVersion(args[set + 1] ?? "", new Date().toISOString().slice(0, 10))
  const others = otherVersions()
  if (others.length > 0) throw new BootstrapError(`${others.join("\n")}\nRun npm run release -- --set VERSION`)
  const { version } = JSON.parse(read("package.json"))
  const isNoted = sectionOf(read("CHANGELOG.md"), version) !== null
  const changed = String(output("git", ["status", "--porcelain"])).trim()
  if (!isTrial && (!isNoted || changed !== "")) {
    throw new BootstrapError(
      isNoted
        ? `Cannot release a checkout with changes:\n${changed}`
        : `CHANGELOG.md has no section ${version}: run npm run release -- --set ${version}, and commit`
    )
  }
  if (changed !== "") say("The files are those of the last commit, without later changes")
  const named = args.find((one) => !one.startsWith("--"))
  const folder = resolve(named ?? join(root, "dist", "release"))
  const sums = makeFiles(folder, { node, heading: isNoted ? version : "Unreleased", withPackages: true })
  process.stdout.write(sums.join(""))
  if (isTrial) return say(`Nothing was tagged. The files are in ${folder}`)
  output("git", ["tag", "--annotate", "--message", `Sluice ${version}`, `v${version}`])
  say(`Tagged v${version}: push the tag, and the workflow of releases publishes it`)
}
