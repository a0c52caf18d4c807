/** The optional settings of a workflow, with their allowed values and defaults. */
import { Schema } from "effect"
import { optional } from "../workspace/request/ParsedJson.ts"
import { distinct } from "../workspace/request/Tags.ts"
import * as AllowedSites from "./AllowedSites.ts"
import * as FilePath from "./FilePath.ts"
import * as Folder from "./Folder.ts"
import * as SelectorSyntax from "./language/graph/SelectorSyntax.ts"
import { flag, type Problem, type Settings, settings, texts } from "./Workflow.ts"

type Name = keyof typeof settings

// All keys of a constant record, which the type of `Object.keys` does not say.
const names = Object.keys(settings) as ReadonlyArray<Name>

/** The settings as fields of a request body. `null` is the same as an absent field. */
export const fields = Object.fromEntries(names.map((name) => [name, optional(settings[name])])) as {
  readonly [N in Name]: Schema.optionalKey<Schema.NullOr<(typeof settings)[N]>>
}

/** The settings as fields of an answer: flags and lists always have a value, the others may be `null`. */
export const shown = Object.fromEntries(
  names.map((name) => [name, isDefaulted(name) ? settings[name] : Schema.NullOr(settings[name])])
) as {
  readonly [N in Name]: N extends
    | "proxy_setting"
    | "proxy_value"
    | "folder_path"
    | "file_destination"
    | "file_path"
    | "sign_in_check_minutes"
    ? Schema.NullOr<(typeof settings)[N]>
    : (typeof settings)[N]
}

/** The flags in a list of workflows. */
export const listed = Object.fromEntries(
  names.filter((name) => name.startsWith("enable_")).map((name) => [name, settings[name]])
) as { readonly [N in Extract<Name, `enable_${string}`>]: (typeof settings)[N] }

/** The settings that a decoded body gives, with the path of the folder in normal form. */
export const of = (sent: { readonly [N in Name]?: Settings[N] | null }): Settings =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = normal(name, sent)
      return value === undefined || value === null ? [] : [[name, value]]
    })
  )

/** A value in its normal form. */
const normal = (name: Name, sent: { readonly [N in Name]?: Settings[N] | null }) => {
  if (name === "folder_path") return Folder.normal(sent.folder_path)
  return name === "tags" && sent.tags != null ? distinct(sent.tags) : sent[name]
}

/** The settings of a stored version. Values that a setting does not allow are left out. */
export const stored = (kept: Readonly<Record<string, unknown>>): Settings =>
  Object.fromEntries(names.flatMap((name) => (isA[name](kept[name]) ? [[name, kept[name]]] : [])))

// Built from `names`, so that each name has its check; `fromEntries` does not keep the names in its type.
const isA = Object.fromEntries(
  names.map((name) => [name, Schema.is(settings[name] as Schema.Codec<unknown>)])
) as unknown as Readonly<Record<Name, (value: unknown) => boolean>>

/** The problems of settings that have the right types. */
export const problems = (sent: { readonly [N in Name]?: unknown }): ReadonlyArray<Problem> => [
  ...Folder.problems(sent.folder_path),
  ...FilePath.problems(sent.file_destination, sent.file_path),
  ...AllowedSites.problems(sent.allowed_sites),
  ...popupProblems(sent.popup_xpaths),
  ...proxyProblems(sent.proxy_setting ?? null, sent.proxy_value ?? null)
]

/** A selector that cannot be parsed would never match, without any error. */
const popupProblems = (xpaths: unknown): ReadonlyArray<Problem> =>
  (Array.isArray(xpaths) ? xpaths : []).flatMap((xpath: unknown, index) => {
    const message = typeof xpath === "string" ? SelectorSyntax.check(xpath) : null
    return message === null ? [] : [{ path: `popup_xpaths[${index}]`, message }]
  })

/**
 * Problems of `proxy_value`. Whether a matching proxy exists is checked when a run starts, not here: an imported
 * workflow with a custom proxy has no address yet, because bundles contain no secrets.
 */
const proxyProblems = (setting: unknown, value: unknown): ReadonlyArray<Problem> => {
  if (setting === null && typeof value === "string") {
    return [{ path: "proxy_value", message: "Expected a proxy_setting beside it" }]
  }
  if (setting === "country" && !(typeof value === "string" && /^[a-z]{2}$/i.test(value))) {
    return [{ path: "proxy_value", message: "Expected a country code of two letters, as proxy_setting is country" }]
  }
  return setting === "custom" && typeof value === "string" && !isSealed(value) && holdsPassword(value)
    ? [
        {
          path: "proxy_value",
          message: "Expected a value sealed with the encryption key of the workspace, because it is secret"
        }
      ]
    : []
}

const isSealed = (text: string): boolean => /^([0-9a-f]{2}){28,}$/i.test(text)

/** Returns whether a proxy address contains a password, or is not an address and so may contain one. */
const holdsPassword = (text: string): boolean => {
  const url = URL.parse(text)
  return url === null || url.username !== "" || url.password !== ""
}

/** The settings with every default filled in. */
export const complete = (kept: Settings): { readonly [N in Name]: (typeof shown)[N]["Type"] } =>
  Object.fromEntries(names.map((name) => [name, kept[name] ?? defaultOf(name)])) as {
    readonly [N in Name]: (typeof shown)[N]["Type"]
  }

/** The folder of a workflow; `null` at the top level. */
export const folderOf = ({ folder_path }: Settings): string | null => folder_path ?? null

function isDefaulted(name: Name): boolean {
  return defaultOf(name) !== null
}

function defaultOf(name: Name): Schema.Json {
  return settings[name] === flag ? false : settings[name] === texts || name === "tags" ? [] : null
}
