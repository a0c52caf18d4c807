/** Checks the data folder: it is a folder, it can be written, and its disk has free space. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** Minimum free space at the start, in bytes. A new embedded database takes most of it. */
const leastRoom = 67_108_864

const mebibyte = 1_048_576

/** The problem of a data folder, as one sentence; `null` for none. Creates a missing folder. */
export const problemOf = (folder: string): string | null => {
  const cannot = `Cannot use the data folder ${folder} (SLUICE_DATA_DIR)`
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) return `${cannot}: it is a file`
    make(resolve(folder))
    const { bavail, bsize } = statfsSync(folder)
    const room = bavail * bsize
    if (room < leastRoom) {
      return `${cannot}: its disk has ${Math.floor(room / mebibyte)} MB left, and at least ${leastRoom / mebibyte} MB are needed`
    }
    write(join(folder, `.writable.${process.pid}`))
    return null
  } catch (error) {
    return `${cannot}: it cannot be written: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Makes a folder and its parents. Node's recursive `mkdirSync` does not end if the system refuses to make a folder. */
const make = (folder: string): void => {
  if (existsSync(folder)) return
  make(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/** Writes a file, syncs it to disk, and removes it. */
const write = (file: string): void => {
  const handle = openSync(file, "w", 0o600)
  try {
    writeSync(handle, "sluice")
    fsyncSync(handle)
  } finally {
    closeSync(handle)
    rmSync(file, { force: true })
  }
}
