/**
 * Checks a bundle of evidence without the installation that made it: its signature, the hash of every file, and the
 * starts of the run by the evaluation of windows that starts runs.
 */
import { createHash, type Hash } from "node:crypto"
import { createReadStream } from "node:fs"
import { Effect, Option, Schema } from "effect"
import * as Tar from "../../../../adapters/archive/Tar.ts"
import { isSigned } from "../../../../adapters/crypto/BundleSigning.ts"
import * as Start from "../../../../core/run/start/Start.ts"
import type { JudgedStart } from "../../../../core/run/start/StartLedger.ts"
import * as Json from "../../../../core/workspace/Json.ts"
import { type KeptStart, Manifest, manifestName, signatureName, startsName } from "../../../api/bundle/Bundle.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import { cell } from "../../user/view/Table.ts"

/** Raised for an invalid bundle; `problems` are sentences. */
export class BundleRefused extends Schema.TaggedError<BundleRefused>()("BundleRefused", {
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The bundle is not valid: ${cell(this.problems.join("; "))}`
  }
}

/** The files of a bundle that are read as text, and the most bytes of one of them. */
const texts = new Set([manifestName, signatureName, startsName])
const mostTextBytes = 64 * 1_048_576

interface Found {
  readonly bytes: number
  readonly hash: Hash
  readonly pieces: Array<Uint8Array>
}

const readAll = Effect.fnUntraced(function* (pieces: AsyncIterable<Uint8Array>) {
  const found = new Map<string, Found>()
  yield* Effect.tryPromise({
    try: () =>
      Tar.read(pieces, ({ bytes, name }) => {
        if (found.has(name)) throw new Tar.NoArchive(`it holds ${name} twice`)
        if (texts.has(name) && bytes > mostTextBytes) throw new Tar.NoArchive(`${name} is too large`)
        const file: Found = { bytes, hash: createHash("sha256"), pieces: [] }
        found.set(name, file)
        return (piece) => {
          file.hash.update(piece)
          if (texts.has(name)) file.pieces.push(Uint8Array.from(piece))
        }
      }),
    catch: (cause) => new BundleRefused({ problems: [cause instanceof Error ? cause.message : "it cannot be read"] })
  })
  return found
})

/** Verifies a bundle with the given public key, or else its own, and returns its manifest. */
export const check = Effect.fnUntraced(function* (pieces: AsyncIterable<Uint8Array>, publicKey: Option.Option<string>) {
  const found = yield* readAll(pieces)
  const textOf = (name: string) => Buffer.concat(found.get(name)?.pieces ?? []).toString()
  const text = textOf(manifestName)
  const parsed = yield* Effect.try({
    try: () => Json.parse(text),
    catch: () => new BundleRefused({ problems: [`${manifestName} is missing or not JSON`] })
  })
  const manifest = yield* Schema.decodeUnknownEffect(Manifest)(parsed).pipe(
    Effect.mapError(() => new BundleRefused({ problems: ["it is of another format or a later version"] }))
  )
  const problems: Array<string> = []
  const key = Option.getOrElse(publicKey, () => manifest.public_key).toLowerCase()
  if (!isSigned(text, textOf(signatureName).trim(), key)) {
    problems.push(`the signature of ${manifestName} was not made with the key ${key}`)
  }
  const listed = new Set([manifestName, signatureName])
  for (const { bytes, name, sha256 } of manifest.files) {
    listed.add(name)
    const file = found.get(name)
    if (file === undefined) problems.push(`${name} is missing`)
    else if (file.bytes !== bytes || file.hash.digest("hex") !== sha256) problems.push(`${name} was changed`)
  }
  for (const name of found.keys()) if (!listed.has(name)) problems.push(`${name} does not belong to it`)
  if (problems.length > 0) return yield* new BundleRefused({ problems })
  // What is signed was written by the service.
  const starts = JSON.parse(textOf(startsName)) as ReadonlyArray<KeptStart>
  for (const start of starts) {
    problems.push(...judged(start).problems.map((problem) => `attempt ${start.start.attempt}: ${problem}`))
  }
  if (problems.length > 0) return yield* new BundleRefused({ problems })
  return { manifest, starts }
})

/** Verifies a start by its stored evidence; the hash of the window is computed from its definition. */
export const judged = ({ evidence, start }: KeptStart): JudgedStart => {
  const windows = evidence.windows.map((window) => ({ ...window, hash: hashOf(window.definition) }))
  return { start, problems: Start.judge(start, { ...evidence, windows }) }
}

const hashOf = (definition: string | null): string | null =>
  definition === null ? null : createHash("sha256").update(definition).digest("hex")

export const verifyBundle = Effect.fnUntraced(function* (
  settings: OutputSettings & { readonly file: string; readonly publicKey: Option.Option<string> }
) {
  const { manifest, starts } = yield* check(createReadStream(settings.file), settings.publicKey)
  const { files, made_at, missing, public_key, session_id, workspace_id } = manifest
  const isProven = Option.isSome(settings.publicKey)
  const shown = { proven: isProven, public_key, session_id, workspace_id, made_at, missing }
  yield* answer(settings, { ...shown, files: files.length, starts: starts.length }, () =>
    [
      isProven
        ? "Proven: signed by the given key"
        : `Not proven: anyone can sign with a key of their own. It is signed by ${public_key}: compare that with the answer of GET /bundle-key, or give the key of the service in --public-key`,
      `Run ${session_id} of workspace ${workspace_id}, ${made_at}: ${files.length} files and ${starts.length} starts hold`,
      ...(missing.length > 0 ? [`No longer stored when the bundle was made: ${missing.join(", ")}`] : [])
    ]
      .map((line) => cell(line))
      .join("\n")
  )
})
