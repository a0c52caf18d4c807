/**
 * The bundle of evidence of a run: a tar archive whose last files are a manifest, with the SHA-256 of every other file,
 * and its signature. It is written as a stream, so that no file is held as a whole.
 */
import { createHash } from "node:crypto"
import { Effect, Option, Schema, Stream } from "effect"
import * as Tar from "../../../adapters/archive/Tar.ts"
import type { ArtifactFiles, ArtifactsUnavailable } from "../../../core/run/artifact/ArtifactFiles.ts"
import type { BundleSigner } from "../../../core/run/evidence/BundleSigner.ts"
import type { Evidence, Start } from "../../../core/run/start/Start.ts"

export const format = "sluice.evidence"
export const manifestName = "manifest.json"
export const signatureName = "manifest.sig"
export const startsName = "starts.json"

/** A file as the manifest names it. */
const Listed = Schema.Struct({ name: Schema.String, bytes: Schema.Int, sha256: Schema.String })
type Listed = typeof Listed.Type

export const Manifest = Schema.Struct({
  format: Schema.Literal(format),
  format_version: Schema.Literal(1),
  workspace_id: Schema.String,
  session_id: Schema.String,
  made_at: Schema.String,
  public_key: Schema.String,
  files: Schema.Array(Listed),
  /** Files in the record that are no longer stored. */
  missing: Schema.Array(Schema.String)
})
export type Manifest = typeof Manifest.Type

/** A start with the data to verify it. */
export interface KeptStart {
  readonly start: Start
  readonly evidence: Evidence
}

interface Content {
  readonly workspaceId: string
  readonly runId: string
  readonly at: number
  readonly run: unknown
  readonly events: ReadonlyArray<unknown>
  readonly decisions: ReadonlyArray<unknown>
  readonly starts: ReadonlyArray<KeptStart>
  /** The ids of the artifacts of the run. */
  readonly files: ReadonlyArray<string>
  readonly source: ArtifactFiles["Service"]
  readonly signer: BundleSigner["Service"]
}

/** The name of an artifact in a bundle. */
export const nameOf = (id: string): string => `files/${id}`

/** The archive, piece by piece. */
export const pieces = (content: Content): Stream.Stream<Uint8Array, ArtifactsUnavailable> => {
  const { at, files, runId, signer, source, workspaceId } = content
  const listed: Array<Listed> = []
  const missing: Array<string> = []
  const lines = (all: ReadonlyArray<unknown>) => all.map((one) => `${JSON.stringify(one)}\n`).join("")

  const plain = (name: string, text: string) => {
    const bytes = Buffer.from(text)
    return Stream.make(Tar.header(name, bytes.length, at), bytes, Tar.padding(bytes.length))
  }
  const noted = (name: string, text: string) => {
    listed.push({ name, bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") })
    return plain(name, text)
  }
  const artifact = (id: string) =>
    Stream.unwrap(
      Effect.map(
        source.find(id),
        Option.match({
          onNone: () => {
            missing.push(nameOf(id))
            return Stream.empty
          },
          onSome: ({ read, size }) => {
            const hash = createHash("sha256")
            const body = Stream.map(read(), (piece) => {
              hash.update(piece)
              return piece
            })
            const after = Stream.suspend(() => {
              listed.push({ name: nameOf(id), bytes: size, sha256: hash.digest("hex") })
              return Stream.succeed(Tar.padding(size))
            })
            return Stream.concat(Stream.concat(Stream.succeed(Tar.header(nameOf(id), size, at)), body), after)
          }
        })
      )
    )
  const sealed = Stream.suspend(() => {
    const manifest: Manifest = {
      format,
      format_version: 1,
      workspace_id: workspaceId,
      session_id: runId,
      made_at: new Date(at).toISOString(),
      public_key: signer.publicKey,
      files: listed,
      missing
    }
    const text = `${JSON.stringify(manifest, null, 2)}\n`
    return Stream.concat(plain(manifestName, text), plain(signatureName, `${signer.sign(text)}\n`))
  })

  return [
    Stream.suspend(() => noted("run.json", `${JSON.stringify(content.run, null, 2)}\n`)),
    Stream.suspend(() => noted("events.jsonl", lines(content.events))),
    Stream.suspend(() => noted("decisions.jsonl", lines(content.decisions))),
    Stream.suspend(() => noted(startsName, `${JSON.stringify(content.starts)}\n`)),
    ...files.map(artifact),
    sealed,
    Stream.succeed(Tar.end)
  ]
    .reduce<Stream.Stream<Uint8Array, ArtifactsUnavailable>>((all, next) => Stream.concat(all, next), Stream.empty)
    .pipe(Stream.filter((piece) => piece.length > 0))
}
