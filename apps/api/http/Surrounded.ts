/**
 * How a request may be refused before any endpoint sees it, for the description of the interface.
 */
import { HttpApiMiddleware } from "effect/http-api"
import * as Errors from "./Errors.ts"

/** Says how; the refusing is done around every request, before it is routed. */
export class Surrounded extends HttpApiMiddleware.Service<Surrounded>()("sluice/apps/api/http/Surrounded", {
  error: [
    Errors.PayloadTooLarge,
    Errors.UnsupportedMediaType,
    Errors.TooManyRequests,
    Errors.Conflict,
    Errors.ServiceUnavailable
  ]
}) {}
