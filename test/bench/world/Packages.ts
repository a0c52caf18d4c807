/**
 * Installs applications in folders of their own, from npm and from the archive of Debian. Nothing is installed on the
 * machine, and what is there already is not fetched again.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Fills a folder, unless that was done before. A folder that was left half filled is filled from the beginning. */
const filled = async (folder: string, fill: (fresh: string) => Promise<void>): Promise<string> => {
  if (existsSync(folder)) return folder
  const fresh = `${folder}.part`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })
  await fill(fresh)
  await rename(fresh, folder)
  return folder
}

/** Installs a package of npm, without the scripts of packages. `overrides` replaces versions that no longer exist. */
export const npm = (folder: string, name: string, version: string, overrides: Record<string, string> = {}) =>
  filled(join(folder, `${name}-${version}`), async (fresh) => {
    await writeFile(join(fresh, "package.json"), JSON.stringify({ dependencies: { [name]: version }, overrides }))
    await run("npm", ["install", "--prefix", fresh, "--no-audit", "--no-fund", "--ignore-scripts"])
  })

/**
 * Unpacks packages of Debian into a folder as if it were the root of a machine. The first one has a fixed version.
 *
 * PHP scripts that name their files by absolute paths name those in the folder instead.
 */
export const debian = (folder: string, name: string, version: string, others: ReadonlyArray<string>) =>
  // Without the epoch: a colon divides paths where programs look for their libraries.
  filled(join(folder, `${name}-${version.replace(/^\d+:/, "")}`), async (fresh) => {
    const names = [`${name}=${version}`, ...others]
    const missing = (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      const help = "Expected Debian 12 with its archive; apt-get update reads the list of its packages"
      return new Error(`Cannot fetch the packages ${names.join(", ")}: ${reason}. ${help}`)
    }
    await run("apt-get", ["download", ...names], { cwd: fresh }).catch((error: unknown) =>
      Promise.reject(missing(error))
    )
    for (const file of await readdir(fresh)) {
      if (!file.endsWith(".deb")) continue
      await run("dpkg", ["-x", join(fresh, file), fresh])
      await rm(join(fresh, file))
    }
    await relocate(fresh, fresh.replace(/\.part$/, ""))
  })

/** Paths of packages on a machine. */
const absolute = /(?<=['"\s(])\/(?=(usr\/share|etc|var\/lib|var\/cache)\/[a-z])/g

const relocate = async (folder: string, root: string): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) {
      const target = await readlink(path)
      if (!target.startsWith("/")) continue
      await rm(path)
      await symlink(relative(dirname(path), join(folder, target)), path)
    } else if (entry.isFile() && entry.name.endsWith(".php")) {
      const text = await readFile(path, "utf8")
      const moved = text.replace(absolute, `${root}/`)
      if (moved !== text) await writeFile(path, moved)
    }
  }
}
