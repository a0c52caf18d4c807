/**
 * Tries the packed packages as a stranger has them, on every runtime that they are for: `npm run test:runtimes`. It
 * installs them with npm in an empty folder, which needs a registry, and prints a line for each thing that it tried.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createSocket } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { installLocked } from "../../apps/bootstrap/locked.js"
import { packages } from "../../apps/bootstrap/packages.js"
import { otherRuntimes } from "../../apps/bootstrap/runtimes.js"
import { comparing, embedding } from "../docs/Examples.ts"
import { fencesOf } from "../docs/Pages.ts"
import { root } from "../support/Source.ts"
import { archiveOf, type Manifest, pack, textOf } from "./Installed.ts"
import { entriesOf, expected, mistakes, program, strict } from "./Programs.ts"

const modules = join(
  installLocked({ source: "test/packages/published", name: "published", what: "runtimes, compilers and checks" }),
  "node_modules"
)

let failures = 0
const wanted = process.argv.slice(2)

/** Does one thing, says whether it went well and how long it took, and continues. */
const attempt = async (title: string, work: () => unknown) => {
  if (wanted.length > 0 && !wanted.some((word) => title.includes(word))) return
  const began = performance.now()
  try {
    const note = await work()
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    process.stdout.write(`ok      ${title} (${seconds} s)${typeof note === "string" ? `: ${note}` : ""}\n`)
  } catch (error) {
    failures++
    process.stdout.write(`FAILED  ${title}\n${error instanceof Error ? error.message : String(error)}\n`)
  }
}

const run = (cwd: string, command: string, args: ReadonlyArray<string>): string => {
  const done = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 300_000 })
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}\n${done.error ?? ""}${done.stdout}${done.stderr}`)
  return done.stdout
}

const same = (got: unknown, wantedValue: unknown): void => {
  const [one, other] = [JSON.stringify(got), JSON.stringify(wantedValue)]
  if (one !== other) throw new Error(`Expected ${other}, got ${one}`)
}

const npm = (cwd: string, args: ReadonlyArray<string>) =>
  run(cwd, process.platform === "win32" ? "npm.cmd" : "npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"])

const packed = pack()
const archive = (name: string) => join(packed, archiveOf(name, packed))
const effect = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: { effect: string } })
  .dependencies.effect

/** A new folder with these packages installed by npm. */
const installed = (specs: ReadonlyArray<string>): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-published-"))
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }')
  npm(folder, ["install", ...specs])
  return folder
}

const folder = installed([
  ...packages.map(({ name }) => archive(name)),
  `effect@${effect}`,
  "fast-check@4.10.2",
  "@types/node@24.19.2"
])
const manifests: ReadonlyArray<Manifest> = packages.map(({ name }) =>
  JSON.parse(textOf(folder, `node_modules/${name}/package.json`))
)
const entries = manifests.flatMap(entriesOf)
writeFileSync(join(folder, "main.mjs"), program(entries))

await attempt("publint has nothing to say of the packages", async () => {
  const { publint } = (await import(join(modules, "publint/src/index-node.js"))) as {
    readonly publint: (options: object) => Promise<{ readonly messages: ReadonlyArray<unknown> }>
  }
  for (const { name } of packages) {
    const { messages } = await publint({
      pkgDir: join(folder, "node_modules", name),
      level: "suggestion",
      strict: true
    })
    same([name, messages], [name, []])
  }
  return `${packages.length} packages`
})

await attempt("attw finds the right types at every entry", async () => {
  const { checkPackage, createPackageFromTarballData } = (await import(
    join(modules, "@arethetypeswrong/core/dist/index.js")
  )) as {
    readonly createPackageFromTarballData: (archive: Uint8Array) => unknown
    readonly checkPackage: (
      archive: unknown
    ) => Promise<{ readonly problems?: ReadonlyArray<{ readonly kind: string; readonly resolutionKind?: string }> }>
  }
  const typed = packages.filter(({ entries }) => Object.keys(entries).length > 0)
  for (const { name } of typed) {
    const { problems = [] } = await checkPackage(createPackageFromTarballData(readFileSync(archive(name))))
    // The packages are modules alone: `require` gets modules too, and the resolution of Node 10 knows no `exports`.
    const wrong = problems.filter(
      ({ kind, resolutionKind }) =>
        kind !== "CJSResolvesToESM" && !(kind === "NoResolution" && resolutionKind === "node10")
    )
    same([name, wrong], [name, []])
  }
  return `${typed.length} packages`
})

const runtimes: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
  ["Node 22", join(modules, "node-22/bin/node"), ["main.mjs"]],
  ["Node 24", process.execPath, ["main.mjs"]],
  ["Node 26", join(modules, "node-26/bin/node"), ["main.mjs"]],
  ["Deno", otherRuntimes().deno, ["run", "-A", "--no-lock", "--node-modules-dir=manual", "main.mjs"]],
  ["Bun", join(modules, "@oven/bun-linux-x64-baseline/bin/bun"), ["main.mjs"]]
]
for (const [name, command, args] of runtimes) {
  await attempt(`${name} imports every entry`, () => {
    if (!existsSync(command)) throw new Error(`There is no ${name} for this machine`)
    same(JSON.parse(run(folder, command, args)), expected)
    return `${entries.length} entries, ${run(folder, command, ["--version"]).trim().split("\n")[0]}`
  })
}

const examples = fencesOf({ path: embedding, text: textOf(root, embedding) })
  .filter(({ language }) => language === "ts")
  .map((example, index) => {
    writeFileSync(join(folder, `example${index}.ts`), comparing(example))
    return `example${index}.ts`
  })
writeFileSync(join(folder, "mistakes.ts"), mistakes)
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({ compilerOptions: strict, files: [...examples, "mistakes.ts"] })
)
for (const [name, compiler] of [
  ["5.9", join(modules, "typescript-5.9/bin/tsc")],
  ["7", join(root, "node_modules/typescript/bin/tsc")]
] as const) {
  await attempt(`TypeScript ${name} checks the examples strictly`, () => {
    run(folder, process.execPath, [compiler, "-p", "."])
    return `${examples.length} examples`
  })
}

/** What a page does with the packages; its title says how it went. */
const page = `
import * as RunWindow from "@sluice/core/window"
import { connect } from "@sluice/client/promise"
const { _tag } = RunWindow.validate({ time_zone: "Europe/Berlin" })
const answer = await connect({ baseUrl: location.origin, key: "sk_unknown" }).runs
  .start({ payload: { workflow_id: "22222222-2222-4222-8222-222222222222" } })
  .catch(({ _tag, status }) => _tag + " " + status)
const all = import.meta.glob("./all.js", { eager: true })
document.title = [_tag, answer, Object.keys(all).length].join(", ")
`

const kinds: Readonly<Record<string, string>> = { ".js": "text/javascript", ".html": "text/html" }

await attempt("a vite bundle runs in Chromium", async () => {
  const browserEntries = entries.filter((name) => !name.startsWith("sluice"))
  writeFileSync(join(folder, "index.html"), '<script type="module" src="/page.js"></script>')
  writeFileSync(join(folder, "page.js"), page)
  const imports = browserEntries.map((name, index) => `export * as entry${index} from ${JSON.stringify(name)}`)
  writeFileSync(join(folder, "all.js"), imports.join("\n"))
  run(folder, process.execPath, [
    join(modules, "vite/bin/vite.js"),
    "build",
    "--logLevel",
    "error",
    "--target",
    "esnext"
  ])
  const server = createServer((request, response) => {
    const path = request.url === "/" ? "/index.html" : (request.url ?? "")
    const file = join(folder, "dist", path)
    if (request.method !== "GET" || !existsSync(file)) {
      const body = JSON.stringify({ statusCode: 401, message: "No such key", error: "Unauthorized" })
      response.writeHead(401, { "content-type": "application/json" }).end(body)
    } else response.writeHead(200, { "content-type": kinds[extname(file)] ?? "" }).end(readFileSync(file))
  })
  const { chromium } = await import("playwright-core")
  const browser = await chromium.launch({ executablePath: process.env.SLUICE_CHROMIUM ?? "", args: ["--no-sandbox"] })
  try {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = server.address()
    const tab = await browser.newPage()
    const problems: Array<string> = []
    tab.on("pageerror", (error) => problems.push(error.message))
    await tab.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`)
    await tab.waitForFunction("document.title !== ''", undefined, { timeout: 20_000 }).catch(() => null)
    if (problems.length > 0) throw new Error(problems.join("\n"))
    same(await tab.title(), "Failure, Refused 401, 1")
    return `${browserEntries.length} entries`
  } finally {
    await browser.close()
    server.close()
  }
})

/** A port that is free, and so is the next one, at this moment. */
const freePort = () =>
  new Promise<number>((done) => {
    const socket = createSocket().listen(0, "127.0.0.1", () => {
      const address = socket.address()
      socket.close(() => done(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A service that is ready, and what it has printed. */
interface Served {
  readonly url: string
  readonly said: string
}

/** Starts the service by a command, waits until it is ready and serves its console, and asks it. */
const served = async <Answer>(
  cwd: string,
  command: string,
  args: ReadonlyArray<string>,
  ask: (service: Served) => Answer
): Promise<Answer> => {
  const port = await freePort()
  const child = spawn(command, args, {
    cwd,
    detached: true,
    env: { ...process.env, PORT: String(port), SLUICE_LOG_LEVEL: "warn", SLUICE_ALLOW_PRIVATE_NETWORKS: "1" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (said += String(piece)))
  const ended = new Promise<number | null>((done) => child.once("exit", done))
  try {
    const deadline = Date.now() + 120_000
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status,
        () => 0
      )
    while ((await ready()) !== 200) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error(`It is not ready:\n${said}`)
      await new Promise((done) => setTimeout(done, 200))
    }
    const console = await fetch(`http://127.0.0.1:${port}/`)
    same([console.status, (console.headers.get("content-type") ?? "").startsWith("text/html")], [200, true])
    return ask({ url: `http://127.0.0.1:${port}`, said })
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM")
    await ended
  }
}

/** What the packed kit says of the packed service, with the keys that the first start printed. */
const conforms =
  (cwd: string, receiver: string) =>
  ({ said, url }: Served): string => {
    const [key = ""] = /sk_[\w-]+/.exec(said) ?? []
    const [encryptionKey = ""] = /\b[0-9a-f]{64}\b/.exec(said) ?? []
    const keys = ["--key", key, "--encryption-key", encryptionKey]
    const answer = run(cwd, "npx", [
      "--no-install",
      "@sluice/conformance",
      "--url",
      url,
      ...keys,
      "--receiver",
      receiver
    ])
    return answer.trimEnd().split("\n").at(-1) ?? ""
  }

await attempt("npx sluice up serves in an empty folder, and npx @sluice/conformance finds nothing", async () => {
  const empty = installed([archive("sluice"), archive("@sluice/conformance")])
  const receiver = `http://127.0.0.1:${await freePort()}`
  const answer = await served(empty, "npx", ["--no-install", "sluice", "up"], conforms(empty, receiver))
  rmSync(empty, { recursive: true, force: true })
  return answer
})

await attempt("deno task start serves in the checkout", async () => {
  const data = mkdtempSync(join(tmpdir(), "sluice-deno-"))
  await served(root, otherRuntimes().deno, ["task", "start", "--data-dir", data], () => null)
  rmSync(data, { recursive: true, force: true })
})

/** A program on one copy of Effect that uses windows, stores and contracts of a package that has another. */
const twoCopies = `
import { Effect, Layer, Result } from "effect"
import * as RunWindow from "@sluice/core/window"
import { GateStore } from "@sluice/core/gate/store"
import * as Memory from "@sluice/core/memory"
import * as Contract from "@sluice/testing/contract"
import * as Stores from "@sluice/testing/stores"
const checked = RunWindow.validate({ time_zone: "UTC", regular_hours: [] })
if (!Result.isFailure(checked)) throw new Error("The window is not valid")
const own = Layer.effect(GateStore, Effect.map(GateStore, (inner) => GateStore.of({ ...inner })))
const stores = own.pipe(Layer.provideMerge(Memory.layer))
const broken = await Effect.runPromise(Contract.broken(Stores.promises, (keeps) => Effect.provide(keeps, stores)))
if (broken.length > 0) throw new Error(JSON.stringify(broken))
console.log(Stores.promises.length + " promises are kept")
`

await attempt("two copies of Effect at different minor versions work together", () => {
  const two = installed([archive("@sluice/core"), archive("@sluice/testing"), `effect@${effect}`, "--legacy-peer-deps"])
  const other = join(two, "node_modules/@sluice/core/node_modules")
  mkdirSync(other, { recursive: true })
  run(two, "cp", ["-r", join(modules, "effect-other"), join(other, "effect")])
  writeFileSync(join(two, "main.mjs"), twoCopies)
  return run(two, process.execPath, ["main.mjs"]).trim()
})

rmSync(folder, { recursive: true, force: true })
rmSync(packed, { recursive: true, force: true })
process.exitCode = failures === 0 ? 0 : 1
