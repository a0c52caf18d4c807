/** What lies under `deploy/` names settings, commands, ports, paths and files that the product has. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { BlockList, isIP } from "node:net"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { ConfigProvider, Deferred, Effect, Layer, Option } from "effect"
import { Yaml } from "effect/encoding"
import { packages } from "../../../apps/bootstrap/packages.js"
import * as Settings from "../../../apps/cli/Settings.ts"
import { settings } from "../../docs/SettingsTable.ts"
import * as Proxy from "../../rehearsal/Proxy.ts"
import { listening } from "../../support/listening.ts"
import { root } from "../../support/Source.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

const files = readdirSync(join(root, "deploy"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/\.(json|test\.yml|rules\.yml)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, ""))

/** The package that has the service. */
const service = packages.find(({ name }) => name === "sluice")

const units = readdirSync(join(root, "deploy/systemd")).map((name) => `deploy/systemd/${name}`)

/** A folder for one test. */
const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-deploy-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** How programs are asked for their version. */
const version: Readonly<Record<string, string>> = { nginx: "-v", caddy: "version", go: "version" }

const has = (program: string) => spawnSync(program, [version[program] ?? "--version"]).status === 0

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
    // The image has the package in its working folder; units have a checkout, where `npm run build` makes it.
    const program = `bin/${Object.keys(service?.bin ?? {})[0]}.js`
    assert.include(docker, `COPY --from=build /app/dist/${service?.folder} ./\n`)
    assert.include(docker, `"node", "${program}"]\n`)
    for (const unit of units) {
      const [, script = "", main = ""] = /ExecStart=\/opt\/sluice\/(\S+) \/usr\/bin\/node (\S+)/.exec(read(unit)) ?? []
      assert.isTrue(existsSync(join(root, script)), unit)
      assert.strictEqual(main, `dist/${service?.folder}/${program}`, unit)
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

  it("gives the parts of the compose file a user of the database and of the store, and no superuser or root", () => {
    const compose = Yaml.parse(read("deploy/compose.yaml"))
    const services = at(compose, ["services"]) as Readonly<Record<string, { readonly secrets?: ReadonlyArray<string> }>>
    const holders = (secret: string) =>
      Object.keys(services).filter((name) => services[name]?.secrets?.includes(secret) === true)
    assert.deepStrictEqual(holders("POSTGRES_PASSWORD"), ["postgres"])
    assert.deepStrictEqual(holders("STORE_ROOT_PASSWORD"), ["store", "bucket"])
    const given = at(compose, ["x-sluice", "secrets"]) as ReadonlyArray<string>
    assert.sameMembers([...given], ["DATABASE_URL", "SLUICE_MASTER_KEY", "SLUICE_S3_SECRET_KEY"])
    const settings = at(compose, ["x-sluice", "environment"])
    const [user, bucket] = [at(settings, ["SLUICE_S3_ACCESS_KEY"]), at(settings, ["SLUICE_S3_BUCKET"])]
    assert.notStrictEqual(user, at(services.store, ["environment", "MINIO_ROOT_USER"]))
    const made = String(at(services.bucket, ["entrypoint", "2"]))
    assert.include(made, `mc admin user add store ${user} `)
    assert.include(made, `mc admin policy attach store sluice --user ${user}\n`)
    assert.isUndefined(at(services.postgres, ["environment", "POSTGRES_USER"]))
    assert.match(read("deploy/compose.yaml"), /'postgres:\/\/sluice:%s@postgres\/sluice' .*DATABASE_PASSWORD/)
    for (const name of ["postgres.sql", "store-policy.json"]) {
      assert.include(read("deploy/compose.yaml"), `./${name}:`)
      assert.isTrue(existsSync(join(root, "deploy", name)))
    }
    const { Statement: statements } = JSON.parse(read("deploy/store-policy.json")) as {
      readonly Statement: ReadonlyArray<{
        readonly Action: ReadonlyArray<string>
        readonly Resource: ReadonlyArray<string>
      }>
    }
    assert.sameMembers(
      statements.flatMap(({ Resource }) => Resource),
      [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`]
    )
    assert.sameMembers(
      statements.flatMap(({ Action }) => Action),
      [
        "s3:ListBucket",
        "s3:ListBucketMultipartUploads",
        "s3:GetObject",
        "s3:PutObject",
        "s3:DeleteObject",
        "s3:AbortMultipartUpload"
      ]
    )
  })

  it("takes each image that it does not build from a name that can be set, such as one by digest", () => {
    const compose = read("deploy/compose.yaml")
    const images = [...compose.matchAll(/^ +image: (.+)$/gm)].map(([, image = ""]) => image)
    const others = images.filter((image) => !image.startsWith("sluice"))
    assert.lengthOf(others, 4)
    const docker = read("deploy/Dockerfile")
    for (const image of others) assert.match(image, /^\$\{[A-Z_]+_IMAGE:-[^:@]+:[\w.-]+\}$/)
    const [, base = ""] = /^ARG NODE_IMAGE=(\S+)$/m.exec(docker) ?? []
    assert.lengthOf([...compose.matchAll(/NODE_IMAGE: "([^"]+)"/g)], 2)
    for (const [, given] of compose.matchAll(/NODE_IMAGE: "([^"]+)"/g)) {
      assert.strictEqual(given, `\${NODE_IMAGE:-${base}}`)
    }
    for (const [, from = ""] of docker.matchAll(/^FROM (\S+)/gm)) {
      assert.match(from, /^(?:\$\{NODE_IMAGE\}|slim)$/)
    }
    const named = [...others.flatMap((image) => /\w+_IMAGE/.exec(image) ?? []), "NODE_IMAGE"]
    for (const name of named) assert.include(read("deploy/README.md"), name)
    // A digest that nobody has seen would be an invention.
    for (const path of files) assert.notMatch(read(path), /@sha256:[0-9a-f]/, path)
  })

  it("has policies of the chart that close private networks and the metadata of clouds", () => {
    const values = Yaml.parse(read("deploy/helm/values.yaml"))
    assert.isTrue(at(values, ["network", "enabled"]))
    const closed = new BlockList()
    for (const family of ["ipv4", "ipv6"] as const) {
      for (const block of at(values, ["network", "closed", family]) as ReadonlyArray<string>) {
        const [network = "", prefix] = block.split("/")
        closed.addSubnet(network, Number(prefix), family)
      }
    }
    const isClosed = (address: string) => closed.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")
    for (const address of [
      "10.96.0.1",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "100.64.0.1",
      "127.0.0.1",
      "169.254.169.254",
      "169.254.170.2",
      "fd00:ec2::254",
      "fe80::1",
      "::1"
    ]) {
      assert.isTrue(isClosed(address), address)
    }
    for (const address of ["1.1.1.1", "172.32.0.1", "2606:4700::1111"]) assert.isFalse(isClosed(address), address)
    const policies = read("deploy/helm/templates/network.yaml")
    assert.include(policies, 'list "api" "scheduler" "worker" "migrate"')
    assert.lengthOf([...policies.matchAll(/policyTypes: \[Ingress, Egress\]/g)], 2)
    assert.notInclude(policies.split("\n---\n")[0], "gress:")
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
    const { version: released } = JSON.parse(read("package.json"))
    assert.deepStrictEqual([at(chart, ["version"]), at(chart, ["appVersion"])], [released, released])
  })

  it("has a schema of the values of the chart, which refuses unknown names and wrong amounts", () => {
    const accepts = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(read("deploy/helm/values.schema.json")))
    const values = Yaml.parse(read("deploy/helm/values.yaml")) as Record<string, object>
    assert.isTrue(accepts(values), JSON.stringify(accepts.errors))
    for (const wrong of [
      { settings: { PORT: "1" } },
      { settings: { ...values.settings, SLUICE_HEALTH_PORT: 9000 } },
      { worker: { ...values.worker, graceSecond: 3 } },
      { worker: { ...values.worker, concurrency: 0 } },
      { scaling: { ...values.scaling, minimum: "1" } },
      { network: { ...values.network, clients: [] } },
      { network: { ...values.network, egress: [{ ports: [] }] } },
      { image: {} }
    ]) {
      assert.isFalse(accepts({ ...values, ...wrong }), JSON.stringify(wrong))
    }
  })

  it("gives each process time to end what it has begun before it is killed", () => {
    const usual = settings()
      .flatMap(([, rows]) => rows)
      .find(({ variable }) => variable === "SLUICE_GRACE_SECONDS")?.usual
    const least = Number(usual) + 15
    const compose = Yaml.parse(read("deploy/compose.yaml"))
    assert.isAtLeast(Number.parseInt(String(at(compose, ["x-sluice", "stop_grace_period"])), 10), least)
    for (const unit of units.filter((path) => !path.includes("migrate"))) {
      assert.isAtLeast(Number(/^TimeoutStopSec=(\d+)$/m.exec(read(unit))?.[1]), least, unit)
    }
  })

  it("gives no setting of a process of the chart twice, in plain text or in another place", () => {
    const accepts = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(read("deploy/helm/values.schema.json")))
    const values = Yaml.parse(read("deploy/helm/values.yaml")) as Record<string, object>
    const own = [...read("deploy/helm/templates/parts.yaml").matchAll(/name: (SLUICE_\w+), value/g)].map(
      ([, one]) => one
    )
    const [, kept = ""] = /# A secret with the keys (.+)\./.exec(read("deploy/helm/values.yaml")) ?? []
    const secrets = kept.split(/, | and /)
    assert.includeMembers(own, ["SLUICE_CONCURRENCY", "SLUICE_GRACE_SECONDS"])
    assert.includeMembers(secrets, ["DATABASE_URL", "SLUICE_MASTER_KEY", "SLUICE_S3_SECRET_KEY"])
    for (const name of [...own, ...secrets]) {
      assert.isFalse(accepts({ ...values, settings: { ...values.settings, [String(name)]: "1" } }), name)
    }
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
  it("are hardened: systemd rates what each of them exposes as little", () => {
    // At most 2.6 of 10 by systemd 252. Other versions weigh a few settings differently.
    const args = ["security", "--offline=true", "--threshold=30", ...units]
    const { status, stderr, stdout } = spawnSync("systemd-analyze", args, { cwd: root, encoding: "utf8" })
    assert.strictEqual(status, 0, `${stdout}${stderr}`)
  })

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

/** Where Debian keeps the sources of packages of Go. */
const packagesOfGo = "/usr/share/gocode"

/** The objects that the chart makes with values in place of its own, by their kind and name. */
const rendered = Effect.fnUntraced(function* (values: object) {
  const file = join(yield* temporary, "values.json")
  writeFileSync(file, JSON.stringify(values))
  const { status, stderr, stdout } = spawnSync("go", ["run", "test/docs/RenderChart.go", "deploy/helm", file], {
    cwd: root,
    env: { ...process.env, GO111MODULE: "off", GOPATH: packagesOfGo },
    encoding: "utf8"
  })
  assert.deepStrictEqual([status, stderr], [0, ""])
  const objects = stdout.split(/^---$/m).flatMap((text) => Yaml.parse(text) ?? [])
  return new Map(objects.map((one) => [`${at(one, ["kind"])} ${at(one, ["metadata", "name"])}`, one]))
})

type Named = ReadonlyArray<{ readonly name: string; readonly value?: unknown }>

describe.skipIf(!has("go") || !existsSync(`${packagesOfGo}/src/github.com/Masterminds/sprig`))(
  "the chart (skipped without Go and its package sprig)",
  () => {
    it.effect("is rendered to objects whose parts find each other", () =>
      Effect.gen(function* () {
        const objects = yield* rendered({ images: { browser: "other:1" }, settings: { SLUICE_DRAIN_SECONDS: 3 } })
        const parts = ["api", "scheduler", "worker"]
        assert.sameMembers(
          [...objects.keys()],
          [
            "Job trial-migrate",
            "Service trial",
            ...["deny", "migrate", ...parts].map((name) => `NetworkPolicy trial-${name}`),
            ...parts.flatMap((part) => [`Deployment trial-${part}`, `PodDisruptionBudget trial-${part}`])
          ]
        )
        const portsOf = new Map<string, ReadonlyArray<string>>()
        for (const part of [...parts, "migrate"]) {
          const object = objects.get(part === "migrate" ? "Job trial-migrate" : `Deployment trial-${part}`)
          const pod = at(object, ["spec", "template", "spec"])
          const [container, ...others] = at(pod, ["containers"]) as ReadonlyArray<object>
          assert.deepStrictEqual(others, [])
          assert.deepStrictEqual(at(container, ["args"]), [part])
          assert.strictEqual(at(container, ["image"]), part === "worker" ? "other:1" : "sluice:slim")
          assert.isTrue(at(container, ["securityContext", "readOnlyRootFilesystem"]))
          const volumes = (at(pod, ["volumes"]) as Named).map(({ name }) => name)
          for (const { name } of at(container, ["volumeMounts"]) as Named) assert.include(volumes, name)
          for (const { name, value } of at(container, ["env"]) as Named) {
            assert.isTrue(variables.has(name), name)
            assert.isString(value, name)
          }
          if (part === "migrate") continue
          const ports = (at(container, ["ports"]) as Named).map(({ name }) => name)
          portsOf.set(part, ports)
          for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
            assert.include(ports, String(at(container, [probe, "httpGet", "port"])))
          }
          const labels = at(object, ["spec", "template", "metadata", "labels"])
          for (const kind of ["Deployment", "PodDisruptionBudget"]) {
            const chosen = at(objects.get(`${kind} trial-${part}`), ["spec", "selector", "matchLabels"])
            assert.deepInclude(labels, chosen as object)
          }
          assert.strictEqual(at(object, ["spec", "replicas"]), 2)
        }
        for (const part of [...parts, "migrate"]) {
          const object = objects.get(part === "migrate" ? "Job trial-migrate" : `Deployment trial-${part}`)
          const labels = at(object, ["spec", "template", "metadata", "labels"])
          for (const name of ["deny", part]) {
            const policy = at(objects.get(`NetworkPolicy trial-${name}`), ["spec"])
            assert.deepInclude(labels, at(policy, ["podSelector", "matchLabels"]) as object)
            assert.deepStrictEqual(at(policy, ["policyTypes"]), ["Ingress", "Egress"])
            const rules = at(policy, ["egress"]) as ReadonlyArray<object> | undefined
            assert.lengthOf(rules ?? [], name === "deny" ? 0 : part === "migrate" ? 2 : 3)
          }
        }
        const service = objects.get("Service trial")
        const api = at(objects.get("Deployment trial-api"), ["spec", "template", "metadata", "labels"])
        assert.deepInclude(api, at(service, ["spec", "selector"]) as object)
        assert.include(portsOf.get("api") ?? [], String(at(service, ["spec", "ports", "0", "targetPort"])))

        const scaled = yield* rendered({ scaling: { enabled: true, maximum: 7 } })
        const scaling = at(scaled.get("ScaledObject trial-worker"), ["spec"])
        assert.deepInclude(scaling, {
          scaleTargetRef: { name: "trial-worker" },
          minReplicaCount: 1,
          maxReplicaCount: 7
        })
        assert.isUndefined(at(scaled.get("Deployment trial-worker"), ["spec", "replicas"]))
      }).pipe(Effect.scoped)
    )
  }
)

/** A service that answers its path, and a stream whose second event waits until the first one was read. */
const behindProxy = Effect.gen(function* () {
  const go = yield* Deferred.make<void>()
  const server = createServer((asked, answer) => {
    if (asked.url !== "/events") return void answer.end(asked.url)
    answer.writeHead(200, { "content-type": "text/event-stream" })
    answer.write("data: 1\n\n")
    void Effect.runPromise(Deferred.await(go)).then(() => answer.end("data: 2\n\n"))
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  const port = yield* listening(server)
  return { port, go: Deferred.succeed(go, undefined) }
})

describe.each(["nginx", "caddy"] as const)("the settings of a proxy, %s (skipped without it)", (proxy) => {
  it.live.skipIf(!has(proxy))("pass streams as they come, and remove the path of the service", () =>
    Effect.gen(function* () {
      for (const path of ["", "/sluice"]) {
        const { go, port: behind } = yield* behindProxy
        const free = createServer()
        const port = yield* listening(free)
        yield* Effect.callback<void>((resume) => void free.close(() => resume(Effect.void)))
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Proxy.start(proxy, { port, behind: [behind], path })
            const url = `http://127.0.0.1:${port}${path}`
            yield* Effect.promise(async () => {
              assert.strictEqual(await (await fetch(`${url}/run/1?a=b`)).text(), "/run/1?a=b")
              const events = (await fetch(`${url}/events`)).body?.getReader()
              const text = new TextDecoder()
              assert.strictEqual(text.decode((await events?.read())?.value), "data: 1\n\n")
              await Effect.runPromise(go)
              assert.strictEqual(text.decode((await events?.read())?.value), "data: 2\n\n")
            })
          })
        )
      }
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
