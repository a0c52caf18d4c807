/** The nodes of n8n, one by one. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { pageStep } from "./N8nBrowser.ts"
import * as N8nCondition from "./N8nCondition.ts"
import type { Data } from "./N8nData.ts"
import { request } from "./N8nRequest.ts"
import * as N8nSchedule from "./N8nSchedule.ts"
import { expressions, isTrigger, listOf, type Source } from "./N8nSource.ts"
import { type Act, type Comparison, holds, lost, requires, type Step, step, type Where, written } from "./Recording.ts"

export interface Read {
  readonly step: Step
  /**
   * `on` leads on by its first output; `ways` has an act for each output that decides, `otherwise` the output for the
   * rest; `each` is a loop, with the outputs of its body and of what follows it; `rest` is one over all that follows.
   */
  readonly next:
    | { readonly kind: "on" }
    | {
        readonly kind: "ways"
        readonly ways: ReadonlyArray<readonly [output: number, act: Act]>
        readonly otherwise: number | null
      }
    | { readonly kind: "each"; readonly body: number; readonly done: number }
    | { readonly kind: "rest" }
  /** The code of the node, if it is a script that drives a browser. */
  readonly script?: string
}

const on = (one: Step, script?: string): Read => ({
  step: one,
  next: { kind: "on" },
  ...(script === undefined ? {} : { script })
})

/** `isBatched`: whether the node leads to a loop over its items. */
export const read = (source: Source, data: Data, isBatched: boolean): Read => {
  const { isOff, name, parameters, where } = source
  if (isOff) return on(step(where, [], ["It is switched off in the file, so it is left out"]))
  switch (where.kind) {
    case "if":
    case "filter": {
      const condition = N8nCondition.read(data, parameters)
      const otherwise = where.kind === "if" ? 1 : null
      return { step: decided(where, [condition]), next: { kind: "ways", ways: [[0, deciding(condition)]], otherwise } }
    }
    case "switch":
      return chosen(source, data)
    case "splitInBatches": {
      const [body, done] = source.version >= 3 ? [1, 0] : [0, 1]
      return { step: loop(source, data), next: { kind: "each", body, done } }
    }
    case "splitOut": {
      const field = String(parameters.fieldToSplitOut ?? "")
      const list = data.text(`={{ $json.${field} }}`)?.[0]
      if (field === "" || field.includes(",") || list === undefined || typeof list === "string")
        return on(lost(where, "What it splits is not read: add a LOOP over the list"))
      data.keep(name, { item: list.expression, isList: true, fields: new Map() })
      if (isBatched) return on(step(where, []))
      const each = loop(source, data)
      return {
        step: { ...each, changes: ["Each element goes through all that follows before the next one does"] },
        next: { kind: "rest" }
      }
    }
    case "code":
    case "function":
    case "functionItem":
      return on(
        lost(where, "Runs execute no scripts: add a TRANSFORM, or actions on the page"),
        String(parameters.jsCode ?? parameters.functionCode ?? "")
      )
    default: {
      const page = pageStep(source, data)
      return page === null ? on(flow(source, data)) : on(page.step, page.script)
    }
  }
}

const deciding = (condition: Comparison | null): Act =>
  condition === null ? { _tag: "Skip" } : { _tag: "If", condition }

const decided = (where: Where, conditions: ReadonlyArray<Comparison | null>): Step =>
  conditions.includes(null)
    ? lost(where, "Its condition is not translated: add a BOOL_CONDITION, and its ways")
    : step(where, [])

/** A Switch: its rules in order, and the output of what no rule takes. */
const chosen = ({ parameters, version, where }: Source, data: Data): Read => {
  const rules = Json.objectOf(parameters.rules)
  const found =
    version >= 3
      ? listOf(rules.values ?? rules.rules).map((rule, at) => [at, N8nCondition.read(data, rule)] as const)
      : listOf(rules.rules).map(
          (rule) => [Number(rule.output ?? 0), N8nCondition.ofSwitch(data, parameters, rule)] as const
        )
  const fallback = version >= 3 ? Json.objectOf(parameters.options).fallbackOutput : parameters.fallbackOutput
  const otherwise =
    fallback === "extra"
      ? found.length
      : Number.isInteger(Number(fallback ?? "none")) && Number(fallback) >= 0
        ? Number(fallback)
        : null
  if (found.length === 0) {
    return {
      step: lost(where, "Its output is an expression: add a BOOL_CONDITION for each of its ways"),
      next: { kind: "ways", ways: [0, 1, 2, 3].map((output) => [output, { _tag: "Skip" }]), otherwise: null }
    }
  }
  return {
    step: decided(
      where,
      found.map(([, condition]) => condition)
    ),
    next: { kind: "ways", ways: found.map(([output, condition]) => [output, deciding(condition)]), otherwise }
  }
}

/** A loop over the items of the node before. */
const loop = ({ name, parameters, where }: Source, data: Data): Step => {
  const item = data.variable(`${name}_item`)
  const over = data.list(name)
  data.keep(name, { item: `context.runtime.${item}`, isList: false, fields: new Map() })
  const act: Act = { _tag: "Each", over, item, index: `${item}_index` }
  const size = Number(parameters.batchSize ?? 1)
  return step(where, [act], size > 1 ? ["Each turn takes one item, not a batch of them"] : [])
}

const flow = (source: Source, data: Data): Step => {
  const { name, parameters, where } = source
  switch (where.kind) {
    case "manualTrigger":
    case "start":
    case "executeWorkflowTrigger":
    case "noOp":
    case "stickyNote":
      return step(where, [])
    case "scheduleTrigger":
    case "cron":
    case "interval":
      return lost(where, N8nSchedule.advice(where.kind, parameters))
    case "merge":
      return step(where, [], ["Its ways meet by themselves: values are read by the names of their variables"])
    case "httpRequest":
      return request(source, data)
    case "set":
      return setting(source, data)
    case "wait":
      return waiting(source)
    case "stopAndError": {
      const message = data.text(parameters.errorMessage ?? "")
      return step(
        where,
        requires(holds("false"), message === null ? "" : written(message) || "The workflow ends with an error")
      )
    }
    case "errorTrigger":
      return lost(where, "A failed run is reported by its error and its webhooks: nothing needs to be added")
    default:
      if (isTrigger(source))
        return lost(where, "Workflows are started by runs: submit a run, with the data as its inputs")
      return lost(where, `Runs have no such node (${name.slice(0, 80)}): let the caller do it, or add an API_FLOW`)
  }
}

/** Seconds of the units of a Wait. */
const seconds: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }

const waiting = ({ parameters, version, where }: Source): Step => {
  const unit = String(parameters.unit ?? (version > 1 ? "seconds" : "hours"))
  const time = Number(parameters.amount ?? (version > 1 ? 5 : 1)) * (seconds[unit] ?? Number.NaN)
  if ((parameters.resume ?? "timeInterval") !== "timeInterval")
    return lost(where, "Runs do not wait for a request or a date: begin another run then")
  if (!(time >= 0 && time <= 3_600))
    return lost(where, "A DELAY waits at most an hour: add one, or begin another run then")
  return step(where, [{ _tag: "Do", action: "DELAY", name: `Wait ${time} s`, parameters: { delay_time: time } }])
}

/** The fields that a node sets, in each of its versions: their names and values. */
const fieldsIn = (parameters: Schema.JsonObject): ReadonlyArray<readonly [string, Schema.Json | undefined]> | null => {
  if (parameters.mode === "raw" || parameters.mode === "json") {
    try {
      const given = parameters.jsonOutput
      const parsed = typeof given === "string" ? Json.parse(given) : given
      return Json.isObject(parsed) ? Object.entries(parsed) : null
    } catch {
      return null
    }
  }
  const { assignments } = Json.objectOf(parameters.assignments)
  if (Array.isArray(assignments)) return listOf(assignments).map(({ name, value }) => [String(name), value])
  const { values } = Json.objectOf(parameters.fields)
  if (Array.isArray(values)) {
    return listOf(values).map((one) => [String(one.name), one[String(one.type ?? "stringValue")]])
  }
  return Object.values(Json.objectOf(parameters.values)).flatMap((list) =>
    listOf(list).map(({ name, value }) => [String(name), value] as const)
  )
}

/** Each field becomes a variable of its name. */
const setting = ({ name, parameters, where }: Source, data: Data): Step => {
  const found = fieldsIn(parameters)
  if (found === null || found.length === 0)
    return lost(where, "Its JSON is not read: add a TRANSFORM that sets the values")
  const fields = new Map(data.scope.fields)
  const acts: Array<Act> = []
  for (const [field, value] of found) {
    const variable = /^(?:inputs|runtime)$/.test(field)
      ? `${field}_value`
      : field.replace(/\W+/g, "_").replace(/^(\d)/, "_$1")
    const text = data.text(value)
    if (text === null || variable === "") return lost(where, expressions)
    const isWritten = typeof value === "string"
    acts.push({ _tag: "Set", name: variable, value: isWritten ? text : { computed: JSON.stringify(value ?? null) } })
    fields.set(field, `context.${variable}`)
  }
  data.keep(name, { ...data.scope, fields })
  return step(where, acts)
}
