/**
 * A passkey: the private key that an account of a site is signed in with, and what the site knows it by.
 *
 * The vault keeps it sealed, as a text of JSON: `{"credential_id", "rp_id", "private_key", "user_handle",
 * "sign_count"}`. Binary values are base64 or base64url, the private key is PKCS#8.
 */
import { Redacted, Result, Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import * as Domain from "../site/Domain.ts"

export interface Passkey {
  /** Base64, as are all other binary values. */
  readonly credentialId: string
  /** The host that the passkey is for, or one that this host is below of, such as `example.com`. */
  readonly rpId: string
  readonly privateKey: Redacted.Redacted<string>
  /** The identity of the account for the site; `null` where the site has to name the passkey that it asks for. */
  readonly userHandle: string | null
  /** How often it was used so far. */
  readonly signCount: number
}

/** The highest sign count that the authenticator of a browser takes. */
const maxCount = 2_147_483_647

/** Raised for a text that is no passkey. It repeats no value. */
export class InvalidPasskey extends Schema.TaggedError<InvalidPasskey>()("InvalidPasskey", { reason: Schema.String }) {
  override get message() {
    return `Expected a passkey as JSON, with credential_id, private_key and user_handle in base64, rp_id as a host such as example.com, and sign_count from 0 to ${maxCount}: ${this.reason}`
  }
}

const binary = (longest: number) =>
  Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9+/_-]+={0,2}$/, { message: "expected base64" }),
    Schema.isMaxLength(longest, { message: `expected at most ${longest} characters` })
  )

const Written = Schema.Struct({
  credential_id: binary(1_400),
  rp_id: Schema.String.check(
    Schema.makeFilter((host) => Domain.hostnameOf(host) === host, { message: "expected a host such as example.com" })
  ),
  private_key: binary(4_096),
  user_handle: Schema.optionalKey(Schema.NullOr(binary(128))),
  sign_count: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxCount })))
})

const decode = Schema.decodeUnknownResult(Written)

const plain = (text: string): string => {
  const bare = text
    .replace(/-/g, "+")
    .replace(/_/g, "/")
    .replace(/={1,2}$/, "")
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, "=")
}

/** The passkey that a text holds. */
export const parse = (text: Redacted.Redacted<string>): Result.Result<Passkey, InvalidPasskey> => {
  let json: unknown
  try {
    json = Json.parse(Redacted.value(text))
  } catch {
    return Result.fail(new InvalidPasskey({ reason: "it is no JSON" }))
  }
  const read = decode(json)
  if (Result.isFailure(read)) {
    const fields = Object.keys(Written.fields).filter((name) => String(read.failure.issue).includes(`"${name}"`))
    return Result.fail(new InvalidPasskey({ reason: `${fields.join(", ") || "its form"} cannot be read` }))
  }
  const { credential_id, private_key, rp_id, sign_count = 0, user_handle = null } = read.success
  return Result.succeed({
    credentialId: plain(credential_id),
    rpId: rp_id,
    privateKey: Redacted.make(plain(private_key)),
    userHandle: user_handle === null ? null : plain(user_handle),
    signCount: sign_count
  })
}

/** The text of a passkey, as `parse` reads it. */
export const write = ({ credentialId, privateKey, rpId, signCount, userHandle }: Passkey): Redacted.Redacted<string> =>
  Redacted.make(
    JSON.stringify({
      credential_id: credentialId,
      rp_id: rpId,
      private_key: Redacted.value(privateKey),
      user_handle: userHandle,
      sign_count: signCount
    })
  )
