/** Describes the refusals before routing, for the OpenAPI description. */
import { HttpApiMiddleware } from "effect/http-api"
import * as Errors from "./Errors.ts"

/** The middleware itself does nothing: `Surroundings` refuses requests before they are routed. */
export class Surrounded extends HttpApiMiddleware.Service<Surrounded>()("sluice/apps/api/http/Surrounded", {
  error: [
    Errors.PayloadTooLarge,
    Errors.UnsupportedMediaType,
    Errors.TooManyRequests,
    Errors.Conflict,
    Errors.ServiceUnavailable
  ]
}) {}
