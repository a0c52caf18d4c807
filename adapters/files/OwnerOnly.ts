/** Restricts files to their owner. Does nothing on systems without such modes, such as Windows. */
import { chmodSync, lstatSync, readdirSync, type Stats } from "node:fs"
import { join } from "node:path"

const others = 0o077

/**
 * Removes all rights of other users from a file, or from a folder and everything in it. Links are neither changed nor
 * followed. Returns the paths that other users still have rights to, because this process may not change them.
 */
export const restrictAll = (path: string): ReadonlyArray<string> => {
  const stats = statsOf(path)
  if (stats === null) return []
  const refused = restrict(path)
  if (!stats.isDirectory()) return refused
  return [...refused, ...readdirSync(path).flatMap((name) => restrictAll(join(path, name)))]
}

/** Like `restrictAll`, for one file, or for one folder without what is in it. */
export const restrict = (path: string): ReadonlyArray<string> => {
  const stats = statsOf(path)
  if (stats === null || (stats.mode & others) === 0) return []
  try {
    chmodSync(path, stats.mode & 0o700)
    return isOpen(path) ? [path] : []
  } catch {
    return [path]
  }
}

/** Whether other users have rights to a file or a folder. */
export const isOpen = (path: string): boolean => ((statsOf(path)?.mode ?? 0) & others) !== 0

/** `null` for paths without a mode: links, sockets, and files removed in the meantime. */
const statsOf = (path: string): Stats | null => {
  if (process.platform === "win32") return null
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && (stats.isFile() || stats.isDirectory()) ? stats : null
}
