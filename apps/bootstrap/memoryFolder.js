// @ts-check
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { freemem } from "node:os"
import { join } from "node:path"

const gibibyte = 1_073_741_824

/** The file system in memory that Linux has for all users. */
const shared = "/dev/shm"

/** @param {string} path */
const remove = (path) => {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // A process that is still ending wrote to it. The next run removes it.
  }
}

/** Removes the folders of processes that were killed. They would occupy memory until the machine restarts. */
const sweep = () => {
  for (const name of readdirSync(shared)) {
    const pid = /^sluice-(\d+)-/.exec(name)?.[1]
    if (pid === undefined) continue
    try {
      process.kill(Number(pid), 0)
    } catch (error) {
      if (Object(error).code === "ESRCH") remove(join(shared, name))
    }
  }
}

/**
 * A new folder in memory for the temporary files of tests, which open hundreds of small databases; `null` where memory is
 * scarce, where programs may not be run from it, or where the user chose a folder for temporary files. It is removed when
 * this process ends.
 *
 * @returns {string | null}
 */
export const memoryFolder = () => {
  if (process.platform !== "linux" || process.env.TMPDIR !== undefined) return null
  let folder = null
  try {
    sweep()
    const { bavail, bsize } = statfsSync(shared)
    if (bavail * bsize < 4 * gibibyte || freemem() < 8 * gibibyte) return null
    // Sockets are made in it: their paths have at most 107 bytes.
    const made = mkdtempSync(join(shared, `sluice-${process.pid}-`))
    folder = made
    const program = join(folder, "probe")
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 })
    execFileSync(program)
    rmSync(program)
    // As in /tmp: browsers with users of their own make files there.
    chmodSync(folder, 0o1777)
    process.once("exit", () => remove(made))
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130))
    return folder
  } catch {
    if (folder !== null) remove(folder)
    return null
  }
}
