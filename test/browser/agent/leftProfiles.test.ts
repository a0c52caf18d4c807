import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { afterEach, beforeEach } from "vitest"
import * as LocalChromium from "../../../adapters/playwright/LocalChromium.ts"

const usual = process.env.TMPDIR
let folder = ""

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-tests-"))
  process.env.TMPDIR = folder
})

afterEach(() => {
  if (usual === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = usual
  rmSync(folder, { recursive: true })
})

const make = (name: string, lock: string | null) => {
  const path = join(folder, `playwright_chromiumdev_profile-${name}`)
  mkdirSync(path)
  if (lock !== null) symlinkSync(lock, join(path, "SingletonLock"))
  return path
}

it.skipIf(process.platform !== "linux")(
  "profiles of browsers that have ended are removed, and those without a lock after five minutes",
  () => {
    const made = {
      left: make("left", null),
      dead: make("dead", `${hostname()}-999999999`),
      alive: make("alive", `${hostname()}-${process.pid}`),
      elsewhere: make("elsewhere", "another-machine-1")
    }
    const left = () => Object.entries(made).flatMap(([name, path]) => (existsSync(path) ? [name] : []))
    LocalChromium.sweepProfiles(Date.now() + 200_000)
    assert.deepStrictEqual(left(), ["left", "alive", "elsewhere"])
    LocalChromium.sweepProfiles(Date.now() + 400_000)
    assert.deepStrictEqual(left(), ["alive", "elsewhere"])
  }
)
