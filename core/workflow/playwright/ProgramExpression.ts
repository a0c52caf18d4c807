/** Expressions of workflows as JavaScript: paths into the data, operators, and functions that are short in JavaScript. */
import { Result } from "effect"
import * as Json from "../../workspace/Json.ts"
import * as Expression from "../language/expression/Expression.ts"
import * as LiveSelectors from "../language/expression/LiveSelectors.ts"
import * as Template from "../language/expression/Template.ts"

/** Raised for a part of a workflow that a plain program cannot say. */
export class Unsayable extends Error {
  override readonly name = "Unsayable"
}

/** What the code of a program has used so far. */
export interface Uses {
  /** The helper functions. */
  readonly helpers: Set<string>
  /** The environment variables of secrets. */
  readonly secrets: Set<string>
  readonly aliases: ReadonlySet<string>
  /** Whether the workflow fills in fields, which a page may empty before they are sent. */
  readonly types: boolean
}

/** The variable of the environment that holds a field of a credential. */
export const variableOf = (alias: string, field: string): string =>
  `${alias}_${field}`.replaceAll(/\W/g, "_").toUpperCase()

/** The code that reads a secret. */
export const secret = (uses: Uses, alias: string, field: string): string => {
  const variable = variableOf(alias, field)
  uses.secrets.add(variable)
  uses.helpers.add("secret")
  return `secret(${JSON.stringify(variable)})`
}

const names: Readonly<Record<string, (args: ReadonlyArray<string>, uses: Uses) => string>> = {
  count: ([list = "[]"], uses) => `${helper(uses, "listOf")}(${list}).length`,
  string: ([value = ""], uses) => `${helper(uses, "text")}(${value})`,
  number: ([value = ""]) => `Number(${value})`,
  uppercase: ([value = ""], uses) => `${helper(uses, "text")}(${value}).toUpperCase()`,
  lowercase: ([value = ""], uses) => `${helper(uses, "text")}(${value}).toLowerCase()`,
  trim: ([value = ""], uses) => `${helper(uses, "text")}(${value}).replace(/\\s+/g, " ").trim()`,
  length: ([value = ""], uses) => `[...${helper(uses, "text")}(${value})].length`,
  sum: ([list = "[]"], uses) =>
    `${helper(uses, "listOf")}(${list}).reduce((sum: number, one: any) => sum + Number(one), 0)`,
  not: ([value = ""]) => `!(${value})`,
  exists: ([value = ""]) => `(${value}) !== undefined`,
  join: ([list = "[]", separator = '""'], uses) => `${helper(uses, "listOf")}(${list}).join(${separator})`
}

const helper = (uses: Uses, name: string): string => {
  uses.helpers.add(name)
  return name
}

const operators: Readonly<Record<string, string>> = {
  "=": "===",
  "!=": "!==",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  "+": "+",
  "-": "-",
  "*": "*",
  "/": "/",
  "%": "%",
  and: "&&",
  or: "||"
}

type Tree = Readonly<Record<string, unknown>>

const treeOf = (value: unknown): Tree => (typeof value === "object" && value !== null ? (value as Tree) : {})
const treesOf = (value: unknown): ReadonlyArray<Tree> => (Array.isArray(value) ? value.map(treeOf) : [])

/** The code of an expression without braces. */
export const expression = (source: string, uses: Uses): string => {
  const compiled = Expression.compile(source.trim())
  if (Result.isFailure(compiled)) throw new Unsayable(`the expression {{${source}}} cannot be read`)
  return codeOf(treeOf(compiled.success.compiled.ast()), source, uses)
}

const codeOf = (tree: Tree, source: string, uses: Uses): string => {
  const code = (one: unknown): string => codeOf(treeOf(one), source, uses)
  const never = () =>
    new Unsayable(`the expression {{${source}}} is more than a path, an operator or a common function`)
  switch (tree.type) {
    case "string":
    case "number":
    case "value":
      return JSON.stringify(tree.value)
    case "path":
      return pathCode(treesOf(tree.steps), source, uses)
    case "block": {
      const [only, ...others] = treesOf(tree.expressions)
      if (only === undefined || others.length > 0) throw never()
      return `(${code(only)})`
    }
    case "condition":
      return `(${code(tree.condition)} ? ${code(tree.then)} : ${tree.else === undefined ? "undefined" : code(tree.else)})`
    case "unary": {
      if (tree.value === "-") return `-${code(tree.expression)}`
      if (tree.value === "[") return `[${treesOf(tree.expressions).map(code).join(", ")}]`
      if (tree.value !== "{") throw never()
      const members = (Array.isArray(tree.lhs) ? tree.lhs : []).map((pair: ReadonlyArray<unknown>) => {
        return `[${code(pair[0])}]: ${code(pair[1])}`
      })
      return `({ ${members.join(", ")} })`
    }
    case "binary": {
      if (tree.value === "&") {
        return `${helper(uses, "text")}(${code(tree.lhs)}) + ${helper(uses, "text")}(${code(tree.rhs)})`
      }
      const operator = operators[String(tree.value)]
      if (operator === undefined) throw never()
      return `${code(tree.lhs)} ${operator} ${code(tree.rhs)}`
    }
    case "function": {
      const name = String(treeOf(tree.procedure).value)
      const write = Object.hasOwn(names, name) ? names[name] : undefined
      if (write === undefined) throw never()
      return write(treesOf(tree.arguments).map(code), uses)
    }
    default:
      throw never()
  }
}

/** The names and indexes of a path. */
const pathCode = (steps: ReadonlyArray<Tree>, source: string, uses: Uses): string => {
  const keys = steps.flatMap((step): ReadonlyArray<string | number> => {
    const stages = treesOf(step.stages)
    const indexes = stages.map((stage) => treeOf(stage.expr))
    const isPlain = step.type === "name" && indexes.every(({ type, value }) => type === "number" && Number(value) >= 0)
    if (!isPlain) throw new Unsayable(`the path {{${source}}} is more than names and indexes`)
    return [String(step.value), ...indexes.map(({ value }) => Number(value))]
  })
  const [root, first, second, third] = keys
  if (root === "window" && keys.slice(1).join(".") === "location.href") return "page.url()"
  if (root !== "context" || first === undefined) throw new Unsayable(`the path {{${source}}} is not one of the context`)
  if (first === "inputs" && typeof second === "string" && uses.aliases.has(second)) {
    if (typeof third !== "string") throw new Unsayable(`{{${source}}} reads a whole credential`)
    return secret(uses, second, third)
  }
  const [object, rest] = first === "inputs" || first === "runtime" ? [first, keys.slice(2)] : ["data", keys.slice(1)]
  if (rest.length === 0) return object
  const [name] = rest
  if (rest.length === 1 && typeof name === "string") return `${object}${memberOf(name)}`
  return `${helper(uses, "get")}(${object}, ${rest.map((key) => JSON.stringify(key)).join(", ")})`
}

/** The access to a member of an object. */
export const memberOf = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`

const escaped = (text: string): string => text.replaceAll(/[\\`]|\$(?=\{)/g, "\\$&")

/** A text with expressions, as code whose value keeps its type where the text is one expression. */
export const template = (text: string, uses: Uses): string => {
  const { parts, whole } = Template.split(text)
  if (parts.every((part) => typeof part === "string")) return JSON.stringify(text)
  const [only] = parts
  if (whole && only !== undefined && typeof only !== "string") return expression(only.source, uses)
  const written = parts.map((part) => {
    if (typeof part === "string") return escaped(part)
    const code = expression(part.source, uses)
    return code.startsWith("secret(") ? `\${${code}}` : `\${${helper(uses, "text")}(${code})}`
  })
  return `\`${written.join("")}\``
}

/** The same as a text. */
export const templateText = (text: string, uses: Uses): string => {
  const code = template(text, uses)
  return /^(["`]|secret\()/.test(code) ? code : `${helper(uses, "text")}(${code})`
}

/** Any JSON value with expressions in its texts. */
export const value = (json: unknown, uses: Uses): string => {
  if (typeof json === "string") return template(json, uses)
  if (Array.isArray(json)) return `[${json.map((one) => value(one, uses)).join(", ")}]`
  if (!Json.isObject(json)) return JSON.stringify(json ?? null)
  const members = Object.entries(json).map(([name, member]) => `${JSON.stringify(name)}: ${value(member, uses)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

/** A value of a condition, in which elements of the page are read; `wait` is how long to wait for them. */
export const liveValue = (json: unknown, wait: string, uses: Uses): string => {
  if (typeof json !== "string" || !LiveSelectors.isIn(json)) return value(json, uses)
  const parts = LiveSelectors.split(json).map((part) => {
    if (typeof part === "string") return templateText(part, uses)
    const path = xpathOf(part.selector)
    const first = isPositioned(path) ? `, ${wait === "" ? "0" : wait}, true` : wait === "" ? "" : `, ${wait}`
    return `await ${helper(uses, "textAt")}(page, ${templateText(path, uses)}${first})`
  })
  return parts.length === 1
    ? (parts[0] ?? '""')
    : parts.map((part) => (part.startsWith("await") ? `${helper(uses, "text")}(${part})` : part)).join(" + ")
}

/** An XPath that the engine of the browser reads. */
export const xpathOf = (selector: string): string => {
  const path = selector.trim().replace(/^xpath=/, "")
  if (/^(css|role|text)=/.test(path)) throw new Unsayable(`${selector} is read where only an XPath can be`)
  if (/\b(lower-case|upper-case|matches|ends-with|replace|string-join|tokenize|some|every|for|if)\s*[($]/.test(path)) {
    throw new Unsayable(`${selector} is an XPath of version 3.1`)
  }
  return path
}

/** Whether an XPath surely names one of several elements by its position, besides a step to an attribute or a text. */
export const isPositioned = (path: string): boolean =>
  /\[(\d+|last\(\))\]$/.test(path.replaceAll(/\s/g, "").replace(/\/\/?(@[\w:-]+|text\(\))$/, ""))
