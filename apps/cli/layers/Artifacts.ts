/**
 * The store of artifacts: the data folder, or an S3-compatible store when one is named.
 */
import { Effect, Layer, Option, type Redacted, Schema } from "effect"
import * as ArtifactFolder from "../../../adapters/files/ArtifactFolder.ts"
import type { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"

export interface Settings {
  readonly dataDir: string
  readonly s3Endpoint: Option.Option<string>
  readonly s3Bucket: Option.Option<string>
  readonly s3Region: string
  readonly s3Prefix: string
  readonly s3AccessKey: Option.Option<string>
  readonly s3SecretKey: Option.Option<Redacted.Redacted<string>>
}

/** Raised when an S3-compatible store is named in part only. */
export class S3Misconfigured extends Schema.TaggedError<S3Misconfigured>()("S3Misconfigured", {
  missing: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Cannot keep artifacts in an S3-compatible store: also set ${this.missing.join(" and ")}, or none of its settings`
  }
}

/** The settings of an S3-compatible store that are not set; `all` when artifacts are kept in the data folder. */
export const missing = ({
  s3AccessKey,
  s3Bucket,
  s3Endpoint,
  s3SecretKey
}: Settings): ReadonlyArray<string> | "all" => {
  const named = {
    SLUICE_S3_ENDPOINT: s3Endpoint,
    SLUICE_S3_BUCKET: s3Bucket,
    SLUICE_S3_ACCESS_KEY: s3AccessKey,
    SLUICE_S3_SECRET_KEY: s3SecretKey
  }
  const names = Object.entries(named).flatMap(([name, value]) => (value._tag === "None" ? [name] : []))
  return names.length === Object.keys(named).length ? "all" : names
}

export const layer = (settings: Settings): Layer.Layer<ArtifactFiles, S3Misconfigured> => {
  const { s3AccessKey, s3Bucket, s3Endpoint, s3SecretKey } = settings
  const unset = missing(settings)
  if (unset === "all") return ArtifactFolder.layer(`${settings.dataDir}/artifacts`)
  if (
    Option.isNone(s3Endpoint) ||
    Option.isNone(s3Bucket) ||
    Option.isNone(s3AccessKey) ||
    Option.isNone(s3SecretKey)
  ) {
    return Layer.unwrap(Effect.fail(new S3Misconfigured({ missing: unset })))
  }
  const store = {
    endpoint: s3Endpoint.value,
    bucket: s3Bucket.value,
    region: settings.s3Region,
    prefix: settings.s3Prefix,
    accessKey: s3AccessKey.value,
    secretKey: s3SecretKey.value
  }
  return Layer.unwrap(
    Effect.gen(function* () {
      // Loaded only if artifacts are kept in such a store.
      const S3Artifacts = yield* Effect.promise(() => import("../../../adapters/s3/S3Artifacts.ts"))
      const S3Client = yield* Effect.promise(() => import("../../../adapters/s3/S3Client.ts"))
      return S3Artifacts.layer({ ...S3Client.defaults, ...store })
    })
  )
}
