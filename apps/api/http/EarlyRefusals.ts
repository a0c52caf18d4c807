/** Describes the refusals before routing, and the answer to an error of the service itself, for the OpenAPI description. */
import { HttpApiMiddleware } from "effect/http-api"
import * as Errors from "./Errors.ts"

/** The middleware itself does nothing: `RequestPipeline` refuses requests before they are routed. */
export class EarlyRefusals extends HttpApiMiddleware.Service<EarlyRefusals>()("sluice/apps/api/http/EarlyRefusals", {
  error: [
    Errors.PayloadTooLarge,
    Errors.UnsupportedMediaType,
    Errors.TooManyRequests,
    Errors.Conflict,
    Errors.PreconditionFailed,
    Errors.InternalServerError,
    Errors.ServiceUnavailable
  ]
}) {}
