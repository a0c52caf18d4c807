import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, normalize, posix } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { rolldown } from "rolldown"
import { comparing, embedding } from "../../docs/Examples.ts"
import { fencesOf } from "../../docs/Pages.ts"
import { type Installed, install, type Manifest, textOf } from "../../packages/Installed.ts"
import { entriesOf, expected, mistakes, program, strict } from "../../packages/Programs.ts"
import { unreachable } from "../../packages/Unreachable.ts"
import { testMillis } from "../../support/limits.ts"
import { root } from "../../support/Source.ts"
import { isAll } from "../../support/scale.ts"
import { loadedBy } from "../../unit/layout/Modules.ts"

let folder = ""
let packages: ReadonlyArray<Installed> = []

beforeAll(() => {
  ;({ folder, packages } = install())
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const named = (name: string): Installed => {
  const found = packages.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no package ${name}`)
  return found
}

/** What a program that installs the libraries brings, so that there is one copy. */
const peersOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@sluice/core": ["effect"],
  "@sluice/testing": ["@sluice/core", "effect"],
  "@sluice/client": ["effect"]
}

/** The programs that packages bring. */
const programsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sluice: { sluice: "bin/sluice.js" },
  "@sluice/conformance": { "sluice-conformance": "bin/sluice-conformance.js" }
}

const run = (program: string, args: ReadonlyArray<string>): string => {
  const done = spawnSync(program, args, { cwd: folder, encoding: "utf8", timeout: testMillis })
  assert.strictEqual(done.status, 0, `${program} ${args.join(" ")}\n${done.stdout}${done.stderr}`)
  return done.stdout
}

/** Deno, where the other tests have installed it. */
const deno = (): string | undefined => {
  const runtimes = join(root, ".cache", "runtimes")
  if (!existsSync(runtimes)) return undefined
  return readdirSync(runtimes)
    .map((name) => join(runtimes, name, "node_modules", "@deno"))
    .filter((scope) => existsSync(scope))
    .flatMap((scope) => readdirSync(scope).map((target) => join(scope, target, "deno")))
    .find((program) => existsSync(program))
}

/** The modules that a file names: those that it loads, and those of its types. */
const modulesOf = (file: { readonly path: string; readonly text: string }): ReadonlyArray<string> => {
  if (file.path.endsWith(".js")) return loadedBy(file)
  const code = file.text.replace(/\/\*[\s\S]*?\*\//g, "")
  return [...code.matchAll(/(?:\bfrom |\bimport\(|^import )"([^"]+)"/gm)].map(([, module = ""]) =>
    module.startsWith(".") ? normalize(posix.join(posix.dirname(file.path), module)) : module
  )
}

const isOwn = (module: string): boolean => /^(core|adapters|apps|test|bin|shared)\//.test(module)

const packageOf = (module: string): string =>
  module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/")

/** Bytes of a module in a bundle that shares Effect, compressed. */
const compressed = async (module: string, external: RegExp): Promise<number> => {
  const entry = join(folder, "entry.js")
  writeFileSync(entry, `export * from ${JSON.stringify(module)}\n`)
  const build = await rolldown({ input: entry, external: [external], platform: "browser", logLevel: "silent" })
  const { output } = await build.generate({ format: "esm", minify: true })
  await build.close()
  return output.reduce((sum, one) => sum + (one.type === "chunk" ? gzipSync(one.code).length : 0), 0)
}

describe("the packages, installed in an empty folder", () => {
  it("have the version and the programs that they are described with", () => {
    const checkout: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    for (const { manifest } of packages) {
      assert.strictEqual(manifest.version, checkout.version)
      assert.match(manifest.gitHead ?? "", /^[0-9a-f]{40}$/)
      assert.isUndefined(manifest.scripts)
      assert.deepStrictEqual(manifest.bin, programsOf[manifest.name])
    }
    assert.match(run(process.execPath, ["node_modules/sluice/bin/sluice.js", "--version"]), /\d+\.\d+\.\d+/)
    const conformance = "node_modules/@sluice/conformance/bin/sluice-conformance.js"
    assert.match(run(process.execPath, [conformance, "--help"]), /--url URL --key KEY[\s\S]*window-invalid/)
  })

  it("hold the console where the service looks for it, with every file that its page begins with", () => {
    const { files, folder: place, paths } = named("sluice")
    const looks = /new URL\("([^"]*\.cache\/console)", new URL\("([^"]+)", import\.meta\.url\)\.href\)/
    const [console = ""] = files.flatMap(({ path, text }) => {
      const [, folder, module] = looks.exec(text) ?? []
      return folder === undefined || module === undefined
        ? []
        : [posix.join(posix.dirname(path), posix.dirname(module), folder)]
    })
    const page = textOf(place, `${console}/index.html`)
    const assets = [...page.matchAll(/(?:src|href)="console\/(assets\/[^"]+)"/g)].map(([, path]) => path)
    assert.lengthOf(assets, 2)
    for (const path of assets) assert.include(paths, `${console}/${path}`)
  })

  it("hold the licenses of what the program contains, and maps to its sources", () => {
    const { files, folder: place, paths } = named("sluice")
    const licenses = textOf(place, "LICENSES.md")
    for (const name of ["effect", "@effect/platform-node", "@effect/sql-pg"]) {
      const license = textOf(join(root, "node_modules", name), "LICENSE").trim()
      assert.include(licenses, `# ${name} `)
      assert.include(licenses, license)
    }
    const bundled = files.filter(({ path }) => path.startsWith("bin/"))
    assert.isAbove(bundled.length, 50)
    for (const { path, text } of bundled) {
      // What the bundler adds has no sources: its helpers, and files that pass on the names of another.
      const isAdded = path.startsWith("bin/shared/rolldown-runtime") || /^(?:(?:import|export) [^;]*;\s*)+$/.test(text)
      if (!isAdded) assert.include(paths, `${path}.map`)
      assert.notInclude(text, "__placeOfModule")
    }
    const map: { readonly sources: ReadonlyArray<string> } = JSON.parse(textOf(place, "bin/sluice.js.map"))
    assert.include(map.sources, "apps/cli/main.ts")
  })

  it("depend on exactly what their files import, and Effect is a peer of the libraries", () => {
    for (const { files, manifest } of packages) {
      const outside = files
        .flatMap(modulesOf)
        .filter((module) => !module.startsWith("node:") && !isOwn(module))
        .map(packageOf)
      const loaded = files.flatMap(({ text }) =>
        [...text.matchAll(/\bload(?:\$\d+)?\("([^"]+)"\)/g)].map(([, name = ""]) => name)
      )
      const read = manifest.name === "sluice" ? ["fontoxpath", ...loaded] : []
      assert.deepStrictEqual(
        [...new Set([...outside, ...read])].toSorted(),
        Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).toSorted()
      )
      assert.deepStrictEqual(Object.keys(manifest.peerDependencies ?? {}), peersOf[manifest.name] ?? [])
    }
    assert.isAtMost(Object.keys(named("@sluice/core").manifest.dependencies).length, 6)
  })

  it("hold every file that their scripts and declarations name, no source and no test", () => {
    for (const { files, paths } of packages) {
      const held = new Set(paths)
      const missing = files.flatMap((file) =>
        modulesOf(file)
          .filter(isOwn)
          .filter((module) => !held.has(file.path.endsWith(".js") ? module : module.replace(/\.js$/, ".d.ts")))
          .map((module) => `${file.path} names ${module}`)
      )
      assert.deepStrictEqual(missing, [])
      assert.deepStrictEqual(
        paths.filter(
          (path) => /(^|\/)test\/(?!kit(\/|$))|\.test\./.test(path) || (path.endsWith(".ts") && !path.endsWith(".d.ts"))
        ),
        []
      )
      assert.deepStrictEqual(
        files.filter(({ text }) => /new URL\("[^"]+\.ts", import\.meta\.url\)/.test(text)).map(({ path }) => path),
        []
      )
    }
  })

  it("export every name that the declarations of their entries speak of, and a hidden one is found", () => {
    const declared = packages.flatMap(({ folder: place, manifest }) =>
      Object.entries(manifest.exports)
        .filter(([subpath]) => !subpath.startsWith("./internal/"))
        .flatMap(([, entry]) => (typeof entry === "string" ? [] : [join(place, entry.types ?? "")]))
    )
    assert.deepStrictEqual(unreachable(folder, declared), [])
    writeFileSync(join(folder, "hidden.d.ts"), "export interface Hidden {}\nexport interface Passed {}\n")
    writeFileSync(
      join(folder, "entry.d.ts"),
      `import type { Hidden, Passed } from "./hidden.js"\nexport type { Passed }\nexport declare const f: (one: Hidden) => Passed\n`
    )
    assert.deepStrictEqual(unreachable(folder, [join(folder, "entry.d.ts")]), ["entry.d.ts: Hidden of hidden.d.ts"])
  })

  it("load at every entry on Node, and each night on Deno, and the client tells a refusal from an answer", () => {
    writeFileSync(join(folder, "main.mjs"), program(packages.flatMap(({ manifest }) => entriesOf(manifest))))
    assert.deepStrictEqual(JSON.parse(run(process.execPath, ["main.mjs"])), expected)
    const other = deno()
    if (!isAll || other === undefined) return
    const answer = run(other, ["run", "-A", "--no-lock", "--node-modules-dir=manual", "main.mjs"])
    assert.deepStrictEqual(JSON.parse(answer), expected)
  })

  it.runIf(isAll)("are ready for JSR with the types that Effect infers", () => {
    const program = deno()
    if (program === undefined) return
    symlinkSync(join(root, "node_modules"), join(folder, "dist/jsr/node_modules"), "junction")
    const publish = (...more: ReadonlyArray<string>): string => {
      const args = ["publish", "--dry-run", "--allow-dirty", "--no-check", ...more]
      const env = { ...process.env, NO_COLOR: "1" }
      const options = { cwd: join(folder, "dist/jsr"), encoding: "utf8", env, timeout: testMillis } as const
      const done = spawnSync(program, args, options)
      return `${done.stdout}${done.stderr}`
    }
    assert.include(publish("--allow-slow-types"), "Dry run complete")
    const decision = readFileSync(join(root, "docs/decisions/0025-inferred-types-on-jsr.md"), "utf8")
    const said = Number(/It names (\d+) places/.exec(decision)?.[1])
    const found = Number(/Found (\d+) problems/.exec(publish())?.[1])
    assert.approximately(found, said, said / 10)
  })

  it("serve the examples of the docs, which are strictly typed", () => {
    const examples = fencesOf({ path: embedding, text: textOf(root, embedding) }).filter(
      ({ language }) => language === "ts"
    )
    assert.isAtLeast(examples.length, 9)
    const names = examples.map((example, index) => {
      const name = `example${index}.ts`
      writeFileSync(join(folder, name), comparing(example))
      return name
    })
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: strict, files: [...names, "mistakes.ts"] })
    )
    writeFileSync(join(folder, "mistakes.ts"), mistakes)
    run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."])
    writeFileSync(join(folder, "examples.mjs"), names.map((name) => `await import("./${name}")`).join("\n"))
    run(process.execPath, ["examples.mjs"])
  })

  it("have plain windows of at most 15,000 bytes with gzip, as a whole", async () => {
    assert.isAtMost(await compressed("@sluice/window", /^$/), 15_000)
  })

  it.runIf(isAll)("are small: the client in a bundle that shares Effect, and run windows", async () => {
    assert.isAtMost(await compressed("@sluice/client", /^effect/), 60 * 1_024)
    assert.isAtMost(await compressed("@sluice/client/promise", /^effect/), 60 * 1_024)
    assert.isAtMost(await compressed("@sluice/core/window", /^effect/), 15_000)
  })
})
