/**
 * What reads a clock, and what has a limit of time of its own, read with a parser: page scripts in texts are none of it.
 */
import { parseSync } from "rolldown/utils"
import type { Source } from "../../support/Source.ts"
import { childrenOf, isNode, type Node } from "./Functions.ts"

const clocks = new Set([
  "Date.now",
  "performance.now",
  "performance.eventLoopUtilization",
  "process.cpuUsage",
  "process.threadCpuUsage",
  "process.resourceUsage",
  "process.hrtime",
  "process.hrtime.bigint",
  "process.uptime",
  "Effect.timed"
])

/** Calls that end what takes longer than they are told. */
const limiting = /^(Effect\.timeout\w*|AbortSignal\.timeout|vi\.waitFor|vi\.waitUntil|expect\.poll)$/

/** Calls of the runner, whose last argument may be a limit. */
const ofRunner = /^(it|test|describe|layer|beforeAll|beforeEach|afterAll|afterEach)\b/

/** Calls of `waiting.ts`, whose last argument may be a limit. */
const ofWaiting = /^(awaited|until)$/

type Fields = Readonly<Record<string, unknown>>
const fields = (node: Node): Fields => node as unknown as Fields

/** The name of an identifier or of a path of them, such as `process.hrtime.bigint`; of a call, that of what is called. */
const nameOf = (node: unknown): string => {
  if (!isNode(node)) return ""
  const { callee, name, object, property } = fields(node)
  if (node.type === "Identifier") return String(name)
  if (node.type === "CallExpression") return nameOf(callee)
  return node.type === "MemberExpression" ? `${nameOf(object)}.${nameOf(property)}` : ""
}

/** Whether a value stands there as a number, or as a text with one, alone or in a product. */
const isFixed = (node: unknown): boolean => {
  if (!isNode(node)) return false
  const { left, right, value } = fields(node)
  if (node.type === "Literal") return typeof value === "number" || (typeof value === "string" && /\d/.test(value))
  return node.type === "BinaryExpression" && (isFixed(left) || isFixed(right))
}

/** What is wrong with a node by itself. `isLive` says that it stands in a test on the clock of the machine. */
const foundAt = (node: Node, isLive: boolean): string | null => {
  const { arguments: given, callee, imported, key, source, value } = fields(node)
  const list = Array.isArray(given) ? given : []
  switch (node.type) {
    case "MemberExpression": {
      const name = nameOf(node)
      return clocks.has(name) || (isLive && name === "Clock.currentTimeMillis") ? name : null
    }
    case "NewExpression":
      return nameOf(callee) === "Date" && list.length === 0 ? "new Date()" : null
    case "ImportSpecifier":
      return ["monitorEventLoopDelay", "hrtime"].includes(nameOf(imported)) ? nameOf(imported) : null
    case "ImportDeclaration":
      return isNode(source) && fields(source).value === "node:timers/promises" ? "node:timers/promises" : null
    case "Property":
      return /^(timeout|testTimeout|hookTimeout)$/.test(nameOf(key)) && isFixed(value) ? "a limit of its own" : null
    case "CallExpression": {
      const name = nameOf(callee)
      if (limiting.test(name)) return name
      const isLimit =
        /\.setDefault(Navigation)?Timeout$/.test(name) ||
        (ofRunner.test(name) && list.length > 1) ||
        ofWaiting.test(name)
      return isLimit && isFixed(list.at(-1)) ? "a limit of its own" : null
    }
    default:
      return null
  }
}

/** What a source has of it, as `path: what`. */
export const clocksIn = ({ path, text }: Source): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: Node, isLive: boolean): void => {
    const what = foundAt(node, isLive)
    if (what !== null) found.push(`${path}: ${what}`)
    const live = isLive || (node.type === "CallExpression" && /^it\.live\b/.test(nameOf(node)))
    for (const child of childrenOf(node)) visit(child, live)
  }
  visit(parseSync(path, text).program as unknown as Node, false)
  return found
}
