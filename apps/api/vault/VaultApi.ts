/** The endpoints of vault entries and their one-time codes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CheckBody } from "../../../core/run/check/CheckBody.ts"
import { EntryBody, PairBody } from "../../../core/vault/EntryBody.ts"
import { HealthStatus } from "../../../core/vault/health/SignInHealth.ts"
import { FailureKind, SignInResult } from "../../../core/vault/health/SignInReport.ts"
import { Cookie, Header, NamedHeader, ProxySetting, TfaMethod } from "../../../core/vault/VaultEntry.ts"
import { Needs, NoStore } from "../Annotations.ts"
import * as Described from "../http/body/Described.ts"
import { edits } from "../http/body/Fields.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import { Unprocessable } from "./VaultErrors.ts"

const text = Schema.NullOr(Schema.String)
/** A text that is left out where there is none: clients declare it as a string. */
const given = Schema.optionalKey(Schema.String)
const whole = Schema.NullOr(Schema.Int)

/** How signing in with a credential has gone since it was last changed. */
export const HealthRecord = Schema.Struct({
  status: HealthStatus.annotate({
    description:
      "healthy: the last sign-in succeeded, or the site took the saved session. expiring: that session is likely to end within a day, and the last sign-in asked a person. failing: the last sign-in failed. unknown: none was made since the last change"
  }),
  last_success_at: text,
  last_check_at: text,
  session_ends_at: text.annotate({ description: "When the saved session is likely to have ended" }),
  needs_person: Schema.Boolean.annotate({ description: "Whether the last sign-in asked a person" }),
  last_result: Schema.NullOr(SignInResult),
  last_session_id: text.annotate({ description: "The run that found out last_result" }),
  failures: Schema.Array(Schema.Struct({ kind: FailureKind, count: Schema.Int, last_at: Schema.String })).annotate({
    description: "Failures since the last sign-in and the last change, the latest kind first"
  })
}).annotate({ identifier: "CredentialHealth" })

/**
 * An entry in an answer. Secrets stay sealed, as they were received; headers have the form in which they were
 * written.
 */
export const VaultRecord = Schema.Struct({
  id: Schema.String,
  permissioned_user_id: Schema.String,
  domain: Schema.String,
  user_name: text,
  password: text,
  user_alias: given,
  tfa_secret: text,
  passkey: given,
  tfa_method: Schema.optionalKey(TfaMethod),
  tfa_email: given,
  tfa_phone_number: given,
  workspace_id: Schema.String,
  organization_id: Schema.Null,
  user_id: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String,
  site_identifier: Schema.String,
  session_storage: Schema.NullOr(Schema.JsonObject),
  local_storage: Schema.NullOr(Schema.JsonObject),
  cookies: Schema.NullOr(Schema.Array(Cookie)),
  headers: Schema.NullOr(Schema.Array(Schema.Union([Header, NamedHeader]))),
  user_agent: given,
  persist_local_storage: Schema.Boolean,
  persist_cookies: Schema.Boolean,
  persist_session_storage: Schema.Boolean,
  skip_csrf_cookies: Schema.Boolean,
  cookie_domain_to_store: given,
  allow_multiple_sessions: Schema.Boolean,
  max_concurrency: whole,
  prevent_concurrency_during_login: Schema.Boolean,
  expiry_time_from_last_use: text,
  expiry_time_from_session_data_set: text,
  effective_expires_at: text,
  session_data_set_at: text,
  ip_address: given,
  location: given,
  proxy_string: given,
  proxy_setting: Schema.optionalKey(ProxySetting),
  proxy_value: given,
  secret_provider_id: text,
  secret_ref: text,
  secret_cache_ttl_seconds: whole,
  allowed_origins: Schema.NullOr(Schema.Array(Schema.String)),
  health: HealthRecord
}).annotate({ identifier: "VaultEntry" })

const TfaCode = Schema.Struct({
  type: Schema.Literals(["authenticator", "email"]),
  code: Schema.String,
  expires_in_seconds: Schema.optionalKey(Schema.Int),
  received_at: Schema.optionalKey(Schema.String),
  candidates: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "What may be the code, the likeliest first; present where the mail has no likely code"
    })
  )
}).annotate({ identifier: "TfaCode" })

/** The parameters of an address that may name a user, a site, or both. */
export const filter = {
  permissioned_user_id: Schema.optionalKey(Schema.String),
  domain: Schema.optionalKey(Schema.String)
}

const group = HttpApiGroup.make("vault")
  .annotate(OpenApi.Description, "Sealed credentials, sessions and one-time codes for sites")
  .annotate(NoStore, true)

export class VaultGroup extends group.add(
  HttpApiEndpoint.get("listEntries", "/vault", {
    query: filter,
    success: Schema.Union([Schema.Array(VaultRecord), VaultRecord]),
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "List the entries of the vault, or read the entry of a user for a site")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("createEntry", "/vault", {
    payload: sent(EntryBody),
    success: VaultRecord.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Store the sealed credentials of a user for a site")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.put("updateEntry", "/vault", {
    payload: sent(EntryBody),
    success: VaultRecord,
    error: edits
  })
    .annotate(OpenApi.Summary, "Change the given fields of the entry of a user for a site")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.delete("removeEntry", "/vault", {
    payload: sent(PairBody),
    success: VaultRecord,
    error: edits
  })
    .annotate(OpenApi.Summary, "Delete the entry of a user for a site and return it")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.patch("clearBrowserState", "/vault/clear-browser-state", {
    payload: sent(PairBody),
    success: Schema.Struct({ success: Schema.Boolean }),
    error: edits
  })
    .annotate(OpenApi.Summary, "Delete the stored cookies and browser storage of the entry of a user for a site")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("checkEntry", "/vault/check", {
    payload: sent(CheckBody),
    success: Schema.Struct({ session_id: Schema.String, workflow_id: Schema.String }).pipe(HttpApiSchema.status(202)),
    error: [...edits, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Begin a run that only signs in with the entry of a user for a site; 409 where one more failure may lock the account"
    )
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("tfaCode", "/vault/tfa-code", {
    query: {
      ...filter,
      uncertain: Schema.optionalKey(Schema.Literals(["true", "false"])).annotate({
        description: "Whether to return what may be a code, where no mail with a likely code arrived"
      })
    },
    success: TfaCode,
    error: [...edits, Errors.Conflict, Unprocessable]
  })
    .annotate(OpenApi.Summary, "Return a current one-time code of a user for a site")
    .annotate(Needs, "edit")
    .annotateMerge(Described.neededInQuery("permissioned_user_id", "domain"))
) {}
