import { spawnSync } from "node:child_process"
import { assert, it } from "@effect/vitest"
import { otherRuntimes } from "../../../apps/bootstrap/runtimes.js"
import { root, sources } from "../../support/Source.ts"

/** What files take by name from the modules of Node, types left out. */
const taken = sources("core", "adapters", "apps", "test/kit").flatMap(({ path, text }) =>
  [...text.matchAll(/^import \{([^}]*)\} from "(node:[^"]+)"/gm)].flatMap(([, names = "", module = ""]) =>
    names
      .split(",")
      .map((name) => name.trim().replace(/ as .*$/, ""))
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => ({ path, module, name }))
  )
)

const program = `
const absent = []
for (const { module, name, path } of ${JSON.stringify(taken)}) {
  if (!(name in (await import(module)))) absent.push(path + ": " + name + " of " + module)
}
console.log(JSON.stringify(absent))
`

it("the service takes nothing from Node by name that Deno does not have", () => {
  assert.isAbove(taken.length, 100)
  const done = spawnSync(otherRuntimes().deno, ["eval", program], { cwd: root, encoding: "utf8" })
  assert.deepStrictEqual(JSON.parse(done.stdout), [], done.stderr)
})
