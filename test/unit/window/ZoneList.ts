/**
 * The list of zones as it follows from a release of the IANA database: from its file `tzdata.zi`, which every release and
 * every Unix system has.
 */

export interface ZoneList {
  /** The release, such as `2025b`. */
  readonly version: string
  /** Zones and Links by their area; those without an area stand under the empty name. */
  readonly areas: ReadonlyMap<string, ReadonlyArray<string>>
}

/** Reads the text of `tzdata.zi`. The zone `Factory` is left out: it says that a machine was not set up. */
export const read = (text: string): ZoneList => {
  const version = /^# version (\S+)/.exec(text)?.[1]
  if (version === undefined)
    throw new Error('Expected a file tzdata.zi, which begins with "# version", got another file')
  const areas = new Map<string, Array<string>>()
  for (const line of text.split("\n")) {
    const [kind, first = "", second = ""] = line.split(" ")
    const name = kind === "Z" ? first : kind === "L" ? second : ""
    if (name === "" || name === "Factory") continue
    const slash = name.indexOf("/")
    const area = slash < 0 ? "" : name.slice(0, slash)
    areas.set(area, [...(areas.get(area) ?? []), name.slice(slash + 1)])
  }
  return { version, areas }
}

const width = 118

/** The names of an area in lines, in the order of their characters. */
const linesOf = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const name of [...names].sort()) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + name.length > width) lines.push(`    ${name}`)
    else lines[lines.length - 1] = `${last} ${name}`
  }
  return lines
}

/** The module `ZoneNames.ts` with the list of a release in place of its own. */
export const written = (module: string, { areas, version }: ZoneList): string => {
  const order = [...areas.keys()].sort()
  const entries = order.map(
    (area) => `  ${area === "" ? '""' : area}: \`\n${linesOf(areas.get(area) ?? []).join("\n")}\n  \``
  )
  return module
    .replace(/as of its release \S+\./, `as of its release ${version}.`)
    .replace(/(zoneNamesVersion = )"[^"]*"/, `$1"${version}"`)
    .replace(/(const byArea: [^=]*= \{\n)[\s\S]*?\n\}\n/, (_, start: string) => `${start}${entries.join(",\n")}\n}\n`)
}
