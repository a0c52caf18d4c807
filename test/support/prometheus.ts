/** A strict reader of the text format of Prometheus, version 0.0.4. It throws at the first line that breaks a rule. */
export interface Family {
  readonly type: string
  readonly samples: Array<{
    readonly name: string
    readonly labels: ReadonlyMap<string, string>
    readonly value: number
  }>
}

const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\+Inf|-Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/
const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/

const labelsOf = (text: string): ReadonlyMap<string, string> => {
  const labels = new Map<string, string>()
  for (let rest = text; rest !== ""; ) {
    const found = label.exec(rest)
    if (found === null) throw new Error(`No label: ${rest}`)
    const [all, name = "", value = ""] = found
    if (labels.has(name)) throw new Error(`The label ${name} occurs twice in ${text}`)
    labels.set(name, value)
    rest = rest.slice(all.length)
  }
  return labels
}

/** The samples of a histogram are cumulative buckets that end in +Inf, with their sum and count. */
const checkHistogram = (name: string, { samples }: Family): void => {
  const series = new Map<string, Array<number>>()
  const counts = new Map<string, number>()
  for (const one of samples) {
    const key = JSON.stringify([...one.labels].filter(([of]) => of !== "le").sort())
    if (one.name === `${name}_count`) counts.set(key, one.value)
    if (one.name !== `${name}_bucket`) continue
    if (!one.labels.has("le")) throw new Error(`A bucket of ${name} has no le`)
    series.set(key, [...(series.get(key) ?? []), one.value])
    if (one.labels.get("le") === "+Inf") counts.set(`${key} +Inf`, one.value)
  }
  for (const [key, buckets] of series) {
    if (buckets.some((value, at) => value < (buckets[at - 1] ?? 0))) throw new Error(`${name} ${key} is not cumulative`)
    if (counts.get(key) !== counts.get(`${key} +Inf`))
      throw new Error(`The count of ${name} ${key} is not its last bucket`)
  }
}

/** The families of a text, by their names. */
export const parse = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("The text does not end in a line break")
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let current = ""
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", more = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === "HELP") continue
    if (kind === "TYPE") {
      if (families.has(name)) throw new Error(`The family ${name} occurs twice`)
      if (!/^(counter|gauge|histogram)$/.test(more)) throw new Error(`No type: ${line}`)
      if ((more === "counter") !== name.endsWith("_total")) throw new Error(`${name} is misnamed for a ${more}`)
      families.set(name, { type: more, samples: [] })
      current = name
      continue
    }
    const found = sample.exec(line)
    if (found === null) throw new Error(`No sample: ${line}`)
    const [, of = "", labels = "", value = ""] = found
    const family = families.get(current)
    const endings = family?.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    if (!endings.some((ending) => of === `${current}${ending}`)) throw new Error(`${of} is in the family ${current}`)
    const series = line.slice(0, line.lastIndexOf(" "))
    if (seen.has(series)) throw new Error(`The series ${series} occurs twice`)
    seen.add(series)
    family?.samples.push({ name: of, labels: labelsOf(labels), value: Number(value.replace("Inf", "Infinity")) })
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family)
  return families
}
