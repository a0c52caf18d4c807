/** The commands of `sluice` that the pages print, judged by the tree of the commands. */
import { Completions } from "effect/cli"
import { sluice } from "../../apps/cli/Sluice.ts"
import type { Source } from "../support/Source.ts"
import { asPrinted } from "./CommandsList.ts"
import { fencesOf } from "./Pages.ts"

type Described = Completions.CommandDescriptor

const tree = Completions.fromCommand(sluice)
const names = tree.subcommands.map(({ name }) => name).join("|")

/** A call of the program by any words before it: an installed one, one of a package, or that of the checkout. */
const called = new RegExp(
  `(?<before>npx |npm run (?:-s )?sluice -- |)(?<![\\w/@.-])(?<name>sluice |)(?<command>(?:${names})\\b[^\\n]*)`
)

/** The texts of a page that are code: the lines of fences without a language, and what stands in backticks. */
const codeOf = (page: Source): ReadonlyArray<string> => {
  const { text } = page
  const fences = fencesOf(page)
    .filter(({ language }) => language === "")
    .flatMap(({ text }) => text.split("\n"))
  const spans = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`]+)`/g)]
  return [...fences, ...spans.map(([, span = ""]) => span.replace(/\s+/g, " "))]
}

/** The parts of a line of a shell, without its comment. */
const partsOf = (line: string): ReadonlyArray<string> => line.replace(/\s#.*$/, "").split(/ \| | && |; /)

/** The printed commands of a page, without `npm run -s sluice --`, and those that are printed another way. */
export const printed = (
  page: Source
): { readonly commands: ReadonlyArray<string>; readonly others: ReadonlyArray<string> } => {
  const commands: Array<string> = []
  const others: Array<string> = []
  for (const part of codeOf(page).flatMap(partsOf)) {
    const groups = called.exec(part)?.groups
    if (groups === undefined) continue
    const { before = "", command = "", name = "" } = groups
    if (before === `${asPrinted} ` && name === "") commands.push(command.trim())
    // In an empty folder with the package alone, `npx` runs it.
    else if (name !== "" && before !== "npx ") others.push(`${page.path}: ${part.trim()}`)
  }
  return { commands, others }
}

/** Why a command would be refused before it does anything; `null` for one that is understood. */
export const problemOf = (written: string): string | null => {
  const words = written.split(/ +/).map((word) => word.replace(/^["']|["']$/g, ""))
  let command: Described = tree
  let at = 0
  for (; at < words.length; at++) {
    const next = command.subcommands.find(({ name }) => name === words[at])
    if (next === undefined) break
    command = next
  }
  const [word] = words.slice(at)
  if (command.subcommands.length > 0 && word !== undefined && /^[a-z]/.test(word) && command.arguments.length === 0) {
    return `${command.name} has no subcommand ${word}`
  }
  const flags = words.slice(at).flatMap((one) => /^--([a-z][\w-]*)/.exec(one)?.slice(1) ?? [])
  const unknown = flags.find((flag) => !["help", ...command.flags.map(({ name }) => name)].includes(flag))
  return unknown === undefined ? null : `${command.name} has no flag --${unknown}`
}
