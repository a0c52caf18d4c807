/**
 * Deliveries of webhooks as a receiver verifies them.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Redacted, Result } from "effect"
import * as Json from "../../../../../core/workspace/Json.ts"

export interface Delivered {
  readonly event: string
  readonly expires_at: number
  readonly payload: unknown
}

const isDelivered = (value: unknown): value is Delivered =>
  Json.isObject(value) && typeof value.event === "string" && typeof value.expires_at === "number"

/** The event of a delivery, or why it is refused: it is forged, is no event, or has expired by `now`. */
export const verify = (
  body: Uint8Array,
  signature: string | undefined,
  secret: Redacted.Redacted<string>,
  now: number
): Result.Result<Delivered, string> => {
  if (signature === undefined) return Result.fail("it has no X-HMAC-Signature")
  const expected = Buffer.from(`sha256=${createHmac("sha256", Redacted.value(secret)).update(body).digest("hex")}`)
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return Result.fail("its signature was not made with this secret")
  }
  let message: unknown
  try {
    message = Json.parse(new TextDecoder().decode(body))
  } catch {
    return Result.fail("its body is not JSON")
  }
  if (!isDelivered(message)) return Result.fail("its body is not an event")
  return message.expires_at * 1_000 < now
    ? Result.fail(`it expired at ${new Date(message.expires_at * 1_000).toISOString()}`)
    : Result.succeed(message)
}
