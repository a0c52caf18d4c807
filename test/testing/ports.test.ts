import { assert, it } from "@effect/vitest"
import { codeOf, sources } from "../layout/Source.ts"

/** The services of a file that have no layer there: what an adapter or a program brings. */
const portsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^export class (\w+) extends Context\.Service</gm)].flatMap(({ 1: name = "", index }) => {
    const end = text.indexOf("\nexport ", index + 1)
    const declared = text.slice(index, end < 0 ? undefined : end)
    return declared.includes("static readonly layer") ? [] : [name]
  })

it("a port is a service of core without a layer of its own", () => {
  const port = 'export class Sender extends Context.Service<Sender, {}>()("sender") {}\n'
  const service = 'export class Runs extends Context.Service<Runs, {}>()("runs") {\n  static readonly layer = 1\n}\n'
  assert.deepStrictEqual(portsOf(`${service}\n${port}\n${service}`), ["Sender"])
})

it("every port of core has a contract", () => {
  const core = sources("core")
  const contracts = core.filter(({ path }) => path.startsWith("core/testing/contract/"))
  const code = contracts.map(({ text }) => codeOf(text)).join("\n")
  const ports = core.filter(({ path }) => !path.startsWith("core/testing/")).flatMap(({ text }) => portsOf(text))
  assert.include(ports, "Executor")
  assert.deepStrictEqual(
    ports.filter((name) => !new RegExp(`\\b${name}\\b`).test(code)),
    []
  )
})
