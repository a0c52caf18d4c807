/** The older endpoints of credentials. They work on the entries of the vault. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EntryBody } from "../../../core/vault/EntryBody.ts"
import { Cookie } from "../../../core/vault/VaultEntry.ts"
import { InvalidBody, Needs, NoStore } from "../Annotations.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import { filter } from "./VaultApi.ts"
import { InvalidAuthentication } from "./VaultErrors.ts"

const text = Schema.NullOr(Schema.String)
/** Left out where there is none. */
const given = Schema.optionalKey(Schema.String)

export const AuthenticationRecord = Schema.Struct({
  permissioned_user_id: Schema.String,
  domain: Schema.String,
  user_id: Schema.String,
  user_name: text,
  password: text,
  tfa_secret: text,
  user_alias: given,
  cookies: Schema.NullOr(Schema.Array(Cookie)),
  local_storage: Schema.NullOr(Schema.JsonObject),
  user_agent: given,
  ip_address: given,
  location: given,
  persist_cookies: Schema.Boolean,
  persist_local_storage: Schema.Boolean,
  persist_session_storage: Schema.Boolean,
  allow_multiple_sessions: Schema.Boolean,
  cookie_domain_to_store: given,
  created_at: Schema.String
}).annotate({ identifier: "Authentication" })

const group = HttpApiGroup.make("authentication")
  .annotate(
    OpenApi.Description,
    "Credentials and sessions of users of sites, under the names that the first clients use"
  )
  .annotate(NoStore, true)

export class AuthenticationGroup extends group.add(
  HttpApiEndpoint.get("listAuthentication", "/authentication", {
    query: filter,
    success: Schema.Union([Schema.Array(AuthenticationRecord), AuthenticationRecord]),
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "List the entries of the vault, or read the entry of a user for a site")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("getAuthentication", "/authentication/:permissioned_user_id", {
    params: { permissioned_user_id: Schema.String },
    query: { domain: filter.domain },
    success: AuthenticationRecord,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read the vault entries of a user; with domain, only the entry for that site")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("createAuthentication", "/authentication", {
    payload: sent(EntryBody),
    success: AuthenticationRecord.pipe(HttpApiSchema.status(201)),
    error: [InvalidAuthentication, Errors.Forbidden, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Store the credentials and sessions of a new user of a site")
    .annotate(Needs, "edit")
    .annotate(InvalidBody, Errors.invalidBodyInDetail),
  HttpApiEndpoint.put("updateAuthentication", "/authentication", {
    payload: sent(EntryBody),
    success: Schema.Struct({ message: Schema.String, permissioned_user_id: Schema.String }),
    error: [InvalidAuthentication, Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Change the given fields of the entry of a user for a site")
    .annotate(Needs, "edit")
    .annotate(InvalidBody, Errors.invalidBodyInDetail)
) {}
