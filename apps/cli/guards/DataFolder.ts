/**
 * Whether the data folder can be used: it is a folder, it can be written, and its disk has room.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** The room that a disk needs at the start, in bytes: a new embedded database takes most of it. */
const leastRoom = 67_108_864

const mebibyte = 1_048_576

/** The problem of a data folder, in one sentence; `null` when it has none. The folder is made where there is none. */
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

/** Makes a folder and those above it. Node's own way does not end where the system does not let a folder be made. */
const make = (folder: string): void => {
  if (existsSync(folder)) return
  make(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/** Writes a file through to the disk, and removes it. */
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
