/**
 * Answers to requests that are refused before an endpoint sees them.
 */
import { HttpServerResponse } from "effect/http"
import type { Problem } from "../../../core/workflow/Workflow.ts"
import type { Endpoint } from "./Endpoints.ts"
import * as Errors from "./Errors.ts"

/** No endpoint has this address. */
export const noEndpoint = (method: string, path: string) =>
  HttpServerResponse.jsonUnsafe(Errors.general(404, `No endpoint ${method} ${path.slice(0, 200)}`), { status: 404 })

/** Parameters of an address that are wrong, each at its name. */
export const invalidAddress = (problems: ReadonlyArray<Problem>) =>
  HttpServerResponse.jsonUnsafe(Errors.invalid(problems), { status: 400 })

/** A change that names a state by its tag, at an endpoint that compares none. */
export const takesNoTags = HttpServerResponse.jsonUnsafe(
  Errors.preconditionFailed(
    "Cannot make this change only where the state is that of If-Match: this endpoint compares no tags. Send it without If-Match, or with *"
  ),
  { status: 412 }
)

/** A refusal of a whole body, or of values at paths in it, in the shape of its endpoint. */
export const invalidBody = (endpoint: Endpoint | null, message: string, problems: ReadonlyArray<Problem>) =>
  HttpServerResponse.jsonUnsafe((endpoint?.invalidBody ?? Errors.invalidBody)(message, problems), { status: 400 })
