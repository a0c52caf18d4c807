import { assert, it } from "@effect/vitest"
import { exportsOfCheckout } from "../../../apps/bootstrap/packages.js"
import { codeOf, sources } from "../../support/Source.ts"

/** The services of a file that have no layer there: what an adapter or a program brings. */
const portsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^export class (\w+) extends Context\.Service</gm)].flatMap(({ 1: name = "", index }) => {
    const end = text.indexOf("\nexport ", index + 1)
    const declared = text.slice(index, end < 0 ? undefined : end)
    return declared.includes("static readonly layer") ? [] : [name]
  })

/** The type of a reference, as far as its file says: written where it is declared, or under a name. */
const shapeOf = (text: string, declared: string): string => {
  const written =
    /Context\.Reference<([\s\S]*?)>\(\s*"/.exec(declared)?.[1] ?? /^: Context\.Reference<(.*)> =/m.exec(declared)?.[1]
  const shape = written ?? /: Context\.Reference<([^=]*)>/.exec(declared)?.[1] ?? ""
  const named = [...shape.matchAll(/\w+/g)].flatMap(([name]) => {
    const [type] =
      new RegExp(`^(export )?(interface ${name} \\{[\\s\\S]*?^\\}|type ${name} =[^\\n]*)`, "m").exec(text) ?? []
    return type === undefined ? [] : [type]
  })
  return [shape, ...named].join("\n")
}

/**
 * The references of a file whose value is asked or told something: it has a function. A reference that is only read, a value
 * or an effect that gives one, is a setting. A file that has `make` makes the value itself.
 */
const referencesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^export const (\w+)(?=(: [^\n]*)? = Context\.Reference|: Context\.Reference)/gm)].flatMap(
    ({ 1: name = "", index }) => {
      const end = text.indexOf("defaultValue", index)
      const isPort = /=>/.test(shapeOf(text, text.slice(index, end))) && !/^export const make = /m.test(text)
      return isPort ? [name] : []
    }
  )

/** References that only core gives a value for, in which no adapter has a part. */
const ofCore = ["Advisor", "PhoneNumberOf"]

/** The network of a replay: what its one adapter promises is tested by `test/browser/replay`. */
const ofReplays = ["ReplayBrowser"]

/** The mails of alerts: what its one adapter promises is tested with a real server by `test/http/delivery/alerts.test.ts`. */
const ofAlerts = ["MailTransport"]

/** What only an installation for tests has: `test/contract/installation.test.ts` moves its clock. */
const ofTests = ["TestTime"]

it("a port is a service of core without a layer of its own", () => {
  const port = 'export class Sender extends Context.Service<Sender, {}>()("sender") {}\n'
  const service = 'export class Runs extends Context.Service<Runs, {}>()("runs") {\n  static readonly layer = 1\n}\n'
  assert.deepStrictEqual(portsOf(`${service}\n${port}\n${service}`), ["Sender"])
})

it("a port is a reference of core, too, whose value is asked something", () => {
  const asked = `export interface Source {
  readonly get: (url: URL) => Effect.Effect<string>
}
export const Source = Context.Reference<Source>("source", { defaultValue: () => none })
`
  const perhaps = `export interface Service {
  readonly answer: (question: string) => string
}
export const Model: Context.Reference<Service | null> = Context.Reference("model", {
  defaultValue: (): Service | null => null
})
`
  const inline = `export const Solver = Context.Reference<{
  readonly solve: (page: Page) => Effect.Effect<void>
} | null>("solver", { defaultValue: () => null })
`
  const read = `export interface Skew {
  readonly millis: Effect.Effect<number>
}
export const Skew = Context.Reference<Skew>("skew", { defaultValue: () => ({ millis: Effect.succeed(0) }) })
`
  const own =
    'export const make = (): Own => ({})\nexport const Own = Context.Reference<() => void>("own", { defaultValue: make })\n'
  assert.deepStrictEqual(
    [asked, perhaps, inline, read, own].map((text) => referencesOf(text)),
    [["Source"], ["Model"], ["Solver"], [], []]
  )
})

it("every port of core has a contract", () => {
  const core = sources("core")
  const contracts = sources("test/kit/contracts")
  const code = contracts.map(({ text }) => codeOf(text)).join("\n")
  const references = core.flatMap(({ text }) => referencesOf(text))
  const ports = [...core.flatMap(({ text }) => portsOf(text)), ...references]
  assert.includeMembers(ports, [
    "Executor",
    "Sandbox",
    "FileSource",
    "SecretSources",
    "Model",
    "CaptchaSolver",
    "Recorder"
  ])
  assert.deepStrictEqual(
    ports.filter((name) => !new RegExp(`\\b${name}\\b`).test(code)).toSorted(),
    [...ofCore, ...ofAlerts, ...ofReplays, ...ofTests].toSorted()
  )
  const adapters = sources("adapters").map(({ text }) => codeOf(text))
  assert.deepStrictEqual(
    ofCore.filter((name) => adapters.some((text) => new RegExp(`\\b${name}\\b`).test(text))),
    []
  )
})

/** What no program sets but this service: what core sets itself, the time of an installation for tests, and its own build. */
const unset = [...ofCore, ...ofTests, "Build"]

it("every reference that the adapters and the service set is of an entry of the library", () => {
  const setting = [...sources("adapters"), ...sources("apps")].map(({ text }) => codeOf(text))
  const entries = new Set(Object.values(exportsOfCheckout))
  const missing = sources("core").flatMap(({ path, text }) =>
    [...text.matchAll(/^export const (\w+)(?=(: [^\n]*)? = Context\.Reference|: Context\.Reference)/gm)].flatMap(
      ({ 1: name = "" }) => {
        const sets = new RegExp(`(add|succeed|effect|sync|provideService)\\(\\s*(\\w+\\.)?${name}\\b`)
        return setting.some((code) => sets.test(code)) && !entries.has(`./${path}`) ? [name] : []
      }
    )
  )
  assert.deepStrictEqual(
    missing.filter((name) => !unset.includes(name)),
    []
  )
})
