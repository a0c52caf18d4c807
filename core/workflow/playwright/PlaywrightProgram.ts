/**
 * Workflows as plain Playwright: one TypeScript file that depends on `playwright-core` alone, and on `otpauth` where codes
 * of an authenticator are typed.
 */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { nodeMoves } from "../code/CompiledCode.ts"
import type { Move, NodeMove } from "../code/Move.ts"
import { movesOf } from "../code/Structure.ts"
import { indented, statements, trimmed } from "./Jumps.ts"
import { expectLines } from "./ProgramExpect.ts"
import { memberOf, Unsayable, type Uses } from "./ProgramExpression.ts"
import { helpers } from "./ProgramHelpers.ts"
import { condition, runIf, stepLines, turns } from "./ProgramSteps.ts"

/** A program, and what it does not do. */
export interface PlaywrightProgram {
  readonly text: string
  /** What stops the program: steps that it cannot do, each with the reason. It does everything where this is empty. */
  readonly missing: ReadonlyArray<string>
  /** What the program does not do around its steps, such as recoveries. */
  readonly remarks: ReadonlyArray<string>
}

type Fields = Readonly<Record<string, Schema.Json | undefined>>

/** The program of a workflow: the fields of a save request, whose graph can be saved. */
export const program = (fields: Fields): PlaywrightProgram => {
  const name = typeof fields.name === "string" ? fields.name : "Workflow"
  const moves = movesOf(fields.nodes ?? [], fields.edges ?? {})
  const uses: Uses = {
    helpers: new Set(),
    secrets: new Set(),
    aliases: new Set(Object.keys(Json.objectOf(fields.vault_schema))),
    types: nodeMoves(moves ?? []).some(
      (move) => "action" in move && (move.action === "INPUT_TEXT" || move.action === "INPUT_SELECT")
    )
  }
  const missing: Array<string> = []
  const remarks = [...remarksOf(fields)]
  const output = Object.keys(Json.objectOf(Json.objectOf(fields.output_schema).properties))
  const result =
    output.length === 0
      ? "data"
      : `Object.fromEntries(Object.entries(data).filter(([name]) => ${JSON.stringify(output)}.includes(name)))`
  const written = moves === null ? unordered(missing) : bodyOf(moves, uses, { missing, remarks }, `return ${result}`)
  const called = allHelpers(uses.helpers)
  const names = [...called]
  const types = [
    called.has("downloads") ? "Download" : "",
    ["typed", "showsText", "counts"].some((one) => called.has(one)) ? "Locator" : "",
    "Page",
    called.has("underWay") ? "Request" : ""
  ].filter((one) => one !== "")
  const lines = [
    ...head(name, missing, remarks, [...uses.secrets], uses.helpers.has("codeOf")),
    `import { chromium, ${types.map((type) => `type ${type}`).join(", ")} } from "playwright-core"`,
    ...(called.has("file") ? ['import { join } from "node:path"'] : []),
    ...(called.has("saveDownload") ? ['import { readFileSync } from "node:fs"'] : []),
    `import { argv, env${called.has("clock") ? ", uptime" : ""} } from "node:process"`,
    ...(uses.helpers.has("codeOf") ? ['import { TOTP, URI } from "otpauth"'] : []),
    ...names.flatMap((one) => ["", helpers[one]?.code ?? ""]),
    "",
    "/** Does the workflow on a page, with the inputs of a run. Answers the data of the run. */",
    "export const run = async (page: Page, inputs: any): Promise<any> => {",
    "  page.context().setDefaultTimeout(15_000)",
    "  page.context().setDefaultNavigationTimeout(60_000)",
    ...(called.has("underWay") ? ["  watched(page)"] : []),
    ...(called.has("downloads")
      ? [
          '  page.context().on("page", (one) => one.on("download", (download) => downloads.push(download)))',
          '  page.on("download", (download) => downloads.push(download))'
        ]
      : []),
    '  page.context().on("dialog", (dialog) => dialog.accept(dialog.defaultValue()))',
    "  const data: any = {}",
    "  const runtime: any = {}",
    ...indented(trimmed(written)),
    "}",
    "",
    "if (argv[1] === import.meta.filename) {",
    '  const { CHANNEL = "chrome", CHROMIUM } = env',
    "  const chosen = CHROMIUM === undefined ? { channel: CHANNEL } : { executablePath: CHROMIUM }",
    "  const browser = await chromium.launch(chosen)",
    '  const data = await run(await browser.newPage(), JSON.parse(env.INPUTS ?? "{}"))',
    "  console.log(JSON.stringify(data, null, 2))",
    "  await browser.close()",
    "}",
    ""
  ]
  return { text: lines.join("\n"), missing, remarks }
}

const unordered = (missing: Array<string>): ReadonlyArray<string> => {
  missing.push("the graph cannot be saved as it is")
  return ['throw new Error("The graph of the workflow cannot be saved as it is")']
}

const comment = (text: string): string => text.replaceAll(/[\s\u2028\u2029]+/g, " ").trim()

const head = (
  name: string,
  missing: ReadonlyArray<string>,
  remarks: ReadonlyArray<string>,
  secrets: ReadonlyArray<string>,
  hasCodes: boolean
): ReadonlyArray<string> => {
  const list = (title: string, items: ReadonlyArray<string>) =>
    items.length === 0 ? [] : ["//", `// ${title}`, ...items.map((item) => `// - ${comment(item)}`)]
  return [
    `// ${comment(name)}`,
    "//",
    "// Written by sluice workflow export --playwright. To run it:",
    `//   npm install playwright-core${hasCodes ? " otpauth" : ""}`,
    `//   INPUTS='{}' node workflow.ts`,
    ...list("It stops at these steps:", missing),
    ...list("It does not do this:", remarks),
    ...list("It reads these secrets from variables of the environment:", secrets),
    ""
  ]
}

/** The helpers that are used, with those that they call, in the order of the list. */
const allHelpers = (used: ReadonlySet<string>): ReadonlySet<string> => {
  const all = new Set(used)
  for (const name of all) for (const called of helpers[name]?.calls ?? []) all.add(called)
  return new Set(Object.keys(helpers).filter((name) => all.has(name)))
}

const bodyOf = (
  moves: ReadonlyArray<Move>,
  uses: Uses,
  { missing, remarks }: { readonly missing: Array<string>; readonly remarks: Array<string> },
  answer: string
): ReadonlyArray<string> => {
  /** Lines, or what stops the program there. */
  const tried = (move: NodeMove, write: () => ReadonlyArray<string>): ReadonlyArray<string> => {
    try {
      return write()
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error
      missing.push(`"${move.name}": ${error.message}`)
      return [`throw new Error(${JSON.stringify(`"${move.name}" is not done by this program: ${error.message}`)})`]
    }
  }
  const titled = (move: NodeMove, lines: ReadonlyArray<string>) => ["", `// ${comment(move.name)}`, ...lines]
  try {
    return statements(moves, {
      step: (move) => {
        return titled(
          move,
          tried(move, () => {
            const { lines: expects, remarks: more } = expectLines(move.parameters, move.name, uses)
            remarks.push(...more)
            if (move.action === "END") return [...expects, answer]
            if (move.parameters.approval != null) throw new Unsayable("a person approves it first")
            const lines = [...stepLines(move.action, move.parameters, move.name, uses), ...expects]
            const only = runIf(move.parameters, uses)
            return only === null ? lines : [`if (${only}) {`, ...indented(lines), "}"]
          })
        )
      },
      when: (move, yes, no) => {
        let decides = "false"
        if (move.parameters.expect != null) remarks.push(`checking what must be true after "${move.name}"`)
        const stops = tried(move, () => {
          decides = condition(move.parameters, uses, yes.length > 0)
          return []
        })
        if (stops.length > 0) return titled(move, stops)
        const { clear_cookies_on_false, error_on_false_message } = move.parameters
        const failure =
          typeof error_on_false_message === "string" && error_on_false_message !== "" ? error_on_false_message : null
        const otherwise = [
          ...(clear_cookies_on_false === true ? ["await page.context().clearCookies()"] : []),
          ...(failure === null ? no : [`throw new Error(${JSON.stringify(failure)})`])
        ]
        if (yes.length === 0) return titled(move, [`if (${decides}) {`, ...indented(trimmed(otherwise)), "}"])
        const other = otherwise.length === 0 ? ["}"] : ["} else {", ...indented(trimmed(otherwise)), "}"]
        return titled(move, [`if (${decides}) {`, ...indented(trimmed(yes)), ...other])
      },
      each: (move, label, body) => {
        if (move.parameters.expect != null) remarks.push(`checking what must be true after "${move.name}"`)
        const item = `runtime${memberOf(String(move.parameters.variable_current_item))}`
        const index = `runtime${memberOf(String(move.parameters.variable_current_index))}`
        return titled(
          move,
          tried(move, () => [
            `${label === null ? "" : `${label}: `}for (const [index, item] of ${turns(move.parameters, uses)}.entries()) {`,
            `  ${item} = item`,
            `  ${index} = index`,
            ...indented(trimmed(body)),
            "}"
          ])
        )
      }
    })
  } catch (error) {
    if (!(error instanceof Unsayable)) throw error
    missing.push(error.message)
    return [`throw new Error(${JSON.stringify(error.message)})`]
  }
}

/** What the program leaves out around its steps. */
const remarksOf = (fields: Fields): ReadonlyArray<string> => {
  const recoveries = Object.keys(fields).filter((name) => name.startsWith("enable_") && fields[name] === true)
  return [
    ...(recoveries.length === 0 ? [] : [`recoveries (${recoveries.join(", ")})`]),
    ...(Number(fields.max_retries ?? 0) > 0 ? [`retrying a failed run ${fields.max_retries} times`] : [])
  ]
}
