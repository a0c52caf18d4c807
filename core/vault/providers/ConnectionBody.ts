/**
 * The request bodies that create or change a connection to an external secret store, and the rules across their fields.
 */

import { Redacted, Result, Schema } from "effect"
import * as TextLength from "../../window/TextLength.ts"
import { optional } from "../../workspace/request/ParsedJson.ts"
import * as WellFormed from "../../workspace/WellFormed.ts"
import { problemsOf } from "../EntryBody.ts"
import type { CannotUnseal } from "../keys/Sealing.ts"
import type { Problem } from "../VaultEntry.ts"
import type { Access } from "./SecretSource.ts"

const text = (longest: number) => {
  const message = `Expected a text of 1 to ${longest} characters`
  return Schema.String.annotate({ message }).check(
    Schema.isNonEmpty({ message }),
    TextLength.atMost(longest, { message })
  )
}

/** A value for a header of a request or for an address must be on one line. */
const line = (longest: number) =>
  text(longest).check(Schema.isPattern(/^[^\p{Cc}]*$/u, { message: "Expected text on one line" }), WellFormed.check)

const sealed = text(16_384).annotate({
  description: "Sealed with the encryption key of the workspace: hexadecimal of IV, AES-256-GCM ciphertext and tag"
})

const types = ["1password", "hashicorp_vault"] as const
const ConnectionType = Schema.Literals(types).annotate({ message: `Expected ${types.join(" or ")}` })
type ConnectionType = typeof ConnectionType.Type

const config = {
  url: optional(line(2_048)),
  token: optional(sealed),
  vault: optional(line(256)),
  namespace: optional(line(256)),
  mount: optional(line(256)),
  auth_mount: optional(line(256)),
  role_id: optional(line(1_024)),
  secret_id: optional(sealed)
}
type Config = { readonly [name in keyof typeof config]?: string | null }

const shared = {
  config: optional(Schema.Struct(config)),
  cache_ttl_seconds: optional(
    Schema.Int.annotate({ message: "Expected a number of seconds" }).check(
      Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }, { message: "Expected a number from 0 to 2147483647" })
    )
  )
}

const name = line(256)

/** A connection to make. */
export const ConnectionBody = Schema.Struct({
  provider_type: ConnectionType.pipe(Schema.annotateKey({ messageMissingKey: `Expected ${types.join(" or ")}` })),
  name: name.pipe(Schema.annotateKey({ messageMissingKey: "Expected a text of 1 to 256 characters" })),
  ...shared
}).annotate({ identifier: "SecretProviderRequest" })

/** A change of a connection: what it leaves out stays, `null` removes. */
export const ConnectionChange = Schema.Struct({
  provider_type: optional(ConnectionType),
  name: optional(name),
  ...shared
}).annotate({ identifier: "SecretProviderChange" })

export interface Sent {
  readonly provider_type?: ConnectionType | null
  readonly name?: string | null
  readonly config?: Config | null
  readonly cache_ttl_seconds?: number | null
}

const decodeNew = Schema.decodeUnknownResult(ConnectionBody, { errors: "all" })
const decodeChange = Schema.decodeUnknownResult(ConnectionChange, { errors: "all" })

export const readNew = (body: unknown) => reading(body, decodeNew)
export const readChange = (body: unknown) => reading(body, decodeChange)

const reading = (
  body: unknown,
  decode: (body: unknown) => Result.Result<Sent, Schema.SchemaError>
): Result.Result<Sent, ReadonlyArray<Problem>> =>
  typeof body !== "object" || body === null || Array.isArray(body)
    ? Result.fail([{ path: "", message: "Expected an object" }])
    : Result.mapError(decode(body), problemsOf)

/** The fields of a configuration that arrive sealed. */
export const sealedNames = ["token", "secret_id"] as const

export type UnsealedFields = {
  readonly [name in (typeof sealedNames)[number]]?: Result.Result<Redacted.Redacted<Schema.Json>, CannotUnseal>
}

/** The fields that each type of store knows. */
const known: Record<ConnectionType, ReadonlyArray<keyof Config>> = {
  "1password": ["url", "token", "vault"],
  hashicorp_vault: ["url", "token", "namespace", "mount", "auth_mount", "role_id", "secret_id"]
}

/**
 * The configuration after a change, or every problem of the change. A way in that was given for one address is not used
 * for another one: with a new address it has to be given again.
 */
export const settle = (
  type: string,
  sent: Config,
  opened: UnsealedFields,
  before: Access | null,
  refusal: (url: string) => string | null
): Result.Result<Redacted.Redacted<Access>, ReadonlyArray<Problem>> => {
  // Another type has no fields.
  const names = known[type as ConnectionType] ?? []
  const problems: Array<Problem> = []
  const problem = (path: keyof Config, message: string) => {
    if (!problems.some((problem) => problem.path === `config.${path}`))
      problems.push({ path: `config.${path}`, message })
  }
  const access: Record<string, string> = { ...before }
  // All fields of a configuration are known, which the type of `Object.entries` does not say.
  for (const [name, value] of Object.entries(sent) as ReadonlyArray<[keyof Config, string | null | undefined]>) {
    if (value === undefined) continue
    if (!names.includes(name)) {
      if (value !== null) problem(name, `Expected none, as provider_type is ${type}`)
    } else if (value === null) delete access[name]
    else access[name] = value
  }
  for (const name of sealedNames) {
    const result = opened[name]
    if (result === undefined) continue
    if (Result.isFailure(result)) {
      problem(name, result.failure.message)
      continue
    }
    const plain = Redacted.value(result.success)
    // It becomes a header: anything but visible ASCII would be refused there, or mean something else.
    if (typeof plain === "string" && /^[\x21-\x7e]{1,8192}$/.test(plain)) access[name] = plain
    else problem(name, "Expected a sealed text of visible ASCII characters")
  }

  const url = access.url
  if (url === undefined) problem("url", "Expected the address of the store, such as https://vault.example.com")
  else {
    const refused = addressProblem(url) ?? refusal(url)
    if (refused !== null) problem("url", refused)
    else access.url = new URL(url).href.replace(/(?<!\/)\/+$/, "")
  }
  if (before !== null && before.url !== access.url) {
    for (const name of sealedNames) {
      if (access[name] !== undefined && opened[name] === undefined)
        problem(name, "Expected the value again, because config.url changes")
    }
  }
  for (const [path, message] of waysIn(type, access)) problem(path, message)
  for (const name of ["mount", "auth_mount", "namespace"] as const) {
    const path = access[name]?.replace(/^\/+|(?<!\/)\/+$/g, "")
    if (path === undefined) continue
    // The namespace becomes a header, and headers are ASCII.
    if (isPath(path) && (name !== "namespace" || /^[\x21-\x7e]*$/.test(path))) access[name] = path
    else problem(name, "Expected a path such as secret or team/secret")
  }
  return problems.length === 0 ? Result.succeed(Redacted.make(access)) : Result.fail(problems)
}

const waysIn = (type: string, access: Access): ReadonlyArray<readonly [keyof Config, string]> => {
  const { role_id, secret_id, token } = access
  if (type === "1password")
    return token === undefined ? [["token", "Expected the access token of the Connect server"]] : []
  if (role_id === undefined && secret_id === undefined) {
    return token === undefined ? [["token", "Expected a token, or role_id and secret_id"]] : []
  }
  if (token !== undefined) return [["token", "Expected none beside role_id and secret_id"]]
  if (role_id === undefined) return [["role_id", "Expected one beside secret_id"]]
  return secret_id === undefined ? [["secret_id", "Expected one beside role_id"]] : []
}

const addressProblem = (text: string): string | null => {
  if (URL.parse(text) === null) return "Expected an address such as https://vault.example.com"
  const { hash, password, protocol, search, username } = new URL(text)
  if (protocol !== "https:" && protocol !== "http:") return "Expected an address that begins with https://"
  return username === "" && password === "" && search === "" && hash === ""
    ? null
    : "Expected an address without user name, password, query and fragment"
}

/** Path segments that do not lead outside. */
export const isPath = (path: string): boolean =>
  path !== "" && path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")

/** The public part of a configuration. */
export const hintOf = (type: string, access: Redacted.Redacted<Access>): Readonly<Record<string, string>> => {
  const { mount = "secret", namespace, url = "", vault } = Redacted.value(access)
  const { host } = new URL(url)
  if (type === "hashicorp_vault") return namespace === undefined ? { host, mount } : { host, mount, namespace }
  return vault === undefined ? { host } : { host, vault }
}
