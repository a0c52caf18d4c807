/**
 * Artifacts as objects of an S3-compatible store. A large one is uploaded in parts, with one part in memory at a time,
 * and becomes visible when the upload is complete.
 */
import { Effect, Layer, Option, Stream } from "effect"
import {
  ArtifactFiles,
  ArtifactsUnavailable,
  type Description,
  isId,
  type Range,
  type StoredArtifact
} from "../../core/run/artifact/ArtifactFiles.ts"
import * as S3Client from "./S3Client.ts"

/** The size of a part. A store requires at least 5 MiB, except for the last part, and accepts at most 10,000 parts. */
const partBytes = 8 * 1_024 * 1_024

const fileNameHeader = "x-amz-meta-file-name"

export const layer = (options: S3Client.Options) =>
  Layer.sync(ArtifactFiles, () => {
    const { send } = S3Client.make(options)

    const headersOf = ({ fileName, mediaType }: Description) => ({
      "content-type": mediaType,
      ...(fileName === null ? {} : { [fileNameHeader]: encodeURIComponent(fileName.replace(/\p{Cs}/gu, "\ufffd")) })
    })

    const putWhole = (id: string, description: Description, body: Uint8Array) =>
      send({ method: "PUT", key: id, headers: headersOf(description), body })

    /** An upload in parts. It is aborted if the scope closes before it is complete. */
    const begun = (id: string, description: Description) =>
      Effect.acquireRelease(
        Effect.gen(function* () {
          const answer = yield* send({
            method: "POST",
            key: id,
            query: { uploads: "" },
            headers: headersOf(description)
          })
          const text = yield* bodyOf(answer)
          const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(text)?.[1]
          if (uploadId === undefined)
            return yield* new S3Client.S3Failure({
              status: answer.status,
              reason: "the S3 store did not begin an upload"
            })
          const parts: Parts = { uploadId: unescaped(uploadId), isComplete: false }
          return parts
        }),
        ({ isComplete, uploadId }) =>
          isComplete ? Effect.void : Effect.ignore(send({ method: "DELETE", key: id, query: { uploadId } }))
      )

    /** Content that fits into one part is put at once. */
    const upload = <E>(id: string, description: Description, content: Stream.Stream<Uint8Array, E>) =>
      Effect.scoped(
        Effect.gen(function* () {
          if (!isId(id)) throw new Error(`The id of an artifact must be a UUID, got "${id}"`)
          const gathered = new Gathered()
          const tags: Array<string> = []
          let parts: Parts | null = null
          let size = 0
          const putPart = Effect.fnUntraced(function* (body: Uint8Array) {
            parts ??= yield* begun(id, description)
            const query = { partNumber: String(tags.length + 1), uploadId: parts.uploadId }
            const { headers } = yield* send({ method: "PUT", key: id, query, body })
            tags.push(headers.get("etag") ?? "")
          })
          yield* Stream.runForEach(content, (piece) => {
            size += piece.length
            return Effect.forEach(gathered.add(piece), putPart, { discard: true })
          })
          if (size < partBytes) yield* putWhole(id, description, gathered.rest())
          else {
            const rest = gathered.rest()
            if (rest.length > 0) yield* putPart(rest)
            yield* complete(id, parts ?? (yield* begun(id, description)), tags)
          }
          return size
        })
      )

    const complete = Effect.fnUntraced(function* (id: string, parts: Parts, tags: ReadonlyArray<string>) {
      const listed = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
      const answer = yield* send({
        method: "POST",
        key: id,
        query: { uploadId: parts.uploadId },
        headers: { "content-type": "application/xml" },
        body: new TextEncoder().encode(`<CompleteMultipartUpload>${listed.join("")}</CompleteMultipartUpload>`)
      })
      // A store may begin to answer before it knows the result, so the status alone does not mean success.
      const said = /<Error>(?:(?!<Error>)[\s\S])*?<Code>(\w+)<\/Code>/.exec(yield* bodyOf(answer))?.[1]
      if (said !== undefined || !answer.ok) {
        const reason = `the S3 store did not complete an upload (${said ?? answer.status})`
        return yield* new S3Client.S3Failure({ status: 500, reason })
      }
      parts.isComplete = true
    })

    const find = Effect.fn("ArtifactFiles.find")(function* (id: string) {
      if (!isId(id)) return Option.none()
      const answer = yield* send({ method: "HEAD", key: id })
      if (answer.status === 404) return Option.none()
      const name = answer.headers.get(fileNameHeader)
      const kept: StoredArtifact = {
        mediaType: answer.headers.get("content-type") ?? "application/octet-stream",
        fileName: name === null ? null : decodeURIComponent(name),
        size: Number(answer.headers.get("content-length") ?? 0),
        read: (range) =>
          Stream.unwrap(
            send({
              method: "GET",
              key: id,
              ...(range === undefined ? {} : { headers: { range: `bytes=${range.start}-${range.end}` } })
            }).pipe(
              Effect.map((answer) => contentOf(answer, range)),
              Effect.mapError(unavailable("read"))
            )
          )
      }
      return Option.some(kept)
    })

    return ArtifactFiles.of({
      put: Effect.fn("ArtifactFiles.put")((id, { bytes, ...description }) =>
        upload(id, description, Stream.succeed(bytes)).pipe(Effect.mapError(unavailable("keep")), Effect.asVoid)
      ),
      putStream: (id, description, content) =>
        upload(id, description, content).pipe(
          Effect.mapError((error) => (error instanceof S3Client.S3Failure ? unavailable("keep")(error) : error))
        ),
      find: (id) => Effect.mapError(find(id), unavailable("read")),
      remove: Effect.fn("ArtifactFiles.remove")((ids) =>
        Effect.forEach(ids.filter(isId), (id) => send({ method: "DELETE", key: id }), {
          concurrency: 8,
          discard: true
        }).pipe(Effect.mapError(unavailable("remove")))
      ),
      sweep: Effect.fn("ArtifactFiles.sweep")(
        function* (before) {
          const answer = yield* send({ method: "GET", key: null, query: { uploads: "", prefix: options.prefix } })
          for (const [, upload = ""] of (yield* bodyOf(answer)).matchAll(
            /<Upload>((?:(?!<Upload>)[\s\S])*?)<\/Upload>/g
          )) {
            const of = (name: string) => unescaped(new RegExp(`<${name}>([^<]*)</${name}>`).exec(upload)?.[1] ?? "")
            const key = of("Key")
            if (!key.startsWith(options.prefix) || !(Date.parse(of("Initiated")) < before)) continue
            const query = { uploadId: of("UploadId") }
            yield* send({ method: "DELETE", key: key.slice(options.prefix.length), query })
          }
        },
        // Not every store lists its uploads; one that does not removes them by a lifecycle rule.
        Effect.catchIf(
          ({ status }) => status === 501 || status === 400,
          () => Effect.void
        ),
        Effect.mapError(unavailable("remove"))
      )
    })
  })

/** An upload in parts that is in progress. */
interface Parts {
  readonly uploadId: string
  isComplete: boolean
}

/** Gathers pieces of any size into parts. */
class Gathered {
  private pieces: Array<Uint8Array> = []
  private bytes = 0

  /** Adds a piece and answers the parts that are full now. */
  add(piece: Uint8Array): ReadonlyArray<Uint8Array> {
    this.pieces.push(piece)
    this.bytes += piece.length
    if (this.bytes < partBytes) return []
    const all = this.rest()
    const full = Math.floor(all.length / partBytes) * partBytes
    this.pieces = [all.subarray(full)]
    this.bytes = all.length - full
    return Array.from({ length: full / partBytes }, (_, index) =>
      all.subarray(index * partBytes, (index + 1) * partBytes)
    )
  }

  /** Takes the remaining bytes. */
  rest(): Uint8Array {
    const all = Buffer.concat(this.pieces)
    this.pieces = []
    this.bytes = 0
    return all
  }
}

const unavailable = (action: ArtifactsUnavailable["action"]) => (failure: S3Client.S3Failure) =>
  new ArtifactsUnavailable({ action, reason: failure.message })

const bodyOf = (answer: Response) =>
  Effect.tryPromise({
    try: () => answer.text(),
    catch: () =>
      new S3Client.S3Failure({ status: 0, reason: "the answer of the S3 store ended before it was complete" })
  })

const contentOf = (answer: Response, range?: Range): Stream.Stream<Uint8Array, ArtifactsUnavailable> => {
  const gone = new ArtifactsUnavailable({ action: "read", reason: "the S3 store no longer has it" })
  if (answer.status === 404) return Stream.fail(gone)
  const { body } = answer
  if (body === null) return Stream.empty
  const content = Stream.fromReadableStream({
    evaluate: () => body,
    onError: () =>
      new ArtifactsUnavailable({
        action: "read",
        reason: "the connection to the S3 store closed before its answer was complete"
      })
  })
  return range === undefined ? content : cut(content, firstOf(answer), range)
}

/** The position of the first byte of an answer. A store that does not support ranges sends the whole object. */
const firstOf = ({ headers, status }: Response): number =>
  status === 206 ? Number(/^bytes (\d+)-/.exec(headers.get("content-range") ?? "")?.[1] ?? Number.NaN) : 0

/** The bytes of a range of content that begins at a position. The stream ends with the range. */
const cut = (
  content: Stream.Stream<Uint8Array, ArtifactsUnavailable>,
  first: number,
  { end, start }: Range
): Stream.Stream<Uint8Array, ArtifactsUnavailable> => {
  if (!(first <= start)) {
    const reason = "the S3 store answered with another range than the requested one"
    return Stream.fail(new ArtifactsUnavailable({ action: "read", reason }))
  }
  return Stream.suspend(() => {
    let position = first
    return content.pipe(
      Stream.map((piece) => {
        const wanted = piece.subarray(Math.max(0, start - position), Math.max(0, end + 1 - position))
        position += piece.length
        return { wanted, isLast: position > end }
      }),
      Stream.takeUntil(({ isLast }) => isLast),
      Stream.map(({ wanted }) => wanted),
      Stream.filter(({ length }) => length > 0)
    )
  })
}

/** Decodes the entities of an XML text. */
const unescaped = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|apos);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name] ?? "'"
  )
