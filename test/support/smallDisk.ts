/** A disk for one test, in memory, which can be full. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** A disk of so many MB at a folder, until the scope closes. It is not mounted where this user may not. */
export const smallDisk = (megabytes: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "sluice-disk-"))
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], {
        stdio: "ignore"
      })
      return { folder, isMounted: mounted.status === 0 }
    }),
    ({ folder, isMounted }) =>
      Effect.sync(() => {
        if (isMounted) spawnSync("umount", [folder])
        rmSync(folder, { recursive: true, force: true })
      })
  )

/** Gives the disk at a folder this many bytes. False where it has more in it. */
export const resize = (folder: string, bytes: number): boolean =>
  spawnSync("mount", ["-o", `remount,size=${bytes}`, folder], { stdio: "ignore" }).status === 0
