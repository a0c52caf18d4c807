/**
 * The appearance of an element, by which it may be found when its selector no longer matches.
 *
 * It contains no typed text: values of fields are left out, and texts that contain an input or a secret of the run are
 * removed before it is stored.
 */
import { Effect, Schema } from "effect"
import type { Secrets } from "../../redaction/Secrets.ts"

const text = Schema.NullOr(Schema.String)

export const Appearance = Schema.Struct({
  tag: Schema.String,
  id: text,
  testId: text,
  name: text,
  type: text,
  /** The role that it has, by its attribute or by its tag. */
  role: text,
  ariaLabel: text,
  /** The text of its label. */
  label: text,
  placeholder: text,
  title: text,
  alt: text,
  /** The path that a link leads to, without host, query and fragment. */
  hrefPath: text,
  /**
   * The names of the fields that a user and a password are typed into, for the only button that submits their form. Not
   * known of elements that were seen by earlier versions.
   */
  signIn: text.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Its text, unless it is a field. */
  text,
  /** The name of the part of the page that contains it: its legend, heading or label. */
  section: text,
  /** The text directly before and after it. */
  before: text,
  after: text,
  /** The tags from the document down to it, with the position among their like, such as `body>form[1]>button[2]`. */
  path: Schema.String
}).annotate({ identifier: "Appearance" })
export type Appearance = typeof Appearance.Type

/** The fields that are texts and may be unknown. */
export type Trait = Exclude<keyof Appearance, "tag" | "path">

export const unknown: Appearance = {
  tag: "",
  id: null,
  testId: null,
  name: null,
  type: null,
  role: null,
  ariaLabel: null,
  label: null,
  placeholder: null,
  title: null,
  alt: null,
  hrefPath: null,
  signIn: null,
  text: null,
  section: null,
  before: null,
  after: null,
  path: ""
}

/** Longer texts are data rather than names. */
const longest = 120

/** Shorter inputs cannot be distinguished from the page's own text. */
const shortestInput = 3

/** Returns whether a text may be stored beyond the run: it contains no secret and none of the inputs. */
export const cleanOf = (secrets: Secrets, inputs: Schema.Json): ((text: string) => boolean) => {
  const known = textsIn(inputs).map(plain)
  return (text) => secrets.hide(text) === text && !known.some((input) => plain(text).includes(input))
}

/** An appearance as it may be kept: without texts that hold a secret or one of the inputs. */
export const scrubbed = (seen: Appearance, secrets: Secrets, inputs: Schema.Json): Appearance => {
  const isClean = cleanOf(secrets, inputs)
  const clean = (value: string | null): string | null =>
    value !== null && value.length <= longest && isClean(value) ? value : null
  return {
    tag: seen.tag,
    path: seen.path,
    id: clean(seen.id),
    testId: clean(seen.testId),
    name: clean(seen.name),
    type: clean(seen.type),
    role: clean(seen.role),
    ariaLabel: clean(seen.ariaLabel),
    label: clean(seen.label),
    placeholder: clean(seen.placeholder),
    title: clean(seen.title),
    alt: clean(seen.alt),
    hrefPath: clean(seen.hrefPath),
    signIn: clean(seen.signIn),
    text: clean(seen.text),
    section: clean(seen.section),
    before: clean(seen.before),
    after: clean(seen.after)
  }
}

const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim()

const textsIn = (value: Schema.Json): ReadonlyArray<string> => {
  const pending: Array<Schema.Json> = [value]
  const found: Array<string> = []
  for (const one of pending) {
    if (typeof one === "object" && one !== null) pending.push(...Object.values(one))
    else if (typeof one === "string" || typeof one === "number") found.push(String(one))
  }
  return found.filter((one) => plain(one).length >= shortestInput)
}
