/** The first start on a new machine, interrupted while npm installs something, and started again. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { root } from "../../support/Source.ts"

const name = `node-${process.platform}-${process.arch}`

/** As npm: it takes a package whose folder is there for installed. With `INTERRUPTED`, it and its parent end halfway. */
const npm = `#!/bin/sh
echo "$1" >> "${"$"}CALLS"
if [ "$1" = install ]; then modules="$3/node_modules"; else modules="$PWD/node_modules"; rm -rf "$modules"/[!.]*; fi
[ -d "$modules/${name}" ] && exit 0
mkdir -p "$modules/${name}/bin"
if [ -n "$INTERRUPTED" ]; then kill -9 $PPID; exit 1; fi
printf '#!/bin/sh\\necho v24.21.0\\n' > "$modules/${name}/bin/node"
chmod +x "$modules/${name}/bin/node"
`

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-first-"))
  cpSync(join(root, "apps/bootstrap"), join(folder, "apps/bootstrap"), { recursive: true })
  writeFileSync(join(folder, "package.json"), `{"type":"module"}`)
  writeFileSync(join(folder, "package-lock.json"), "one")
  mkdirSync(join(folder, "programs"))
  mkdirSync(join(folder, "node_modules"))
  writeFileSync(join(folder, "programs/npm"), npm, { mode: 0o755 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const call = (module: string, expression: string, isInterrupted: boolean) => {
  const script = `Object.defineProperty(process, "version", { value: "v18.0.0" })
    const one = await import(${JSON.stringify(join(folder, "apps/bootstrap", module))}); console.log(one.${expression})`
  return spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: {
      ...process.env,
      SLUICE_NODE: "",
      PATH: `${join(folder, "programs")}${delimiter}${process.env.PATH}`,
      CALLS: join(folder, "calls"),
      INTERRUPTED: isInterrupted ? "1" : ""
    }
  })
}

const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n")

describe.skipIf(process.platform === "win32")("an installation that is interrupted", () => {
  it.each([
    ["its Node", "node.js", "suitableNode()", ".cache"],
    [
      "packages that a folder locks",
      "locked.js",
      `installLocked({ source: ".", name: "runtimes", what: "runtimes" })`,
      ".cache/runtimes"
    ]
  ])("is never taken for a whole one, and leaves nothing: %s", (_, module, expression, place) => {
    assert.strictEqual(call(module, expression, true).signal, "SIGKILL")
    const again = call(module, expression, false)
    assert.strictEqual(again.status, 0, again.stderr)
    const made = again.stdout.trim()
    assert.isTrue(existsSync(made.endsWith("node") ? made : join(made, "node_modules", name, "bin/node")))
    assert.lengthOf(calls(), 2)
    assert.lengthOf(readdirSync(join(folder, place)), 1)
    // And is not made again.
    assert.strictEqual(call(module, expression, false).stdout.trim(), made)
    assert.lengthOf(calls(), 2)
  })

  it("is repeated for the packages of the project, also those that were whole before", () => {
    const install = (isInterrupted: boolean) => call("dependencies.js", "installDependencies()", isInterrupted)
    assert.strictEqual(install(false).status, 0)
    writeFileSync(join(folder, "package-lock.json"), "two")
    assert.strictEqual(install(true).signal, "SIGKILL")
    writeFileSync(join(folder, "package-lock.json"), "one")
    assert.strictEqual(install(false).status, 0)
    assert.strictEqual(install(false).status, 0)
    assert.deepStrictEqual(calls(), ["ci", "ci", "ci"])
    assert.isTrue(existsSync(join(folder, "node_modules", name, "bin/node")))
  })

  it("of a Chromium by Playwright is not used", () => {
    const place = join(folder, "browsers/chromium-1/chrome-linux64")
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, "chrome"), "")
    process.env.PLAYWRIGHT_BROWSERS_PATH = join(folder, "browsers")
    try {
      const found = () => call("chromium.js", "cached()", false).stdout.trim()
      assert.strictEqual(found(), "undefined")
      writeFileSync(join(folder, "browsers/chromium-1/INSTALLATION_COMPLETE"), "")
      assert.strictEqual(found(), join(place, "chrome"))
    } finally {
      delete process.env.PLAYWRIGHT_BROWSERS_PATH
    }
  })
})
