import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { currentProgram, stateOf } from "../../../apps/bootstrap/program.js"
import { Ajv } from "../../../apps/bootstrap/standIn/ajv.js"
import jsonata from "../../../apps/bootstrap/standIn/jsonata.js"
import { getDomain } from "../../../apps/bootstrap/standIn/tldts.js"
import { unlinted } from "../../../apps/bootstrap/unlinted.js"
import { needsChromium, vitest } from "../../../apps/bootstrap/vitest.js"
import { root } from "../../support/Source.ts"

/** Programs that a user has on `PATH`. npm puts the programs of dependencies before them. */
const ofTheUser = new Set([
  "bun",
  "bunx",
  "corepack",
  "deno",
  "git",
  "node",
  "npm",
  "npx",
  "pnpm",
  "python3",
  "sh",
  "yarn"
])

interface Lock {
  readonly packages: Readonly<Record<string, { readonly bin?: Readonly<Record<string, string>> }>>
}

const shadowing = ({ packages }: Lock): ReadonlyArray<string> =>
  Object.entries(packages).flatMap(([path, { bin = {} }]) =>
    Object.keys(bin)
      .filter((name) => ofTheUser.has(name))
      .map((name) => `${path} brings the program ${name}`)
  )

describe("the programs on PATH", () => {
  it("are not shadowed by a dependency", () => {
    const lock: Lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
    assert.isAbove(Object.keys(lock.packages).length, 100)
    assert.deepStrictEqual(shadowing(lock), [])
  })

  it("would be shadowed by a package that brings a node or a deno", () => {
    const lock = {
      packages: {
        "": {},
        "node_modules/node-temporal": { bin: { node: "bin/node" } },
        "node_modules/deno": { bin: { deno: "bin.cjs" } },
        "node_modules/typescript": { bin: { tsc: "bin/tsc" } }
      }
    }
    assert.lengthOf(shadowing(lock), 2)
  })
})

describe("the installation of packages", () => {
  it("runs no program of a package, wherever the project or its docs install some", () => {
    const places = ["apps/bootstrap", "deploy", ".github", ".ci", "docs", "README.md"]
    const tracked = execFileSync("git", ["ls-files", ...places], { cwd: root, encoding: "utf8" })
      .trim()
      .split("\n")
    const commands = tracked
      .filter((path) => !path.endsWith(".png"))
      .flatMap((path) => {
        const found = readFileSync(join(root, path), "utf8").matchAll(
          /npm ci\b(?!\)).*|npm\(\[\s*"(?:ci|install)"[^\]]*/g
        )
        return [...found].map(([command]) => ({ path, command }))
      })
    assert.isAtLeast(commands.length, 6)
    assert.deepStrictEqual(
      commands.filter(({ command }) => !command.includes("--ignore-scripts")),
      []
    )
  })
})

describe("the bundled program", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-program-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const madeFrom = (states: Readonly<Record<string, string>>) => {
    writeFileSync(join(folder, "sources.json"), JSON.stringify(states))
    return currentProgram(folder)
  }

  it("runs while its sources are as it was made from them", () => {
    assert.isNull(currentProgram(folder))
    const present = { "package.json": stateOf("package.json"), "apps/cli/main.ts": stateOf("apps/cli/main.ts") }
    assert.strictEqual(madeFrom(present), join(folder, "sluice.js"))
    assert.isNull(madeFrom({ ...present, "apps/cli/main.ts": "1 2" }))
    assert.isNull(madeFrom({ ...present, "apps/cli/removed.ts": "1 2" }))
  })
})

describe("the Node that the bootstrap runs", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-node-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "node"), "#!/bin/sh\necho another Node\n")
  chmodSync(join(folder, "node"), 0o755)
  const otherName = join(folder, "nodejs-24")
  symlinkSync(process.execPath, otherName)

  const runScript = new URL("../../../apps/bootstrap/run.js", import.meta.url).href
  /** The program that a program of the bootstrap on `node` gets when it calls `node` by its name. */
  const nodeOfChildren = (node: string): string => {
    const child =
      'console.log(require("child_process").execFileSync("node", ["-p", "process.execPath"], {encoding: "utf8"}))'
    const script = `import { run } from "${runScript}"; run(${JSON.stringify(node)}, ["-e", ${JSON.stringify(child)}], {})`
    return execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` }
    }).trim()
  }

  it("is the one that its children find on PATH", () => {
    assert.strictEqual(nodeOfChildren(process.execPath), realpathSync(process.execPath))
  })

  it("is the one that SLUICE_NODE names, or none: another is fetched only where nothing is named", () => {
    const nodeScript = new URL("../../../apps/bootstrap/node.js", import.meta.url).href
    const script = `import { suitableNode } from "${nodeScript}"; console.log(suitableNode())`
    const chosen = (named: string) =>
      spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        encoding: "utf8",
        env: { ...process.env, SLUICE_NODE: named }
      })
    assert.strictEqual(chosen(otherName).stdout.trim(), otherName)
    const { status, stderr } = chosen(join(folder, "node"))
    assert.strictEqual(status, 1)
    assert.include(stderr, `SLUICE_NODE=${join(folder, "node")} is not Node 22.19 or later`)
  })

  it("is the one that its children find when its program has another name", () => {
    assert.strictEqual(nodeOfChildren(otherName), realpathSync(process.execPath))
  })
})

describe("the test runner", () => {
  it("runs once, and again after each change with --watch", () => {
    assert.strictEqual(vitest(["--project", "unit"])[1], "run")
    assert.strictEqual(vitest(["--project", "unit", "--watch"])[1], "watch")
  })

  it.each([
    [[], true],
    [["--project", "unit"], false],
    [["--project=http", "test/http/api"], false],
    [["--project", "unit", "--project", "browser"], true]
  ] as const)("with %j needs a Chromium: %s", (args, needed) => assert.strictEqual(needsChromium(args), needed))
})

describe("what stands in a bundle for a package that is loaded when it is used", () => {
  it("is used as the package: with new, called, and by its name", () => {
    const validator = Reflect.construct(Ajv, [{}])
    assert.deepStrictEqual(
      ["a", 1].map((value) => validator.validate({ type: "string" }, value)),
      [true, false]
    )
    assert.isFunction(jsonata("1 + 1").evaluate)
    assert.strictEqual(getDomain("a.example.co.uk"), "example.co.uk")
  })
})

describe("the files that are still to be linted", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-linted-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const record = join(folder, ".cache", "linted.json")
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

  it("are all at first, then those that changed, and all again when the rules change", () => {
    execFileSync("git", ["init", "-q"], { cwd: folder })
    write(".gitignore", ".cache/\n")
    write(".biome.json", "{}")
    write("a.ts", "a")
    write("b.ts", "b")
    const all = [".biome.json", ".gitignore", "a.ts", "b.ts"]
    const first = unlinted(folder, record)
    assert.deepStrictEqual(first.files, all)
    assert.deepStrictEqual(unlinted(folder, record).files, all, "nothing was accepted yet")

    // A change while the linter ran was not accepted with the rest.
    write("b.ts", "changed")
    first.accept()
    assert.deepStrictEqual(unlinted(folder, record).files, ["b.ts"])
    write(".biome.json", "{ }")
    assert.deepStrictEqual(unlinted(folder, record).files, all)
  })
})
