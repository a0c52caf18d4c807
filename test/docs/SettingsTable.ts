/**
 * The tables of `docs/settings.md`, made from the flags of the command line, so that the page cannot fall behind the code.
 */

import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Effect, Layer } from "effect"
import type { Flag, Param } from "effect/cli"
import { browsers } from "../../apps/cli/BrowserSettings.ts"
import * as Settings from "../../apps/cli/Settings.ts"

type Flags = Readonly<Record<string, Flag.Flag<unknown>>>

/** Each table by the name of its marker in the page. A setting that two groups share stands in the first. */
const groups: ReadonlyArray<readonly [string, Flags]> = [
  ["listening", Settings.listening],
  ["storage", Settings.storage],
  ["working", Settings.working],
  ["keeping", Settings.keeping],
  ["browsers", browsers],
  ["model", Settings.model],
  ["vault", Settings.vault],
  ["inbox", { ...Settings.inbox, ...Settings.inbound }],
  ["bootstrap", Settings.bootstrap],
  ["logging", Settings.logging],
  ["health", Settings.health],
  ["connection", { ...Settings.connection, ...Settings.sealing, ...Settings.receiving }]
]

export interface Setting {
  readonly variable: string
  readonly flag: string
  readonly description: string
  /** The default of the setting; empty when there is none. */
  readonly usual: string
}

const environment = Layer.mergeAll(NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown({})))

const usualOf = (flag: Flag.Flag<unknown>): string => {
  const [, value] = Effect.runSync(flag.parse({ flags: {}, arguments: [] }).pipe(Effect.provide(environment)))
  if (typeof value === "boolean") return value ? "1" : "0"
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

/** The flag below everything that was done to it, such as a default. */
const singleOf = (flag: object): Param.Single<"flag", unknown> =>
  "param" in flag ? singleOf(flag.param as object) : (flag as Param.Single<"flag", unknown>)

const settingOf = (flag: Flag.Flag<unknown>): Setting => {
  const single = singleOf(flag)
  const described = single.description._tag === "Some" ? single.description.value : ""
  const read = /^(.*) \[([A-Z0-9_]+)\]$/s.exec(described)
  if (read === null) throw new Error(`The description of --${single.name} does not end in its variable`)
  return { variable: read[2] ?? "", flag: single.name, description: read[1] ?? "", usual: usualOf(flag) }
}

/** All settings by group, each once. */
export const settings = (): ReadonlyArray<readonly [string, ReadonlyArray<Setting>]> => {
  const seen = new Set<string>()
  return groups.map(([name, flags]) => [
    name,
    Object.values(flags)
      .map(settingOf)
      .filter(({ variable }) => !seen.has(variable) && seen.add(variable))
  ])
}

const row = ({ description, flag, usual, variable }: Setting): string =>
  `| \`${variable}\` | \`--${flag}\` | ${usual === "" ? "" : `\`${usual}\``} | ${description.replaceAll("|", "\\|")} |`

const table = (rows: ReadonlyArray<Setting>): string =>
  ["| variable | flag | default | meaning |", "|---|---|---|---|", ...rows.map(row)].join("\n")

/** The page with each table between its markers made again. Fails when a marker is missing. */
export const written = (page: string): string =>
  settings().reduce((text, [name, rows]) => {
    const [begin, end] = [`<!-- settings: ${name} -->`, "<!-- end -->"]
    const from = text.indexOf(begin)
    const to = text.indexOf(end, from)
    if (from < 0 || to < 0) throw new Error(`docs/settings.md has no place for the settings of "${name}"`)
    return `${text.slice(0, from + begin.length)}\n${table(rows)}\n${text.slice(to)}`
  }, page)
