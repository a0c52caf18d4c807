/** A real S3 server on a free port of loopback, with one empty bucket. */
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import * as S3Client from "../../adapters/s3/S3Client.ts"

interface Server {
  readonly run: () => Promise<{ readonly port: number }>
  readonly close: () => Promise<void>
}

const S3rver = createRequire(import.meta.url)("s3rver") as new (options: object) => Server

/** Serves until the scope closes. Succeeds with the settings of a client, with short delays between retries. */
export const serve = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const directory = mkdtempSync(join(tmpdir(), "sluice-s3-"))
      const server = new S3rver({
        port: 0,
        address: "127.0.0.1",
        silent: true,
        directory,
        configureBuckets: [{ name: "artifacts" }]
      })
      const { port } = await server.run()
      return { directory, port, server }
    }),
    ({ directory, server }) =>
      Effect.promise(async () => {
        await server.close()
        rmSync(directory, { recursive: true, force: true })
      })
  ),
  ({ directory, port }) => ({
    directory,
    options: {
      ...S3Client.defaults,
      endpoint: `http://127.0.0.1:${port}`,
      bucket: "artifacts",
      prefix: "sluice/",
      accessKey: "S3RVER",
      secretKey: Redacted.make("S3RVER"),
      retries: 2,
      retryMillis: 5
    } satisfies S3Client.Options
  })
)
