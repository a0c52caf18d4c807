import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, type Schema, type SchemaAST } from "effect"
import { RunEvent } from "../../../core/event/RunEvent.ts"
import * as Expression from "../../../core/workflow/language/expression/Expression.ts"
import { parameters } from "../../../core/workflow/language/graph/Action.ts"
import * as Expect from "../../../core/workflow/language/graph/Expect.ts"
import * as UnknownNames from "../../../core/workflow/language/warning/UnknownNames.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { below } from "../../docs/Commands.ts"
import { comparing, programs, promisedBy, run } from "../../docs/Examples.ts"
import { type Fence, fencesOf, pages } from "../../docs/Pages.ts"

const all = pages()
const fences = all.flatMap(fencesOf)
const actions = all.find(({ path }) => path === "docs/actions.md")?.text ?? ""
const saved = 1_767_225_600_000

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

interface Step {
  readonly action: string
  readonly parameters: Schema.JsonObject
}

/** A workflow that does one node between its START and its END. */
const around = ({ action, parameters }: Step): Schema.Json => {
  const first = { id: id(1), name: "Start", action: "START", parameters: { url: "https://portal.example" } }
  const node = { id: id(2), name: "Example", action, parameters }
  const other = { id: id(3), name: "Wait", action: "DELAY", parameters: { delay_time: 0 } }
  const end = { id: id(4), name: "End", action: "END", parameters: {} }
  const branch = { true: id(3), false: id(4) }
  const loop = { loop_not_done: id(3), loop_done: id(4) }
  const nodes =
    action === "START" ? [{ ...node, id: id(1) }, end] : action === "END" ? [first, end] : [first, node, other, end]
  const edges: Schema.JsonObject =
    nodes.length === 2
      ? { [id(1)]: { to: id(4) } }
      : {
          [id(1)]: { to: id(2) },
          [id(2)]: action === "BOOL_CONDITION" ? branch : action === "LOOP" ? loop : { to: id(3) },
          [id(3)]: { to: action === "LOOP" ? id(2) : id(4) }
        }
  return {
    name: "Example",
    nodes,
    edges,
    vault_schema: { PORTAL: { type: "credential", domain: "https://portal.example" } }
  }
}

const problemsOf = (workflow: unknown): ReadonlyArray<string> =>
  SaveBody.read(workflow, saved).problems.map(({ message, path }) => `${path}: ${message}`)

const isStep = (value: unknown): value is Step => typeof value === "object" && value !== null && "action" in value

const isWorkflow = (value: unknown): boolean => typeof value === "object" && value !== null && "nodes" in value

/** The JSON of the pages: fences of it, and bodies that commands send. */
const documents = (): ReadonlyArray<{ readonly at: string; readonly value: unknown }> => [
  ...fences.filter(({ language }) => language === "json").map(({ at, text }) => ({ at, value: JSON.parse(text) })),
  ...fences
    .filter(({ language }) => language === "")
    .flatMap(({ at, text }) =>
      [...text.matchAll(/-d '(\{[\s\S]*?\})'/g)].map(([, body = ""]) => ({ at, value: JSON.parse(body) }))
    )
]

/** The part of the page of actions that is about one of them. */
const partOf = (action: string): string => actions.split(`\n## ${action}\n`)[1]?.split("\n## ")[0] ?? ""

/** The part before the actions, with the fields that several of them share. */
const shared = actions.split("\n## START\n")[0] ?? ""

/** The words in code of a text, and not in its examples. */
const wordsIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].flatMap(
      ([, code = ""]) => code.match(/[\w-]+/g) ?? []
    )
  )

/** The names of fields and the texts that values are chosen from, at any depth of a schema. */
const termsOf = (ast: SchemaAST.AST, seen = new Set<SchemaAST.AST>()): ReadonlyArray<string> => {
  if (seen.has(ast)) return []
  seen.add(ast)
  const within = (types: ReadonlyArray<SchemaAST.AST>) => types.flatMap((type) => termsOf(type, seen))
  switch (ast._tag) {
    case "Objects":
      return [
        ...ast.propertySignatures.map(({ name }) => String(name)),
        ...within([...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type))
      ]
    case "Arrays":
      return within([...ast.elements, ...ast.rest])
    case "Union":
      return within(ast.types)
    case "Suspend":
      return termsOf(ast.thunk(), seen)
    case "Literal":
      return typeof ast.literal === "string" ? [ast.literal] : []
    default:
      return []
  }
}

/** Parameters that no example has: older names, those that are ignored, and a model that is named otherwise. */
const withoutExample: Readonly<Record<string, ReadonlyArray<string>>> = {
  EXTRACT_DATAMODEL: ["model"],
  FILE_UPLOAD: ["execution"],
  INPUT_SELECT: ["execution", "prompt"],
  SCROLL: ["scroll_down", "scroll_behavior"]
}

describe("the examples of the docs", () => {
  it("are in languages that a test runs, and commands stand on pages whose commands are run", () => {
    const run = ["", "go", "json", "jsonata", "python", "ts"]
    assert.deepStrictEqual(
      fences.filter(({ language }) => !run.includes(language)).map(({ at }) => at),
      []
    )
    assert.deepStrictEqual(
      all
        .filter((page) => below(page).length > 0)
        .map(({ path }) => path)
        .toSorted(),
      ["README.md", "docs/getting-started.md", "docs/live-view.md", "docs/streams.md"]
    )
  })

  it("run, and give what they promise", () => {
    const examples = programs()
    assert.isAtLeast(examples.length, 6)
    assert.deepStrictEqual(run(examples), [])
  })

  it("of workflows and actions can be saved", () => {
    const found = documents()
    const wrong = found.flatMap(({ at, value }) =>
      isStep(value) || isWorkflow(value)
        ? problemsOf(isStep(value) ? around(value) : value).map((problem) => `${at}: ${problem}`)
        : []
    )
    assert.isAtLeast(found.filter(({ value }) => isWorkflow(value)).length, 2)
    assert.deepStrictEqual(wrong, [])
  })

  it("of actions have no field that nothing reads", () => {
    const ignored = documents().flatMap(({ at, value }) =>
      isStep(value)
        ? UnknownNames.warnings([{ name: "Example", ...value }]).map(
            ({ message, path }) => `${at}: ${path}: ${message}`
          )
        : []
    )
    assert.deepStrictEqual(ignored, [])
  })

  it("show every action", () => {
    const shown = new Set(documents().flatMap(({ value }) => (isStep(value) ? [value.action] : [])))
    assert.deepStrictEqual(
      Object.keys(parameters).filter((action) => !shown.has(action)),
      []
    )
  })

  it("name every parameter of every action", () => {
    const missing = Object.entries(parameters).flatMap(([action, { fields }]) =>
      Object.keys(fields)
        .filter((name) => !wordsIn(partOf(action)).has(name))
        .map((name) => `${action} ${name}`)
    )
    assert.include(shared, "`run_if`")
    assert.deepStrictEqual(
      [...new Set(["expect", ...termsOf(Expect.Expect.ast)])].filter(
        (name) => !wordsIn(`${shared}\n${partOf("BOOL_CONDITION")}`).has(name)
      ),
      []
    )
    assert.deepStrictEqual(missing, [])
  })

  it("name every field within a parameter, and every text that a value is chosen from", () => {
    const missing = Object.entries(parameters).flatMap(([action, { ast }]) => {
      const named = wordsIn(`${shared}\n${partOf(action)}`)
      return [...new Set(termsOf(ast))].filter((name) => !named.has(name)).map((name) => `${action} ${name}`)
    })
    assert.include(termsOf(parameters.API_FLOW.ast), "cursor_absent")
    assert.deepStrictEqual(missing, [])
  })

  it("of the page on streams name every kind of event", () => {
    const named = all.find(({ path }) => path === "docs/streams.md")?.text ?? ""
    const kinds = RunEvent.members.map(({ fields }) => fields.event.literal)
    assert.deepStrictEqual(
      kinds.filter((kind) => !named.includes(`\`${kind}\``)),
      []
    )
  })

  it("show every parameter: shared ones once, others with their action", () => {
    const steps = documents().flatMap(({ value }) => (isStep(value) ? [value] : []))
    const isShared = wordsIn(shared.split("\n## Parameters that several actions share\n")[1]?.split("\n## ")[0] ?? "")
    const shows = (name: string, action: string | null) =>
      steps.some((step) => (action === null || step.action === action) && name in step.parameters)
    const missing = Object.entries(parameters).flatMap(([action, { fields }]) =>
      Object.keys(fields)
        .filter((name) => !withoutExample[action]?.includes(name) && !shows(name, isShared.has(name) ? null : action))
        .map((name) => `${action} ${name}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it.effect("of expressions have the values that they promise", () =>
    Effect.gen(function* () {
      const page = fences.filter(({ path }) => path === "docs/expressions.md")
      const roots: unknown = JSON.parse(page.find(({ language }) => language === "json")?.text ?? "")
      const lines = page.filter(({ language }) => language === "jsonata").flatMap(({ text }) => text.trim().split("\n"))
      assert.isAtLeast(lines.length, 5)
      for (const line of lines) {
        const [source = "", promised = ""] = line.split("// =>")
        const expression = Result.getOrThrow(Expression.compile(source.trim()))
        const value = yield* Effect.promise(() => Expression.evaluate(expression, roots, { at: 0, seed: 0 }))
        assert.deepStrictEqual(value, JSON.parse(promised), line)
      }
    })
  )
})

describe("the runner of examples", () => {
  const fence = (text: string): Fence => ({ at: "page.md:1", path: "page.md", language: "ts", text })

  it("notices a value that is not as promised, and a program that fails", () => {
    const wrong = run([fence("1 + 1 // => 3"), fence('throw new Error("no")'), fence('"a" // => "a", a text')])
    assert.lengthOf(wrong, 2)
  })

  it("refuses a promise that is no JSON", () => {
    assert.strictEqual(promisedBy("[1, 2], a list"), "[1, 2]")
    assert.isUndefined(promisedBy("something else"))
    assert.throws(() => comparing(fence("f() // => something")), /page\.md:1/)
  })
})
