/**
 * The text of iCalendar (RFC 5545) as components and properties, each with the line at which it begins, from 1.
 */

export interface Property {
  readonly line: number
  readonly name: string
  /** The first value of each parameter. */
  readonly parameters: Readonly<Record<string, string>>
  readonly value: string
}

export interface Component {
  readonly line: number
  readonly name: string
  readonly properties: ReadonlyArray<Property>
  readonly components: ReadonlyArray<Component>
  /** Lines of it that are no properties. */
  readonly problems: ReadonlyArray<Problem>
}

export interface Problem {
  readonly line: number
  readonly message: string
}

/** The properties that Sluice writes: the kind of an event, and a special entry whose rule has no date and so no event. */
export const kindName = "X-SLUICE-KIND"
export const withoutDate = "X-SLUICE-WITHOUT-DATE"

interface Open extends Component {
  readonly properties: Array<Property>
  readonly components: Array<Component>
  readonly problems: Array<Problem>
}

/**
 * The calendars of a text, and what is wrong with it as a whole. Lines may end in CR, LF or both, and a byte-order mark may
 * come first.
 */
export const parse = (
  text: string
): { readonly calendars: ReadonlyArray<Component>; readonly problems: ReadonlyArray<Problem> } => {
  const problems: Array<Problem> = []
  const calendars: Array<Component> = []
  const open: Array<Open> = []
  const written = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)
  for (const { line, text: content } of unfolded(written)) {
    const property = propertyOf(content, line)
    const inner = open.at(-1)
    if (property === null) {
      const problem = { line, message: `Expected NAME:VALUE, got ${JSON.stringify(content.slice(0, 40))}` }
      ;(open.length > 1 ? (inner?.problems ?? problems) : problems).push(problem)
    } else if (property.name === "BEGIN") {
      const name = property.value.trim().toUpperCase()
      if (inner === undefined && name !== "VCALENDAR") {
        problems.push({ line, message: `Expected BEGIN:VCALENDAR, got BEGIN:${name}` })
      }
      const component = { line, name, properties: [], components: [], problems: [] }
      const siblings: Array<Component> = inner?.components ?? calendars
      siblings.push(component)
      open.push(component)
    } else if (property.name === "END") {
      if (open.pop()?.name !== property.value.trim().toUpperCase()) {
        problems.push({ line, message: `END:${property.value} ends nothing that is open` })
      }
    } else if (inner === undefined) {
      problems.push({ line, message: `Expected BEGIN:VCALENDAR, got ${property.name}` })
      break
    } else inner.properties.push(property)
  }
  const left = open.at(-1)
  if (left !== undefined) {
    problems.push({ line: written.length, message: `Expected END:${left.name}, got the end of the calendar` })
  }
  return { calendars, problems }
}

/** Lines that begin with a blank go on the one before them. */
const unfolded = (written: ReadonlyArray<string>): ReadonlyArray<{ readonly line: number; readonly text: string }> => {
  const lines: Array<{ readonly line: number; text: string }> = []
  for (const [index, text] of written.entries()) {
    const last = lines.at(-1)
    if (/^[ \t]/.test(text) && last !== undefined) last.text += text.slice(1)
    else if (text.trim() !== "") lines.push({ line: index + 1, text })
  }
  return lines
}

const value = '(?:"[^"]*"|[^";:,]*)'
const form = new RegExp(`^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=${value}(?:,${value})*)*):(.*)$`, "s")
const parameter = /;([A-Za-z0-9-]+)=(?:"([^"]*)"|([^";:,]*))/g

const propertyOf = (text: string, line: number): Property | null => {
  const [, name, parameters = "", value = ""] = form.exec(text) ?? []
  if (name === undefined) return null
  const pairs = [...parameters.matchAll(parameter)]
  return {
    line,
    name: name.toUpperCase(),
    parameters: Object.fromEntries(
      pairs.map(([, key = "", quoted, plain]) => [key.toUpperCase(), quoted ?? plain ?? ""])
    ),
    value
  }
}
