// @ts-check
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"

/**
 * Makes a folder, unless it is there: as a whole, or not at all. `make` fills a draft beside it, which then gets its name. What is
 * interrupted leaves a draft, which the next call removes once its process has ended; several processes may do it at once.
 *
 * @param {string} folder
 * @param {(draft: string) => void} make
 */
export const makeWhole = (folder, make) => {
  if (existsSync(folder)) return
  mkdirSync(dirname(folder), { recursive: true })
  removeLeft(folder)
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft)
  try {
    make(draft)
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another process was first.
    if (!existsSync(folder)) throw error
  }
}

/** @param {string} folder */
const removeLeft = (folder) => {
  for (const name of readdirSync(dirname(folder))) {
    const pid = name.startsWith(`${basename(folder)}.`) ? /\.(\d+)$/.exec(name)?.[1] : undefined
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    rmSync(join(dirname(folder), name), { recursive: true, force: true })
  }
}

/** @param {number} pid */
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return Object(error).code !== "ESRCH"
  }
}
