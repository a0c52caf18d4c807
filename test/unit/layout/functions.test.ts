import { assert, describe, it } from "@effect/vitest"
import { type Source, sources } from "../../support/Source.ts"
import { longFunctions, mostLines } from "./Functions.ts"

const lines = (count: number, line: string) => Array.from({ length: count }, () => line).join("\n")

const file = (text: string): Source => ({ path: "core/run/A.ts", text })

describe("functions", () => {
  const long = sources("core", "adapters", "apps", "test/kit").flatMap((source) => longFunctions(source))

  it(`have at most ${mostLines} lines, constructors of services aside`, () => {
    assert.deepStrictEqual(long, [])
  })

  it("that are too long are noticed in every form", () => {
    const body = lines(mostLines, "  more()")
    const breaches = [
      `function a() {\n${body}\n}`,
      `const b = () => {\n${body}\n}`,
      `const c = Effect.gen(function* () {\n${body}\n})`,
      `const service = { d() {\n${body}\n} }`,
      `const make = () => {\n  const e = () => {\n${body}\n  }\n  return e\n}`
    ]
    for (const breach of breaches) assert.isNotEmpty(longFunctions(file(breach)), breach.slice(0, 40))
  })

  it("that make a service may be longer by what they list, and by nothing else", () => {
    const methods = lines(50, "    get: () => {\n      return 1\n    },")
    const service = (before: string) =>
      `const make = Effect.gen(function* () {\n${before}\n  return Store.of({\n${methods}\n  })\n})`
    assert.deepStrictEqual(longFunctions(file(service("  const tables = yield* Tables"))), [])
    assert.lengthOf(longFunctions(file(service(lines(mostLines, "  more()")))), 1)
  })
})
