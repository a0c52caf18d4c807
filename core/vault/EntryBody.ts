/**
 * The request bodies that create or change a vault entry, by their form.
 */

import { Result, Schema, SchemaIssue } from "effect"
import * as TextLength from "../window/TextLength.ts"
import { jsonObject, optional } from "../workspace/request/ParsedJson.ts"
import * as WellFormed from "../workspace/WellFormed.ts"
import * as BrowserLocation from "./BrowserLocation.ts"
import { IntervalText } from "./Interval.ts"
import * as Domain from "./site/Domain.ts"
import * as SecretSites from "./site/SecretSites.ts"
import { Cookie, type Problem, ProxySetting, TfaMethod, type WrittenHeader } from "./VaultEntry.ts"

const text = (longest: number) =>
  Schema.String.check(TextLength.atMost(longest, { message: `Expected at most ${longest} characters` }))

const named = (longest: number) =>
  text(longest)
    .check(Schema.isNonEmpty({ message: "Expected some text" }), WellFormed.check)
    .pipe(Schema.annotateKey({ messageMissingKey: "Expected some text" }))

const count = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum, maximum }, { message: `Expected a number from ${minimum} to ${maximum}` })
  )

/** A sealed value. Opening it with the key checks its form. */
const Sealed = text(16_384).annotate({
  description: "Sealed with the encryption key of the workspace: hexadecimal of IV, AES-256-GCM ciphertext and tag"
})

const HeaderName = text(256).check(
  Schema.isPattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { message: "Expected the name of an HTTP header" })
)
const HeaderValue = text(8_192).check(
  Schema.isPattern(/^[^\r\n\0]*$/, { message: "Expected the value of an HTTP header, on one line" })
)

const Header = Schema.Struct({ name: HeaderName, value: HeaderValue })

const aSite = "Expected an http or https URL, or a host name, such as https://app.example.com or localhost:3000"

const Origin = text(2_048).check(
  Schema.makeFilter((origin) => SecretSites.readOrigin(origin) === origin, {
    message: "Expected an origin as browsers write it, without a path, such as https://login.example.com"
  })
)

/** The names by which an entry is addressed. */
export const pair = {
  permissioned_user_id: named(256),
  domain: text(2_048)
    .check(
      Schema.makeFilter((domain) => Domain.hostOf(domain) !== null, { message: aSite }),
      WellFormed.check
    )
    .pipe(Schema.annotateKey({ messageMissingKey: aSite }))
}

const Storage = jsonObject.annotate({
  description:
    "The stored values of the site by their keys; or an object of them for each of several origins, such as https://app.example.com"
})

const settable = {
  user_name: optional(Sealed),
  password: optional(Sealed),
  tfa_secret: optional(Sealed),
  passkey: optional(
    Sealed.annotate({
      description:
        "A passkey of the account, sealed: JSON with credential_id, rp_id, private_key (PKCS#8), user_handle, each binary value as base64, and sign_count. A run can also have the site register one"
    })
  ),
  user_alias: optional(text(256)),
  tfa_method: optional(TfaMethod),
  cookies: optional(
    Schema.Array(Cookie).check(Schema.isMaxLength(5_000, { message: "Expected at most 5000 cookies" }))
  ),
  local_storage: optional(Storage),
  session_storage: optional(Storage),
  headers: optional(Schema.Array(Header).check(Schema.isMaxLength(100, { message: "Expected at most 100 headers" }))),
  user_agent: optional(text(1_024).check(Schema.isPattern(/^[^\r\n\0]*$/, { message: "Expected text on one line" }))),
  persist_local_storage: optional(Schema.Boolean),
  persist_cookies: optional(Schema.Boolean),
  persist_session_storage: optional(Schema.Boolean),
  skip_csrf_cookies: optional(Schema.Boolean),
  cookie_domain_to_store: optional(
    text(2_048).annotate({
      description:
        "Only cookies of this domain and what lies below it are kept; without it those of the site, of what lies below it and of what it lies below"
    })
  ),
  allow_multiple_sessions: optional(Schema.Boolean),
  max_concurrency: optional(count(1, 10_000)),
  prevent_concurrency_during_login: optional(Schema.Boolean),
  expiry_time_from_last_use: optional(IntervalText),
  expiry_time_from_session_data_set: optional(IntervalText),
  ip_address: optional(text(256)),
  location: optional(
    text(256)
      .check(
        Schema.makeFilter((location) => location === "" || BrowserLocation.parse(location) !== null, {
          message: BrowserLocation.expected
        })
      )
      .annotate({ description: `Where the browser is for the site. ${BrowserLocation.expected}` })
  ),
  proxy_setting: optional(ProxySetting),
  proxy_value: optional(
    text(16_384).annotate({
      description: "An IP address for static, a country code for country, a sealed URL for custom, none for random"
    })
  ),
  proxy: optional(Schema.Struct({ enable: optional(Schema.Boolean), target_ip: optional(text(256)) })),
  secret_provider_id: optional(Schema.String.check(Schema.isUUID(undefined, { message: "Expected a UUID" }))),
  secret_ref: optional(named(2_048)),
  secret_cache_ttl_seconds: optional(count(0, 2_147_483_647)),
  allowed_origins: optional(
    Schema.Array(Origin)
      .check(Schema.isMaxLength(50, { message: "Expected at most 50 origins" }))
      .annotate({
        description:
          "Origins on which the secrets may be used beside the site of the domain, such as that of a sign-in service. Only an Owner may change them. The site are the origin of the domain and, by https, all hosts of the same registrable domain"
      })
  )
}

/** An entry to create or to change. Computed fields are ignored, so that an answer can be sent back changed. */
export const EntryBody = Schema.Struct({ ...pair, ...settable }).annotate({ identifier: "VaultEntryToSave" })

/** The identity of one entry. */
export const PairBody = Schema.Struct(pair).annotate({ identifier: "VaultEntryName" })

const { domain, permissioned_user_id } = pair
const Readable = Schema.Struct({
  permissioned_user_id: Schema.optionalKey(permissioned_user_id),
  domain: Schema.optionalKey(domain),
  ...settable
})

type Read = typeof Readable.Type

/** The fields of a body. Headers have the form in which they were written. */
export type Sent = Omit<Read, "headers"> & { readonly headers?: ReadonlyArray<WrittenHeader> | null }

/** A body with its readable fields: the problems of its form, and the fields without problems. */
export interface Reading {
  readonly sent: Sent
  readonly problems: ReadonlyArray<Problem>
}

const decodeBody = Schema.decodeUnknownResult(EntryBody, { errors: "all" })
const decodePair = Schema.decodeUnknownResult(PairBody, { errors: "all" })
const decodeReadable = Schema.decodeUnknownResult(Readable)
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Reads a whole body. */
export const read = (body: unknown): Reading => reading(body, decodeBody)

/** Reads only the fields that identify an entry. */
export const readPair = (body: unknown): Reading => reading(body, decodePair)

const reading = (written: unknown, decode: (body: unknown) => Result.Result<Read, Schema.SchemaError>): Reading => {
  if (typeof written !== "object" || written === null || Array.isArray(written)) {
    return { sent: {}, problems: [{ path: "", message: "Expected an object" }] }
  }
  const body = withHeaders(written)
  const decoded = decode(body)
  if (Result.isSuccess(decoded)) return { sent: asWritten(decoded.success, written), problems: [] }
  const problems = problemsOf(decoded.failure)
  const broken = new Set(problems.map(({ path }) => path.split(/[.[]/)[0] ?? ""))
  const sound = decodeReadable(Object.fromEntries(Object.entries(body).filter(([name]) => !broken.has(name))))
  return {
    sent: Result.isSuccess(sound) ? asWritten(sound.success, written) : {},
    problems
  }
}

/** The problems of invalid fields, each with its path as text. */
export const problemsOf = ({ issue }: Schema.SchemaError): ReadonlyArray<Problem> =>
  format(issue).issues.map(({ message, path = [] }) => ({ path: pathOf(path.map(keyOf)), message }))

/** A body whose headers are all named as they are checked. */
const withHeaders = (body: object): object =>
  "headers" in body && Array.isArray(body.headers)
    ? {
        ...body,
        headers: body.headers.map((header: unknown) =>
          isNamed(header) ? { name: header.header_name, value: header.header_value } : header
        )
      }
    : body

/** The entry that was read, with its headers in the form in which they were written. */
const asWritten = (read: Read, written: object): Sent => {
  const forms: ReadonlyArray<unknown> = "headers" in written && Array.isArray(written.headers) ? written.headers : []
  const { headers, ...rest } = read
  if (headers == null) return headers === undefined ? rest : { ...rest, headers }
  return {
    ...rest,
    headers: headers.map((header, index) =>
      isNamed(forms[index]) ? { header_name: header.name, header_value: header.value } : header
    )
  }
}

const isNamed = (header: unknown): header is { readonly header_name: unknown; readonly header_value: unknown } =>
  typeof header === "object" && header !== null && "header_name" in header && "header_value" in header

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey } | undefined): string =>
  String(typeof segment === "object" ? segment.key : segment)

/** A path as text: `cookies[2].name`. */
const pathOf = (keys: ReadonlyArray<string>): string =>
  keys.reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`), "")
