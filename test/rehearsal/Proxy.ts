/** The proxies that `deploy/` has settings for, in front of processes of this machine. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

const settingsOf = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url)), "utf8")

/** Replaces what has to be there. */
const replaced = (text: string, pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.reduce((all, [part, by]) => {
    if (!all.includes(part)) throw new Error(`Nothing says ${part}`)
    return all.replaceAll(part, by)
  }, text)

/** How `deploy/nginx.conf` names the processes behind it. */
const upstream = "server api:8787 max_fails=1 fail_timeout=1s;"

/** Where a proxy listens, on loopback, and what is behind it. */
export interface Place {
  readonly port: number
  readonly behind: ReadonlyArray<number>
  /** The path under which the service stands, such as `/sluice`; none when not set. */
  readonly path?: string
}

/** `deploy/nginx.conf` with its files in a folder, changed for a path as it says itself. */
export const nginxSettings = (folder: string, { behind, path = "", port }: Place): string =>
  replaced(settingsOf("nginx.conf"), [
    ["location / {", `location ${path}/ {`],
    ["/tmp/", `${folder}/`],
    [upstream, behind.map((one) => upstream.replace("api:8787", `127.0.0.1:${one}`)).join(" ")],
    ["listen 8080;", `listen 127.0.0.1:${port};`],
    ["worker_processes auto;", "worker_processes 1;"]
  ])

/** `deploy/Caddyfile`, changed for a path as it says itself. */
const caddySettings = ({ behind, path = "", port }: Place): string => {
  const [before = "", block = ""] = replaced(settingsOf("Caddyfile"), [
    ["127.0.0.1:8787 127.0.0.1:8788", behind.map((one) => `127.0.0.1:${one}`).join(" ")],
    ["grace_period 5s", "grace_period 1s\n\tadmin off\n\tauto_https off"]
  ]).split("sluice.example.com {\n")
  const inside = path === "" ? block : `redir ${path} ${path}/\nhandle_path ${path}/* {\n${block}\n}`
  return `${before}http://127.0.0.1:${port} {\n${inside}`
}

const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "sluice-proxy-"))
    // The proxy may work as another user than the one that starts it.
    chmodSync(path, 0o755)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Runs a proxy until the scope closes. */
export const start = (proxy: "nginx" | "caddy", place: Place) =>
  Effect.gen(function* () {
    const path = yield* folder
    const file = join(path, "settings")
    writeFileSync(file, proxy === "nginx" ? nginxSettings(path, place) : caddySettings(place))
    const args =
      proxy === "nginx"
        ? ["-c", file, "-e", "stderr", "-g", "daemon off;"]
        : ["run", "--config", file, "--adapter", "caddyfile"]
    const said: Array<string> = []
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const started = spawn(proxy, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: path } })
        started.stderr.on("data", (chunk) => void said.push(String(chunk)))
        return started
      }),
      (started) =>
        Effect.promise(async () => {
          if (started.exitCode !== null || started.pid === undefined) return
          const ended = once(started, "exit")
          started.kill("SIGTERM")
          await ended
        })
    )
    // It is there when it takes connections; it ends if it cannot.
    yield* Effect.tryPromise(() => fetch(`http://127.0.0.1:${place.port}${place.path ?? ""}/healthz`)).pipe(
      Effect.catch(() =>
        child.exitCode === null
          ? Effect.andThen(Effect.sleep("20 millis"), Effect.fail("not there yet"))
          : Effect.die(new Error(said.join("")))
      ),
      Effect.retry({ times: 500, while: (error) => error === "not there yet" })
    )
    return { said }
  })
