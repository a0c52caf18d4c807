/**
 * The environment variables of the service. A variable that looks like one of them and is none is a mistake in writing.
 */

/** The variables that settings read, each with its flag. */
const flags = new Map<string, string>()

/** The variables that no setting reads: the bootstrap does, or tests and measurements. */
const others = /^SLUICE_(NODE$|TEST_|BENCH_|GAUNTLET_|UPDATE_)/

/** What Kubernetes sets for a service that is called `sluice`. */
const isOfCluster = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT(_\w+)?)$/.test(name) || /_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/.test(name)
    ? true
    : name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value)

/** Notes the variable of a setting, and returns it. */
export const variable = (flag: string, name: string): string => {
  flags.set(name, flag)
  return name
}

/** The variable of a flag; `null` for a flag without one. */
export const variableOf = (flag: string): string | null => [...flags].find(([, own]) => own === flag)?.[0] ?? null

/** How many letters have to be changed, added or removed to make one word of another. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, before] of row.slice(0, -1).entries()) {
      next.push(Math.min(before + (letter === other[j] ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

const nearest = (name: string): string | null => {
  const [first] = [...flags.keys()]
    .map((known) => ({ known, far: distance(name, known) }))
    .toSorted((a, b) => a.far - b.far)
  return first === undefined || first.far > name.length / 3 ? null : first.known
}

/** One sentence for each variable that begins like a setting and is none. */
export const unknown = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([name, value = ""]) => {
    if (!name.startsWith("SLUICE_") || flags.has(name) || others.test(name) || isOfCluster(name, value)) return []
    const meant = nearest(name)
    return [`There is no setting ${name}${meant === null ? "; docs/settings.md has all" : `; did you mean ${meant}?`}`]
  })
