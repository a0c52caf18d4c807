/**
 * One-time codes from a secret (RFC 4226 and RFC 6238). The secret is base32, as sites show it for authenticator apps,
 * or an `otpauth://` address that says more about itself.
 */
import { Redacted, Result, Schema } from "effect"
import { HOTP, Secret, TOTP, URI } from "otpauth"

interface Generator {
  readonly secret: Redacted.Redacted<Secret>
  readonly algorithm: string
  readonly digits: number
}

/** How codes are made: from the time in steps of a period, or from a counter that begins at the one given. */
export type Otp =
  | (Generator & { readonly _tag: "Totp"; readonly periodSeconds: number })
  | (Generator & { readonly _tag: "Hotp"; readonly counter: number })

export type TimeOtp = Extract<Otp, { readonly _tag: "Totp" }>
export type CounterOtp = Extract<Otp, { readonly _tag: "Hotp" }>

/** Raised for an invalid secret. It does not repeat the text. */
export class InvalidTfaSecret extends Schema.TaggedError<InvalidTfaSecret>()("InvalidTfaSecret", {
  reason: Schema.String
}) {
  override get message() {
    return `Invalid TFA secret: ${this.reason}`
  }
}

/** The code of an instant, and how long it is valid. */
export interface TimedCode {
  readonly code: Redacted.Redacted<string>
  /** The number of its time step, counted from the epoch. */
  readonly step: number
  /** Full seconds until the next step, at least 1. */
  readonly expiresInSeconds: number
}

const algorithms = new Set(["SHA1", "SHA256", "SHA512"])
const maxPeriod = 3_600
const maxCounter = 2 ** 48

/**
 * Reads a secret. Spaces and hyphens between groups of base32 do not count, nor does upper or lower case.
 *
 * A bare secret makes codes of 6 digits by SHA-1 in steps of 30 seconds, as authenticator apps do.
 */
export const parse = (text: Redacted.Redacted<string>): Result.Result<Otp, InvalidTfaSecret> => {
  const written = Redacted.value(text).trim()
  return /^otpauth:/i.test(written) ? fromAddress(written) : fromBase32(written)
}

/**
 * Reads a secret that a secret provider keeps. A counter-based secret (HOTP) is refused, because its counter cannot be
 * stored there.
 */
export const parseProvided = (text: Redacted.Redacted<string>): Result.Result<TimeOtp, InvalidTfaSecret> =>
  Result.flatMap(parse(text), (otp) =>
    otp._tag === "Totp"
      ? Result.succeed(otp)
      : refuse(
          "it is counter-based (HOTP), and a secret provider cannot store its counter. Expected a time-based one (TOTP)"
        )
  )

const fromBase32 = (written: string): Result.Result<Otp, InvalidTfaSecret> => {
  const letters = written.replace(/[\s-]/g, "")
  if (!/^[a-z2-7]{2,1024}=*$/i.test(letters)) {
    return refuse("expected base32 (the letters A to Z and the digits 2 to 7), or an otpauth:// address")
  }
  return Result.succeed({
    _tag: "Totp",
    secret: Redacted.make(Secret.fromBase32(letters)),
    algorithm: "SHA1",
    digits: 6,
    periodSeconds: 30
  })
}

const fromAddress = (written: string): Result.Result<Otp, InvalidTfaSecret> => {
  let read: HOTP | TOTP
  try {
    read = URI.parse(written)
  } catch {
    return refuse(
      "expected an address such as otpauth://totp/NAME?secret=BASE32, or otpauth://hotp/NAME?secret=BASE32&counter=0"
    )
  }
  const { digits, secret } = read
  const algorithm = read.algorithm.replace("-", "")
  if (!algorithms.has(algorithm)) return refuse("expected the algorithm SHA1, SHA256 or SHA512")
  if (digits !== 6 && digits !== 8) return refuse("expected 6 or 8 digits")
  if (secret.bytes.length === 0) return refuse("expected a secret of at least one byte")
  const generator: Generator = { secret: Redacted.make(secret), algorithm, digits }
  if (read instanceof TOTP) {
    return read.period <= maxPeriod
      ? Result.succeed({ ...generator, _tag: "Totp", periodSeconds: read.period })
      : refuse(`expected a period of at most ${maxPeriod} seconds`)
  }
  return read.counter >= 0 && read.counter <= maxCounter
    ? Result.succeed({ ...generator, _tag: "Hotp", counter: read.counter })
    : refuse("expected a counter from 0 to 2^48")
}

const refuse = (reason: string) => Result.fail(new InvalidTfaSecret({ reason }))

/** The code of the time step that holds the instant `at`, in epoch milliseconds. */
export const timed = (
  { algorithm, digits, periodSeconds, secret }: Otp & { readonly _tag: "Totp" },
  at: number
): TimedCode => {
  const period = periodSeconds * 1_000
  const step = Math.floor(at / period)
  return {
    code: Redacted.make(
      TOTP.generate({ secret: Redacted.value(secret), algorithm, digits, period: periodSeconds, timestamp: at })
    ),
    step,
    expiresInSeconds: Math.ceil(((step + 1) * period - at) / 1_000)
  }
}

/** The code of a counter. */
export const counted = (
  { algorithm, digits, secret }: Otp & { readonly _tag: "Hotp" },
  counter: number
): Redacted.Redacted<string> =>
  Redacted.make(HOTP.generate({ secret: Redacted.value(secret), algorithm, digits, counter }))
