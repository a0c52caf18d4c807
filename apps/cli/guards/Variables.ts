/** The environment variables of the service. An unknown variable with their prefix is reported as misspelled. */
import { misspelt } from "../../../core/window/NearestName.ts"

/** The variables that settings read, each with its flag. */
const flags = new Map<string, string>()

/** The variables that no setting reads: the bootstrap does, or tests and measurements. */
const others = /^SLUICE_(NODE$|TEST_|BENCH_|GAUNTLET_|UPDATE_)/

/** Whether Kubernetes sets this variable for a service named `sluice`. */
const isOfCluster = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT(_\w{1,60})?)$/.test(name) || /_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/.test(name)
    ? true
    : name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value)

/** Notes the variable of a setting, and returns it. */
export const variable = (flag: string, name: string): string => {
  flags.set(name, flag)
  return name
}

/** The variable of a flag; `null` for a flag without one. */
export const variableOf = (flag: string): string | null => [...flags].find(([, own]) => own === flag)?.[0] ?? null

const prefix = "SLUICE_"

/** One sentence for each unknown variable with the prefix of settings. */
export const unknown = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([name, value = ""]) => {
    if (!name.startsWith(prefix) || flags.has(name) || others.test(name) || isOfCluster(name, value)) return []
    // The prefix that all share would make short names alike.
    const known = [...flags.keys()].filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length))
    const meant = misspelt(name.slice(prefix.length), known)
    const hint = meant === null ? "docs/settings.md has all" : `did you mean ${prefix}${meant}?`
    return [`There is no setting ${name}; ${hint}`]
  })
