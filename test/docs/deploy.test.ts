/** What lies under `deploy/` names settings, commands, ports, paths and files that the product has. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import { Yaml } from "effect/encoding"
import * as Settings from "../../apps/cli/Settings.ts"
import { root } from "../layout/Source.ts"
import { settings } from "./SettingsTable.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

const files = readdirSync(join(root, "deploy"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/\.(json|test\.yml|rules\.yml)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, ""))

const units = readdirSync(join(root, "deploy/systemd")).map((name) => `deploy/systemd/${name}`)

/** A folder for one test. */
const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-deploy-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const has = (program: string) => spawnSync(program, [program === "nginx" ? "-v" : "--version"]).status === 0

/** A value at a path of parsed YAML. */
const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((held, name) => (held as Readonly<Record<string, unknown>> | undefined)?.[name], value)

const variables = new Set(settings().flatMap(([, rows]) => rows.map(({ variable }) => variable)))

describe("what is deployed", () => {
  it("names settings that exist", () => {
    assert.isAbove(files.length, 15)
    const unknown = files.flatMap((path) =>
      [...read(path).matchAll(/\bSLUICE_[A-Z0-9_]*[A-Z0-9]\b/g)].flatMap(([name]) =>
        variables.has(name) ? [] : [`${path}: ${name}`]
      )
    )
    assert.deepStrictEqual(unknown, [])
  })

  it("runs commands that exist", () => {
    const made = readdirSync(join(root, "apps/cli/commands"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) =>
        [...read(`apps/cli/commands/${name}`).matchAll(/Command\.make\(\s*"(\w+)"/g)].map(([, command]) => command)
      )
    const named = files.flatMap((path) =>
      [
        ...read(path).matchAll(/apps\/cli\/main\.ts (\w+)/g),
        ...read(path).matchAll(/(?:CMD|command:|args:) \["?(\w+)"?\]/g)
      ].map(([, command]) => command)
    )
    assert.includeMembers(named, ["api", "scheduler", "worker", "migrate", "up"])
    assert.deepStrictEqual(
      named.filter((command) => !made.includes(command)),
      []
    )
  })

  it("opens the ports and asks the paths that the processes have", () => {
    const docker = read("deploy/Dockerfile")
    const health = /SLUICE_HEALTH_PORT=(\d+)/.exec(docker)?.[1] ?? ""
    const port = settings()
      .flatMap(([, rows]) => rows)
      .find(({ variable }) => variable === "PORT")?.usual
    assert.include(docker, `EXPOSE ${port} ${health}\n`)
    const parts = read("deploy/helm/templates/parts.yaml")
    assert.include(parts, `name: health, containerPort: ${health} `)
    assert.include(parts, `name: http, containerPort: ${port} `)
    assert.include(parts, `prometheus.io/port: "${health}"`)
    assert.include(read("deploy/nginx.conf"), `server api:${port} `)
    const served = read("apps/cli/health/HealthServer.ts")
    const asked = files.flatMap((path) =>
      [...read(path).matchAll(/\/(?:healthz|readyz|metrics|version)\b/g)].map(([one]) => one)
    )
    assert.includeMembers(asked, ["/healthz", "/readyz"])
    for (const path of new Set(asked)) assert.include(served, path)
  })

  it("copies, mounts and starts files that exist", () => {
    const docker = read("deploy/Dockerfile")
    const copied = [...docker.matchAll(/^COPY (?!--from)(?:--\S+ )*(.+) \S+$/gm)].flatMap(([, sources = ""]) =>
      sources.split(" ")
    )
    assert.includeMembers(copied, ["package-lock.json", "core"])
    const ignored = read("deploy/Dockerfile.dockerignore")
    for (const path of copied) {
      assert.isTrue(existsSync(join(root, path)), path)
      assert.include(ignored, `!${path}\n`)
    }
    const [, built = ""] = /RUN node (\S+)/.exec(docker) ?? []
    assert.isTrue(existsSync(join(root, built)), built)
    for (const unit of units) {
      const [, script = "", main = ""] = /ExecStart=\/opt\/sluice\/(\S+) \/usr\/bin\/node (\S+)/.exec(read(unit)) ?? []
      assert.isTrue(existsSync(join(root, script)) && existsSync(join(root, main)), unit)
    }
    for (const name of ["nginx.conf", "seccomp.json"]) {
      assert.include(read("deploy/compose.yaml"), `./${name}`)
      assert.isTrue(existsSync(join(root, "deploy", name)))
    }
  })

  it("has a compose file with two of each part, hardened, whose secrets are files", () => {
    const compose = Yaml.parse(read("deploy/compose.yaml"))
    for (const part of ["api", "scheduler", "worker"]) {
      assert.strictEqual(at(compose, ["services", part, "deploy", "replicas"]), 2, part)
    }
    assert.isTrue(at(compose, ["x-sluice", "read_only"]))
    assert.deepStrictEqual(at(compose, ["x-sluice", "cap_drop"]), ["ALL"])
    const secrets = Object.keys(at(compose, ["secrets"]) as object)
    assert.includeMembers(secrets, at(compose, ["x-sluice", "secrets"]) as Array<string>)
    const seccomp = JSON.parse(read("deploy/seccomp.json"))
    assert.strictEqual(seccomp.defaultAction, "SCMP_ACT_ERRNO")
    const allowed = seccomp.syscalls.flatMap(
      (one: { readonly action: string; readonly names: ReadonlyArray<string> }) =>
        one.action === "SCMP_ACT_ALLOW" ? one.names : []
    )
    assert.includeMembers(allowed, ["unshare", "clone", "chroot", "seccomp"])
    for (const name of ["bpf", "mount", "kexec_load", "init_module", "keyctl"]) assert.notInclude(allowed, name)
  })

  it("has a chart whose templates use values that it has, and its version", () => {
    const values = Yaml.parse(read("deploy/helm/values.yaml"))
    const own = new Set<string>()
    for (const name of readdirSync(join(root, "deploy/helm/templates"))) {
      const text = read(`deploy/helm/templates/${name}`)
      for (const [, path = ""] of text.matchAll(/\.Values\.([\w.]+)/g)) {
        assert.isDefined(at(values, path.split(".")), `${name}: ${path}`)
      }
      for (const [, key = ""] of text.matchAll(/\$own\.(\w+)/g)) own.add(key)
      assert.strictEqual(
        [...text.matchAll(/\{\{-? *(?:if|range|define|with)\b/g)].length,
        [...text.matchAll(/\{\{-? *end\b/g)].length,
        name
      )
    }
    for (const key of own) assert.isDefined(at(values, ["worker", key]), key)
    const chart = Yaml.parse(read("deploy/helm/Chart.yaml"))
    const { version } = JSON.parse(read("package.json"))
    assert.deepStrictEqual([at(chart, ["version"]), at(chart, ["appVersion"])], [version, version])
  })

  it.effect("reads secrets from files into the settings of a process", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      writeFileSync(join(folder, "SLUICE_MASTER_KEY"), "ab$(false) `c`\n")
      writeFileSync(join(folder, "OTHER"), "no")
      const { stdout } = spawnSync(
        join(root, "deploy/with-secrets.sh"),
        [
          process.execPath,
          "-p",
          "JSON.stringify([process.env.SLUICE_MASTER_KEY, process.env.OTHER, process.argv])",
          "a b"
        ],
        { env: { PATH: process.env.PATH ?? "", CREDENTIALS_DIRECTORY: folder }, encoding: "utf8" }
      )
      const [key, other, args] = JSON.parse(stdout)
      assert.deepStrictEqual([key, other, args.at(-1)], ["ab$(false) `c`", null, "a b"])
    }).pipe(Effect.scoped)
  )

  it.effect("may stand under a path of its host", () =>
    Effect.gen(function* () {
      const parsed = (written: string) =>
        Settings.listening.publicUrl.parse({ flags: { "public-url": [written] }, arguments: [] }).pipe(
          Effect.map(([, value]) => Option.getOrNull(value)),
          Effect.provide(Layer.mergeAll(NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown({}))))
        )
      assert.strictEqual(yield* parsed("https://example.com/"), "https://example.com")
      assert.strictEqual(yield* parsed("https://example.com/a/sluice/"), "https://example.com/a/sluice")
      for (const bad of [
        "https://example.com//a",
        "https://example.com/a?b",
        "example.com/a",
        "https://a@example.com/b"
      ])
        yield* Effect.flip(parsed(bad))
      // The page and what it loads are beside each other, wherever that is.
      assert.notMatch(read("apps/bootstrap/console.js"), /(?:src|href)="\//)
    })
  )
})

describe.skipIf(!has("systemd-analyze"))("units (skipped without systemd-analyze)", () => {
  it.effect("are accepted by systemd", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      for (const unit of units) {
        // The programs are those of another machine.
        const text = read(unit).replace(/ExecStart=\S+ \S+/, "ExecStart=/usr/bin/env")
        writeFileSync(join(folder, basename(unit)), text)
      }
      const checked = spawnSync("systemd-analyze", ["verify", ...units.map((unit) => join(folder, basename(unit)))], {
        encoding: "utf8"
      })
      assert.deepStrictEqual([checked.status, checked.stderr], [0, ""])
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!has("nginx"))("nginx.conf (skipped without nginx)", () => {
  it.effect("is accepted by nginx", () =>
    Effect.gen(function* () {
      const file = join(yield* temporary, "nginx.conf")
      // The name of the upstream is one of a network of containers.
      writeFileSync(file, read("deploy/nginx.conf").replace("server api:", "server 127.0.0.1:"))
      const { stderr } = spawnSync("nginx", ["-t", "-c", file, "-e", "stderr"], { encoding: "utf8" })
      assert.include(stderr, "test is successful")
    }).pipe(Effect.scoped)
  )
})
