/** Reads YAML 1.2 as JSON, with the line of each object and list in it. */
import { Result, type Schema } from "effect"
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml"
import { type LinedJson, mostLevels } from "../../core/workflow/convert/LinedJson.ts"
import { mostYamlCharacters, type ParseYaml } from "../../core/workflow/convert/Parsers.ts"

/** Maximum number of values. What an alias stands for counts each time. */
const mostValues = 200_000

const tooDeep = "The YAML is nested too deeply to be read"

class Wrong extends Error {
  readonly node: Node

  constructor(node: Node, message: string) {
    super(message)
    this.node = node
  }
}

export const parse: ParseYaml = (text) => {
  const refused = (message: string) => Result.fail({ path: "", message })
  if (text.length > mostYamlCharacters) {
    return refused(`The YAML has ${text.length} characters: expected at most ${mostYamlCharacters}`)
  }
  const counter = new LineCounter()
  const lineAt = (offset: number) => counter.linePos(offset).line
  try {
    const document = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      logLevel: "error",
      // The reader looks for them: this would compare each name with each other one.
      uniqueKeys: false
    })
    const [error] = document.errors
    if (error !== undefined) {
      if (error.message.includes("call stack")) return refused(tooDeep)
      return refused(`Cannot read the YAML at line ${lineAt(error.pos[0])}: ${error.message.slice(0, 300)}`)
    }
    const lines = new WeakMap<object, number>()
    const reader = new Reader(lines, lineAt)
    const value = reader.valueOf(document.contents, 0)
    return Result.succeed<LinedJson>({
      value,
      lineOf: (one) => (typeof one === "object" && one !== null ? (lines.get(one) ?? null) : null)
    })
  } catch (error) {
    if (error instanceof Wrong) {
      return refused(`Cannot read the YAML at line ${lineAt(error.node.range?.[0] ?? 0)}: ${error.message}`)
    }
    if (!(error instanceof RangeError)) throw error
    return refused(tooDeep)
  }
}

/** The tags of what JSON has. Without another tag, a value would be read as something else. */
const tags = new Set(["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`))

const checkTag = (node: Node & { readonly tag?: string | undefined }): void => {
  if (node.tag === undefined || tags.has(node.tag)) return
  throw new Wrong(node, `expected a tag of what JSON has, such as !!str, got ${node.tag.slice(0, 40)}`)
}

/** The name by which an object has the members of others as well. In quotes it is a name like any other. */
const mergeKey = "<<"

/** The objects whose members are merged. */
const objectsOf = (value: Schema.Json, key: Node): ReadonlyArray<Schema.JsonObject> =>
  (Array.isArray(value) ? value : [value]).map((one) => {
    if (typeof one === "object" && one !== null && !Array.isArray(one)) return one
    throw new Wrong(key, "expected an object, or a list of objects, to merge by <<")
  })

class Reader {
  #count = 0
  readonly #anchors = new Map<string, Node>()
  readonly #lines: WeakMap<object, number>
  readonly #lineAt: (offset: number) => number

  constructor(lines: WeakMap<object, number>, lineAt: (offset: number) => number) {
    this.#lines = lines
    this.#lineAt = lineAt
  }

  valueOf(node: unknown, level: number): Schema.Json {
    if (isAlias(node)) {
      const named = this.#anchors.get(node.source)
      if (named === undefined) throw new Wrong(node, `expected an anchor for the alias *${node.source.slice(0, 40)}`)
      return this.#valueOf(named, level, node)
    }
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return null
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    return this.#valueOf(node, level, node)
  }

  /** The value of a node. `at` is where the file has it. */
  #valueOf(node: Node, level: number, at: Node): Schema.Json {
    if (level > mostLevels) throw new Wrong(at, `expected at most ${mostLevels} levels of objects and lists`)
    if (++this.#count > mostValues)
      throw new Wrong(at, `expected at most ${mostValues} values, those of aliases included`)
    checkTag(node)
    if (isMap(node)) {
      const members = new Map<string, Schema.Json>()
      let merged: ReadonlyArray<Schema.JsonObject> | null = null
      for (const { key, value } of node.items) {
        if (!isScalar(key)) throw new Wrong(at, "expected texts as the names of members")
        checkTag(key)
        const name = String(key.value)
        const merges = name === mergeKey && key.type === "PLAIN"
        if (merges ? merged !== null : members.has(name)) {
          throw new Wrong(key, `expected each member once, got ${name.slice(0, 40)} twice`)
        }
        const read = this.valueOf(value, level + 1)
        if (merges) merged = objectsOf(read, key)
        else members.set(name, read)
      }
      // Own members come before those of others, and those of the first object before those of the next.
      for (const [name, value] of (merged ?? []).flatMap(Object.entries<Schema.Json>)) {
        if (!members.has(name)) members.set(name, value)
      }
      return this.#placed(Object.fromEntries(members), at)
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => this.valueOf(item, level + 1))
      return this.#placed(items, at)
    }
    const value: unknown = isScalar(node) ? node.value : null
    if (value === null || typeof value === "boolean") return value
    return typeof value === "number" && Number.isFinite(value) ? value : String(value)
  }

  #placed<A extends Schema.Json & object>(value: A, at: Node): A {
    this.#lines.set(value, this.#lineAt(at.range?.[0] ?? 0))
    return value
  }
}
