/** The request body that asks for a check of a credential. */
import { Result, Schema } from "effect"
import * as EntryBody from "../../vault/EntryBody.ts"
import type { Pair, Problem } from "../../vault/VaultEntry.ts"
import { jsonObject, optional } from "../../workspace/request/ParsedJson.ts"

export const CheckBody = Schema.Struct({
  ...EntryBody.pair,
  workflow_id: optional(
    Schema.String.annotate({
      description:
        "The workflow whose steps sign in; by default that of the latest run that found out something about the credential"
    })
  ),
  run_input_variables: optional(
    jsonObject.annotate({
      description:
        "Its input beside the credential; by default that of the latest run of the workflow with the credential"
    })
  )
}).annotate({ identifier: "CredentialToCheck" })

/** A check that is asked for. `null` is what the body leaves out. */
export interface CheckRequest {
  readonly pair: Pair
  readonly workflowId: string | null
  readonly input: Schema.JsonObject | null
}

const decode = Schema.decodeUnknownResult(CheckBody, { errors: "all" })

export const read = (body: unknown): Result.Result<CheckRequest, ReadonlyArray<Problem>> =>
  Result.mapBoth(decode(body), {
    onFailure: EntryBody.problemsOf,
    onSuccess: ({ domain, permissioned_user_id, run_input_variables, workflow_id }) => ({
      pair: { domain, permissionedUserId: permissioned_user_id },
      workflowId: workflow_id ?? null,
      input: run_input_variables ?? null
    })
  })
