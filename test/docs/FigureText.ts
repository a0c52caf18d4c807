/**
 * The rule of figures as the text of one function: programs that leave Sluice have it in them.
 */
import { readFileSync } from "node:fs"

const source = (path: string): string => readFileSync(new URL(`../../core/${path}`, import.meta.url), "utf8")

/** The text of a file from a line that begins so to the end of that statement. */
const statement = (text: string, begins: string): string => {
  const from = text.indexOf(begins)
  const to = text.indexOf("\n}\n", from)
  if (from < 0 || to < 0) throw new Error(`There is no "${begins}": expected it in core/workspace/Json.ts`)
  return text.slice(from, to + 2)
}

const lines = (): ReadonlyArray<string> => {
  const keepsDigits = statement(source("workspace/Json.ts"), "export const keepsDigits")
  const rule = source("browser/element/Figure.ts")
    .replace(/^ *import .*\n/gm, "")
    .replace(/^( \*\/) *import .*$/m, "$1")
    .replaceAll("Json.keepsDigits", "keepsDigits")
  const body = `${keepsDigits}\n${rule.slice(rule.indexOf("*/") + 2)}`
    .replace(/^export /gm, "")
    .replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "")
    .replace(/^\s*\/\/.*\n/gm, "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `  ${line}`)
  return [
    "/** The number that a text shows, by the rule of Sluice. */",
    "const figures = (() => {",
    ...body,
    "  return { read, whole, shownBy, conventionOf }",
    "})()"
  ]
}

/** A text in the quotes that it needs to escape less. */
const quoted = (line: string): string => {
  const json = JSON.stringify(line)
  if (line.split('"').length <= line.split("'").length) return json
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** The module of core that holds it. */
export const written = (): string =>
  [
    "/** Written by `node test/docs/writeFigure.ts` from `core/browser/element/Figure.ts`: the same rule, for programs. */",
    "// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text of a program",
    "export const figureText: string = [",
    lines()
      .map((line) => `  ${quoted(line)}`)
      .join(",\n"),
    '].join("\\n")',
    ""
  ].join("\n")

export const path = new URL("../../core/workflow/playwright/FigureText.ts", import.meta.url)
