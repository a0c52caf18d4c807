/**
 * The packages as a stranger has them: built, packed and unpacked into an empty folder. Each finds the dependencies that
 * its description names, and no others.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { packages } from "../../apps/bootstrap/packages.js"
import { root, type Source } from "../support/Source.ts"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly gitHead?: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: unknown
}

export interface Installed {
  readonly name: string
  readonly folder: string
  readonly manifest: Manifest
  /** Its scripts and declarations. */
  readonly files: ReadonlyArray<Source>
  readonly paths: ReadonlyArray<string>
}

/** Links a package of the checkout into a folder. */
const link = (name: string, folder: string): void => {
  const place = join(folder, "node_modules", name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(join(root, "node_modules", name), place, "junction")
}

export const textOf = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8")

/** Builds and packs every package into a new folder of the system. */
export const pack = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-packages-"))
  const run = (program: string, args: ReadonlyArray<string>) =>
    execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
  run(process.execPath, [join(root, "apps/bootstrap/build.js"), join(folder, "dist")])
  run(npm, ["pack", "--silent", "--ignore-scripts", "--offline", ...packages.map((one) => `./dist/${one.folder}`)])
  return folder
}

/** The archive of a package in the folder that it was packed into. */
export const archiveOf = (name: string, folder: string): string => {
  const pattern = new RegExp(`^${name.replace("@", "").replace("/", "-")}-\\d.*\\.tgz$`)
  return readdirSync(folder).find((file) => pattern.test(file)) ?? name
}

const npm = process.platform === "win32" ? "npm.cmd" : "npm"

/** Installs every package in a new folder of the system. */
export const install = (): { readonly folder: string; readonly packages: ReadonlyArray<Installed> } => {
  const folder = pack()
  link("effect", folder)
  link("@types/node", folder)
  link("fast-check", folder)
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }')
  const installed = packages.map(({ name }) => {
    const place = join(folder, "node_modules", name)
    mkdirSync(place, { recursive: true })
    execFileSync("tar", ["-xzf", join(folder, archiveOf(name, folder)), "-C", place, "--strip-components=1"])
    const manifest: Manifest = JSON.parse(textOf(place, "package.json"))
    for (const one of Object.keys(manifest.dependencies)) link(one, place)
    const paths = readdirSync(place, { recursive: true, encoding: "utf8" })
      .map((path) => path.split("\\").join("/"))
      .filter((path) => !path.startsWith("node_modules"))
    const files = paths
      .filter((path) => /\.(js|d\.ts)$/.test(path) && !path.startsWith(".cache/"))
      .map((path) => ({ path, text: textOf(place, path) }))
    return { name, folder: place, manifest, files, paths }
  })
  return { folder, packages: installed }
}
