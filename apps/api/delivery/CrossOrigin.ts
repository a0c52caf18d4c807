/**
 * CORS: pages of allowed origins may call the interface from a browser with an API key. The cookie of the console is
 * never accepted from another origin.
 */
import { Context, identity } from "effect"
import { HttpMiddleware } from "effect/http"

/** Origins such as `https://app.example.com`, or `*` for every one. None unless set. */
export const AllowedOrigins: Context.Reference<ReadonlyArray<string>> = Context.Reference(
  "sluice/apps/api/delivery/AllowedOrigins",
  { defaultValue: (): ReadonlyArray<string> => [] }
)

/** The headers of answers that such a page may read. */
const exposedHeaders = [
  "content-disposition",
  "etag",
  "idempotency-replayed",
  "location",
  "retry-after",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-request-id"
]

/** For how many seconds a browser remembers that it may call. */
const maxAge = 600

/** Answers preflight requests, and marks every answer as readable by the allowed origins. */
export const allow = (origins: ReadonlyArray<string>): ReturnType<typeof HttpMiddleware.cors> =>
  origins.length === 0
    ? identity
    : HttpMiddleware.cors({
        // Always asked for, so that an answer to another origin names none.
        allowedOrigins: origins.includes("*") ? [] : (origin) => origins.includes(origin),
        exposedHeaders,
        maxAge
      })
