/** The parts of the service that a browser that a page has taken over can read, write and signal. */
import { execFile, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Confinement from "../../../adapters/playwright/Confinement.ts"
import * as LocalChromium from "../../../adapters/playwright/LocalChromium.ts"
import * as Processes from "../../../adapters/playwright/Processes.ts"
import { browserFoldersOf, chromiumsOf, withDescendants } from "../../support/chromiums.ts"
import { completed, dataDir, migratedDataDir, sluice } from "../../support/processes.ts"
import { programOf } from "../../support/programs.ts"
import { chromiumPath } from "../../support/realBrowser.ts"

const isRoot = process.getuid?.() === 0

/** A line of `/proc/PID/status`, such as `Uid`. */
const statusOf = (pid: number, name: string) =>
  new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, "m")
    .exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    ?.split(/\s+/) ?? []

/** Tries each attempt as a user, in the way of a shell command, and answers those that succeed. */
const succeeding = (user: Confinement.BrowserUser, attempts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const script = attempts.map((attempt, index) => `( ${attempt} ) </dev/null >/dev/null 2>&1 && echo ${index}\n`)
  const { stdout } = spawnSync("/bin/sh", ["-s"], {
    input: script.join(""),
    uid: user.uid,
    gid: user.gid,
    cwd: "/",
    env: { PATH: process.env.PATH ?? "" },
    encoding: "utf8"
  })
  return stdout.split("\n").flatMap((line) => attempts[line === "" ? -1 : Number(line)] ?? [])
}

/** A browser of this process, in the strongest confinement of this machine. */
const launched = Effect.acquireRelease(
  Effect.promise(() => LocalChromium.start(chromiumPath, [], Confinement.plans(chromiumPath, null))),
  ({ close }) => Effect.promise(close)
)

/** The result of a `sluice doctor`. */
interface Diagnosis {
  readonly status: number | null
  readonly output: string
}

/** The command of these tests, as another user or with fewer rights, with a folder that the user may write. */
const doctor = (wrapper: ReadonlyArray<string>, env: Record<string, string>, folder: string) => {
  const [program = "", ...args] = [...wrapper, process.execPath, programOf("sluice"), "doctor"]
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    SLUICE_CHROMIUM: chromiumPath,
    SLUICE_DATA_DIR: folder,
    ...env
  }
  return Effect.callback<Diagnosis>((resume) => {
    const child = execFile(program, args, { env: environment, encoding: "utf8" }, (_error, stdout, stderr) =>
      resume(Effect.succeed({ status: child.exitCode, output: `${stdout}${stderr}` }))
    )
  })
}

describe.concurrent("a browser that a page has taken over", () => {
  it.live("has Chromium's sandbox, a separate user under root, and nothing of the environment of the service", () =>
    Effect.gen(function* () {
      const local = yield* launched
      yield* Effect.promise(async () => {
        await (await local.chromium.newContext()).newPage()
      })
      const [[renderer = 0] = [], all] = [
        (yield* Effect.promise(local.processes)).flatMap(({ pid, type }) => (type === "renderer" ? [[pid]] : []))[0] ??
          [],
        withDescendants([local.pid])
      ]
      assert.notInclude(Processes.wordsOf(local.pid), "--no-sandbox")
      // Its system calls are filtered, and it sees no processes but its own.
      assert.deepStrictEqual(statusOf(renderer, "Seccomp"), ["2"])
      assert.isAbove(statusOf(renderer, "NSpid").length, 1)
      for (const pid of isRoot ? all : []) {
        assert.deepStrictEqual(new Set(statusOf(pid, "Uid")), new Set([String(local.user?.uid)]))
        assert.deepStrictEqual(new Set(statusOf(pid, "Gid")), new Set([String(local.user?.gid)]))
        assert.deepStrictEqual(statusOf(pid, "Groups"), [""])
      }
      const environment = readFileSync(`/proc/${local.pid}/environ`, "utf8").split("\0")
      const own = environment.flatMap((one) => /^(SLUICE_|VITEST|NODE_|npm_)[^=]*/.exec(one)?.[0] ?? [])
      assert.deepStrictEqual(own, [])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!isRoot)("reads, writes and signals nothing of a service that runs as root", () =>
    Effect.gen(function* () {
      const parent = yield* dataDir
      chmodSync(parent, 0o755)
      const folder = join(parent, "data")
      renameSync(yield* migratedDataDir, folder)
      const service = yield* sluice(["up"], { SLUICE_DATA_DIR: folder, SLUICE_DEMO: "0", SLUICE_MODEL_KEY: "secret" })
      yield* service.said(/sluice ready/)
      const pid = service.child.pid ?? 0
      const [browser = 0] = chromiumsOf(pid)
      const [uid = 0, gid = 0] = [statusOf(browser, "Uid"), statusOf(browser, "Gid")].map(([id]) => Number(id))
      assert.isAbove(uid, 0)
      const own = browserFoldersOf(pid)
      assert.strictEqual(own.length, 1)
      const [browserFolder = ""] = own
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
      assert.include(files, join(folder, "master.key"))
      const attempts = [
        ...["environ", "mem", "maps", "auxv", "syscall", "stack"].map(
          (name) => `head -c 1 /proc/${pid}/${name} | grep -q .`
        ),
        ...["fd", "cwd/", "root/", "task/*/fd"].map((name) => `ls /proc/${pid}/${name}`),
        ...[0, "TERM", "STOP"].map((signal) => `kill -${signal} ${pid}`),
        `kill -0 ${process.pid}`,
        ...[folder, ...files].map((path) => `test -r ${path} || test -w ${path} || test -x ${path}`),
        `touch ${parent}/new`,
        `touch ${browserFolder}/launch || touch ${browserFolder}/new || touch ${browserFolder}/uploads/new`,
        `mv ${browserFolder}/downloads ${browserFolder}/moved`,
        `cat ${browserFolder}/owner.json`,
        `ls ${browserFolder}/uploads`,
        "su root -c true < /dev/null"
      ]
      assert.deepStrictEqual(succeeding({ uid, gid }, attempts), [])
      // The attempts can succeed: on the browser itself they do.
      const onItself = [`head -c 1 /proc/${browser}/environ | grep -q .`, `kill -0 ${browser}`]
      assert.deepStrictEqual(succeeding({ uid, gid }, onItself), onItself)
      assert.isFalse(existsSync(join(parent, "new")))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!isRoot)(
    "ends with every process that it has left behind, and gives no other browser its user meanwhile",
    () =>
      Effect.gen(function* () {
        const [one, other] = [yield* launched, yield* launched]
        const user = one.user ?? { uid: 0, gid: 0 }
        assert.notStrictEqual(user.uid, other.user?.uid)
        // In a session of its own, it does not end with the process group of the browser.
        spawnSync("setsid", ["--fork", "sleep", "1000"], { uid: user.uid, gid: user.gid, stdio: "ignore" })
        assert.isAbove(Processes.ofUser(user.uid).length, 1)
        yield* Effect.promise(one.close)
        assert.deepStrictEqual(Processes.ofUser(user.uid), [])
        assert.isAbove(Processes.ofUser(other.user?.uid ?? -1).length, 1)
      }).pipe(Effect.scoped)
  )
})

describe.concurrent("sluice doctor", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "sluice-test-doctor-"))
      chmodSync(path, 0o777)
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

  it.live.skipIf(!isRoot)(
    "tells of a sandbox for a service that is not root, and of a user as well for one that is",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const plain = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        const [asRoot, asOther, refused] = yield* Effect.all(
          [doctor([], {}, path), doctor(plain, {}, path), doctor(plain, { SLUICE_BROWSER_USER: "nobody" }, path)],
          { concurrency: "unbounded" }
        )
        assert.match(
          asRoot.output,
          /ok +browser user +\d+, which the service does not run as\nok +browser sandbox +on\n/
        )
        assert.match(asRoot.output, /warning +data +\S+ has mode 0777/)
        assert.strictEqual(asRoot.status, 0, asRoot.output)
        assert.match(asOther.output, /ok +browser user +65534, as the service\nok +browser sandbox +on\n/)
        assert.match(refused.output, /problem +browser +.*SLUICE_BROWSER_USER=nobody.*only a service that runs as root/)
        assert.strictEqual(refused.status, 1)
      }).pipe(Effect.scoped)
  )

  it.live.skipIf(!isRoot)("warns where neither is possible, which required refuses", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const program = join(path, "bare")
      // Root of a namespace that knows no other user and allows no namespaces below it.
      writeFileSync(program, '#!/bin/sh\necho 0 > /proc/sys/user/max_user_namespaces && exec "$@"\n', { mode: 0o755 })
      const bare = ["unshare", "--user", "--map-root-user", program]
      const [{ output, status }, strict, wrong] = yield* Effect.all(
        [
          doctor(bare, {}, path),
          doctor(bare, { SLUICE_BROWSER_SANDBOX: "required" }, path),
          completed(["doctor"], { SLUICE_BROWSER_SANDBOX: "off", SLUICE_DATA_DIR: path })
        ],
        { concurrency: "unbounded" }
      )
      assert.match(
        output,
        /warning +browser user +0, as the service\nwarning +browser sandbox +The browser runs as root/
      )
      assert.strictEqual(status, 0, output)
      assert.match(strict.output, /problem +browser sandbox +The browser runs as root/)
      assert.strictEqual(strict.status, 1)
      assert.match(wrong.output, /auto or required/)
      // The exit code of a wrong value.
      assert.strictEqual(wrong.code, 2)
    }).pipe(Effect.scoped)
  )
})
