/** The version of this build, as in `0.1.0+1b2c3d4e5f60`. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "")

/** The commit of a checkout, as Git keeps it, without running Git; `null` where there is none. */
export const commitOf = (checkout: string): string | null => {
  const dot = join(checkout, ".git")
  const isFolder = statSync(dot, { throwIfNoEntry: false })?.isDirectory() ?? false
  // A further worktree has a file here, which names its folder; branches are in that of the repository.
  const own = isFolder ? dot : resolve(checkout, /^gitdir: (.+)$/m.exec(textOf(dot))?.[1] ?? ".git")
  const shared = resolve(own, textOf(join(own, "commondir")).trim())
  const head = textOf(join(own, "HEAD")).trim()
  const branch = /^ref: (refs\/\S+)$/.exec(head)?.[1]
  if (branch === undefined) return isCommit(head) ? head : null
  const loose = textOf(join(shared, branch)).trim()
  if (isCommit(loose)) return loose
  const line = textOf(join(shared, "packed-refs"))
    .split("\n")
    .find((one) => one.endsWith(` ${branch}`))
  const packed = line?.split(" ")[0] ?? ""
  return isCommit(packed) ? packed : null
}

const isCommit = (text: string): boolean => /^[0-9a-f]{40,64}$/.test(text)

/** The version in a manifest and the commit: `gitHead` of the manifest of a package, or else that of the checkout. */
export const versionOf = (folder: string): string => {
  const written: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const { gitHead, version = "unknown" } = Object(written)
  const commit = typeof gitHead === "string" && isCommit(gitHead) ? gitHead : commitOf(folder)
  return commit === null ? String(version) : `${String(version)}+${commit.slice(0, 12)}`
}

/** The version of the package, with the commit that it was made from where that is known. */
export const version = versionOf(dirname(fileURLToPath(new URL("../../package.json", import.meta.url))))
