/**
 * The lists of `docs/cli.md`, made from the tree of the commands and the table of exit codes.
 */
import { Completions } from "effect/cli"
import { service } from "../../apps/cli/commands/user/Service.ts"
import { isOne } from "../../apps/cli/commands/user/Users.ts"
import { sluice } from "../../apps/cli/Sluice.ts"
import { exitCodes, meanings } from "../../apps/cli/user/Ending.ts"
import * as SettingsTable from "./SettingsTable.ts"

type Described = Completions.CommandDescriptor

/** The flags of every command that talks to a service, and those that name the stores of an installation. */
const shared: ReadonlySet<string> = new Set([
  ...Object.keys(service).map((name) => (name === "apiKey" ? "key" : name)),
  ...SettingsTable.settings().flatMap(([group, rows]) => (group === "storage" ? rows.map(({ flag }) => flag) : []))
])

const global: ReadonlySet<string> = new Set(["log-level", "log-format", "help", "version", "completions", "wizard"])

const argumentOf = ({ name, required, variadic }: Described["arguments"][number]): string => {
  const shown = `${name.toUpperCase()}${variadic ? "…" : ""}`
  return required ? shown : `[${shown}]`
}

/** How the docs call the program: it works in a checkout on every system. */
export const asPrinted = "npm run -s sluice --"

const leaf = (path: ReadonlyArray<string>, command: Described): ReadonlyArray<string> => {
  const usage = [...path, ...command.arguments.map(argumentOf)].join(" ")
  const flags = command.flags.filter(({ name }) => !shared.has(name) && !global.has(name))
  return [
    `- \`${usage}\`: ${command.description ?? ""}`,
    ...flags.map(({ description, name }) => `  - \`--${name}\`: ${description ?? ""}`)
  ]
}

const listed = (path: ReadonlyArray<string>, command: Described): ReadonlyArray<string> =>
  command.subcommands.length === 0
    ? leaf(path, command)
    : [
        ...(command.arguments.length === 0 ? [] : leaf(path, command)),
        ...command.subcommands.flatMap((one) => listed([...path, one.name], one))
      ]

/** The commands of users, each with its arguments and flags. */
export const commands = (): string =>
  Completions.fromCommand(sluice)
    .subcommands.filter(({ name }) => isOne(["sluice", name]))
    .flatMap((command) => listed([asPrinted, command.name], command))
    .join("\n")

const codes = (): string =>
  Object.entries(meanings)
    .map(([name, meaning]) => {
      const code = name === "done" ? "" : `\`${name}\``
      return `| ${exitCodes[name as keyof typeof exitCodes]} | ${code} | ${meaning} |`
    })
    .join("\n")

const between = (page: string, marker: string, text: string): string => {
  const begin = `<!-- ${marker} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf("<!-- end -->", from)
  if (from < 0 || to < 0) throw new Error(`docs/cli.md has no place for "${marker}"`)
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`
}

/** The page with its lists made again. */
export const written = (page: string): string => {
  const table = `| exit code | code | meaning |\n|---|---|---|\n${codes()}`
  return between(between(page, "exit codes", table), "commands", commands())
}
