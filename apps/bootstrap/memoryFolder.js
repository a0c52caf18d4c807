// @ts-check
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { freemem } from "node:os"
import { join } from "node:path"

const gibibyte = 1_073_741_824

/** The in-memory file system of Linux that all users can write to. */
const shared = "/dev/shm"

/** @param {string} path */
const remove = (path) => {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // A process that was still ending wrote to the folder. The next run removes it.
  }
}

/** Removes the folders of killed processes, which would occupy memory until the machine restarts. */
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
 * A new folder in memory for the temporary files of tests, which open hundreds of small databases. It is removed at the end
 * of this process. `null` when memory is scarce, when programs may not run from it, or when the user has set a folder for
 * temporary files.
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
    // The folder contains sockets, whose paths have at most 107 bytes.
    const made = mkdtempSync(join(shared, `sluice-${process.pid}-`))
    folder = made
    const program = join(folder, "probe")
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 })
    execFileSync(program)
    rmSync(program)
    // Writable for all, like /tmp: browsers that run as other users write files there.
    chmodSync(folder, 0o1777)
    process.once("exit", () => remove(made))
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130))
    return folder
  } catch {
    if (folder !== null) remove(folder)
    return null
  }
}
