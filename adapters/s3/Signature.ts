/** The signature of one request to an S3-compatible store, by AWS Signature Version 4. */
import { Effect } from "effect"

export interface Keys {
  /** The access key. */
  readonly username?: string
  /** The secret key. */
  readonly password?: string
  /** When it is left out, that of the host name of AWS, and `us-east-1` for other hosts. */
  readonly region?: string
}

export interface Request {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** The headers of a request with its signature, which holds for some minutes. */
export const signed = (
  { headers, method, url }: Request,
  { password = "", region, username = "" }: Keys
): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.promise(async () => {
    // Loaded by the first request: most installations send no files to such a store.
    const { AwsV4Signer } = await import("aws4fetch")
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers },
      service: "s3",
      accessKeyId: username,
      secretAccessKey: password,
      ...(region === undefined ? {} : { region })
    })
    return Object.fromEntries((await signer.sign()).headers)
  })
