/** Projects of Selenium IDE (`.side`). */
import { Result, type Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { LinedJson } from "./LinedJson.ts"
import { lost, mostSteps, type Recording, type Step, step, type Unreadable } from "./Recording.ts"
import * as SeleniumCommand from "./SeleniumCommand.ts"

export const recognises = (value: Schema.Json): boolean => {
  const { tests } = Json.objectOf(value)
  return Array.isArray(tests) && tests.every((test) => Json.isObject(test) && Array.isArray(test.commands))
}

interface Test {
  readonly id: string
  readonly name: string
  /** The indices of its steps. */
  readonly steps: ReadonlyArray<number>
}

/** What `run` does at a step: the name of the test that it calls. */
type Calls = ReadonlyMap<number, string>

export const read = ({ lineOf, value }: LinedJson): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  const project = Json.objectOf(value)
  const written = listOf(project.tests).map(Json.objectOf)
  const commands = written.flatMap((test, at) =>
    listOf(test.commands).map((one, index) => ({
      fields: Json.objectOf(one),
      where: { step: `tests[${at}].commands[${index}]`, line: lineOf(one), kind: String(Json.objectOf(one).command) },
      test: at
    }))
  )
  const names = SeleniumCommand.namesOf(commands.map(({ fields }) => fields))
  const calls = new Map<number, string>()
  const url = typeof project.url === "string" ? project.url : ""
  const steps: Array<Step> = []
  let reader = new SeleniumCommand.Reader(url, names)
  commands.forEach(({ fields, test, where }, index) => {
    if (commands[index - 1]?.test !== test) reader = new SeleniumCommand.Reader(url, names)
    if (fields.command === "run") {
      calls.set(index, String(fields.target ?? ""))
      steps.push(step(where, [], [`The steps of the test "${shortened(fields.target)}" take its place`]))
    } else steps.push(reader.read(fields, where))
  })
  const tests = written.map(
    ({ id, name }, at): Test => ({
      id: String(id),
      name: String(name ?? ""),
      steps: commands.flatMap(({ test }, index) => (test === at ? [index] : []))
    })
  )
  const order = orderOf(tests, startsOf(tests, listOf(project.suites), calls), calls, steps)
  if (order === null) {
    const message = `The tests run each other so often that there are more than ${mostSteps} steps: expected fewer`
    return Result.fail([{ path: "tests", message }])
  }
  const done = new Set(order)
  return Result.succeed({
    format: "selenium-ide",
    name: typeof project.name === "string" ? project.name : "",
    description: null,
    steps: steps.map((one, index) =>
      done.has(index) || one.lost !== null
        ? one
        : lost(one, "No suite has its test: add the test to a suite, or send it alone")
    ),
    order,
    ...(/^https?:/.test(url) ? { site: url } : {}),
    reads: names.reads()
  })
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const shortened = (value: unknown): string => String(value ?? "").slice(0, 80)

/** The tests that are run: those of the suites, or all that no other test runs. */
const startsOf = (tests: ReadonlyArray<Test>, suites: ReadonlyArray<unknown>, calls: Calls): ReadonlyArray<Test> => {
  const inSuites = suites.flatMap((suite) => listOf(Json.objectOf(suite).tests).map(String))
  const found = [...new Set(inSuites)].flatMap((id) => tests.find((test) => test.id === id) ?? [])
  if (found.length > 0) return found
  const called = new Set(calls.values())
  const free = tests.filter(({ name }) => !called.has(name))
  return free.length > 0 ? free : tests.slice(0, 1)
}

/** The steps in the order in which they are done. A test that runs itself is named; `null` for too many steps. */
const orderOf = (
  tests: ReadonlyArray<Test>,
  starts: ReadonlyArray<Test>,
  calls: Calls,
  steps: Array<Step>
): ReadonlyArray<number> | null => {
  const order: Array<number> = []
  const open: Array<{ readonly test: Test; at: number }> = []
  const byName = new Map(tests.map((test) => [test.name, test]))
  for (const start of starts) {
    open.push({ test: start, at: 0 })
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const index = top.test.steps[top.at++]
      if (index === undefined) {
        open.pop()
        continue
      }
      if (order.push(index) > mostSteps) return null
      const called = calls.get(index)
      if (called === undefined) continue
      const test = byName.get(called)
      const one = steps[index]
      if (one === undefined) continue
      if (test === undefined) {
        steps[index] = lost(one, `The file has no test "${called.slice(0, 80)}": add its steps`)
      } else if (open.some((frame) => frame.test === test)) {
        steps[index] = lost(one, `The test "${called.slice(0, 80)}" runs itself here: repeat its steps by a LOOP`)
      } else open.push({ test, at: 0 })
    }
  }
  return order
}
