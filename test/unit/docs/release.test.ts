/** What a release consists of follows from its commit, and its version stands in one place. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Yaml } from "effect/encoding"
import { billOf } from "../../../apps/bootstrap/bom.js"
import { makeFiles, otherVersions, sectionOf, setVersion } from "../../../apps/bootstrap/release.js"
import { root } from "../../support/Source.ts"

const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))

describe("a release", () => {
  it("has one version", () => {
    assert.deepStrictEqual(otherVersions(), [])
    assert.throws(() => setVersion("1.0", "2026-10-01"), /expected one such as 0\.2\.0/)
  })

  it("lists what runs and nothing else, with hashes, licenses and what needs what", () => {
    const bill = billOf(lock)
    const { dependencies } = lock.packages[""]
    const own = bill.dependencies.find(({ ref }) => ref === `pkg:npm/sluice@${lock.version}`)
    assert.lengthOf(own?.dependsOn ?? [], Object.keys(dependencies).length)
    const references = new Set(bill.components.map((one) => one["bom-ref"]))
    assert.include([...references], `pkg:npm/%40effect/platform-node@${dependencies["@effect/platform-node"]}`)
    assert.isFalse([...references].some((one) => /vitest|typescript|biome/.test(one)))
    for (const { dependsOn } of bill.dependencies) for (const one of dependsOn) assert.isTrue(references.has(one), one)
    for (const { hashes, purl, version } of bill.components) {
      assert.match(version, /^\d/, purl)
      assert.match(hashes?.[0]?.content ?? "", /^[0-9a-f]{128}$/, purl)
    }
  })

  it("takes the package that Node would load where there are several versions", () => {
    const { dependencies } = billOf({
      name: "a",
      version: "1.0.0",
      packages: {
        "": { dependencies: { b: "1", c: "1" } },
        "node_modules/b": { version: "1.0.0", dependencies: { c: "2", d: "1" } },
        "node_modules/b/node_modules/c": { version: "2.0.0" },
        "node_modules/b/node_modules/d": { version: "1.0.0", dependencies: { c: "2", missing: "1" } },
        "node_modules/c": { version: "1.0.0" },
        "node_modules/e": { version: "1.0.0", dev: true }
      }
    })
    assert.deepStrictEqual(
      dependencies.map(({ dependsOn, ref }) => [ref, ...dependsOn].map((one) => one.slice("pkg:npm/".length))),
      [
        ["a@1.0.0", "b@1.0.0", "c@1.0.0"],
        ["b@1.0.0", "c@2.0.0", "d@1.0.0"],
        ["c@1.0.0"],
        ["c@2.0.0"],
        ["d@1.0.0", "c@2.0.0"]
      ]
    )
  })

  it("has the notes of its version", () => {
    const changes =
      "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.2.0 (2026-10-01)\n\n- one\n\n### Area\n\n- two\n\n## 0.1.0\n\n- old\n"
    assert.strictEqual(sectionOf(changes, "0.2.0"), "- one\n\n### Area\n\n- two")
    assert.strictEqual(sectionOf(changes, "Unreleased"), "- new")
    assert.isNull(sectionOf(changes, "0.3.0"))
  })

  const isCheckout = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root }).status === 0
  it.skipIf(!isCheckout)("has the same bytes when it is made again (skipped without Git)", () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-release-"))
    try {
      const options = { node: process.execPath, heading: "Unreleased", withPackages: false }
      const [first, second] = ["one", "two"].map((name) => makeFiles(join(folder, name), options))
      assert.deepStrictEqual(first, second)
      const files = readdirSync(join(folder, "one"))
      assert.sameMembers(files, [
        "NOTES.md",
        "SHA256SUMS",
        `sluice-${lock.version}-image.tar.gz`,
        `sluice-${lock.version}.cdx.json`,
        `sluice-${lock.version}.tar.gz`
      ])
      const checked = spawnSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: join(folder, "one") })
      assert.strictEqual(checked.status, 0, String(checked.stderr))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe("the workflows", () => {
  const of = (name: string) => Yaml.parse(readFileSync(join(root, ".github/workflows", name), "utf8")) as never
  const steps = (name: string): ReadonlyArray<string> =>
    Object.values((of(name) as { jobs: Record<string, { steps: ReadonlyArray<{ run?: string }> }> }).jobs).flatMap(
      (job) => job.steps.flatMap(({ run = "" }) => run.split("\n"))
    )

  it("run what CI runs, on each version of Node that is supported", () => {
    const { jobs } = of("checks.yml") as { jobs: { checks: { strategy: { matrix: { node: ReadonlyArray<string> } } } } }
    const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    assert.deepStrictEqual(jobs.checks.strategy.matrix.node, ["22", "24", "26"])
    assert.include(engines.node, ">=22")
    for (const name of ["checks.yml", "release.yml"]) assert.include(steps(name), ".ci/run")
  })

  it("run on the Node of their matrix, and on no other that the bootstrap would fetch", () => {
    for (const name of ["checks.yml", "nightly.yml"]) {
      const { jobs } = of(name) as { jobs: Record<string, { strategy?: object; steps: ReadonlyArray<object> }> }
      const compared = Object.values(jobs).filter(({ strategy }) => strategy !== undefined)
      assert.lengthOf(compared, 1, name)
      for (const { steps } of compared) {
        const at = (pattern: RegExp) => steps.findIndex((step) => pattern.test(JSON.stringify(step)))
        const named = at(/SLUICE_NODE=\$\(command -v node\)/)
        assert.isAbove(named, at(/matrix\.node/), name)
        assert.isBelow(named, at(/\.ci\/run|npm run/), name)
      }
    }
  })

  it("call scripts that exist, and write nothing into a command that others can name", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const all = readdirSync(join(root, ".github/workflows")).flatMap(steps)
    for (const [, script = ""] of all.join("\n").matchAll(/npm run ([\w:]+)/g)) assert.property(scripts, script)
    assert.deepStrictEqual(
      all.filter((line) => line.includes("${{")),
      []
    )
  })
})
