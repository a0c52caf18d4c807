/**
 * Records the active tab as a WebM file.
 *
 * The browser encodes the frames, and this process writes them to a file, so that a lost browser loses only the last
 * moment. The file is unlinked from the beginning, so it is gone whenever this process ends.
 */
import { randomBytes } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, Clock, Effect, Option, type Scope, Stream } from "effect"
import type { Recording, ScreencastOptions, Video, VideoBounds } from "../../../core/browser/vision/Screencast.ts"
import type { Tabs } from "../page/Tabs.ts"
import { within } from "../TimeLimit.ts"
import * as Encoder from "./Encoder.ts"
import { screencast } from "./Screencast.ts"
import * as Webm from "./Webm.ts"

const pieceBytes = 256 * 1_024

/** How long the browser may take to open an encoder, in milliseconds. */
const openMillis = 10_000

/** Timeout of the encoder for its last frames, in milliseconds. */
const finishMillis = 3_000

export const record = (
  tabs: Tabs,
  options: ScreencastOptions & VideoBounds
): Effect.Effect<Option.Option<Recording>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { page } = tabs.current()
    const { height, width } = page.viewportSize() ?? { width: 1_280, height: 800 }
    const scale = Math.min(1, options.maxWidth / width, options.maxHeight / height)
    const encoder = yield* Effect.acquireRelease(
      Effect.promise(() => opened(Encoder.open(page.context(), width * scale, height * scale))),
      (encoder) => Effect.promise(async () => void (encoder === null || (await within(finishMillis, encoder.close()))))
    )
    if (encoder === null) {
      yield* Effect.logWarning("A video cannot be recorded: the browser opened no encoder in time")
      return Option.none()
    }
    const file = yield* Effect.acquireRelease(Effect.promise(nameless), (fileHandle) =>
      Effect.promise(() => fileHandle.close().catch(() => undefined))
    )
    const writer = yield* Effect.promise(() => Webm.open(file, encoder.format))
    const began = yield* Clock.currentTimeMillis
    let isOver = false
    let last: string | null = null

    const since = Effect.map(Clock.currentTimeMillis, (now) => now - began)
    const add = (jpeg: string, millis: number) =>
      Effect.tryPromise(async () => writer.add(await encoder.encode(jpeg, millis)))

    yield* screencast(tabs, options, (jpeg) =>
      Effect.gen(function* () {
        const millis = yield* since
        if (isOver || millis > options.maxMillis || writer.bytes() > options.maxBytes) return
        last = Buffer.from(jpeg).toString("base64")
        yield* add(last, millis)
      }).pipe(Effect.ignore)
    )

    const finish = Effect.gen(function* () {
      isOver = true
      const millis = yield* since
      // The last picture lasts until now.
      if (last !== null && millis <= options.maxMillis)
        yield* Effect.ignore(Effect.timeout(add(last, millis), finishMillis))
      yield* Effect.tryPromise(async () => writer.add(await encoder.finish())).pipe(
        Effect.timeout(finishMillis),
        Effect.ignore
      )
      const bytes = yield* Effect.promise(() => writer.end())
      if (bytes === 0) return Option.none<Video>()
      return Option.some<Video>({ mediaType: "video/webm", bytes, content: contentOf(file) })
    }).pipe(
      Effect.timeoutOrElse({
        duration: 3 * finishMillis,
        orElse: () => Effect.as(Effect.logWarning("A video did not end in time"), Option.none<Video>())
      }),
      // A disk that is full, for one.
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logWarning(`A video could not be ended: ${String(defect)}`), Option.none<Video>())
      )
    )
    return Option.some({ finish })
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("A video cannot be recorded", Cause.pretty(cause)), Option.none<Recording>())
    )
  )

/** An encoder, if it opens in time. A later one is closed. */
const opened = async (opening: Promise<Encoder.Encoder | null>): Promise<Encoder.Encoder | null> => {
  let isLate = false
  opening.then((encoder) => (isLate ? encoder?.close() : undefined)).catch(() => undefined)
  const encoder = await within(openMillis, opening)
  isLate = encoder === null
  return encoder
}

/** A file that exists only while it is open. */
const nameless = async (): Promise<FileHandle> => {
  const path = join(tmpdir(), `sluice-video-${randomBytes(8).toString("hex")}`)
  const file = await open(path, "wx+", 0o600)
  await rm(path, { force: true }).catch(() => undefined)
  return file
}

const contentOf = (file: FileHandle): Stream.Stream<Uint8Array> =>
  Stream.paginate(0, (position) =>
    Effect.promise(async () => {
      const { buffer, bytesRead } = await file.read(new Uint8Array(pieceBytes), 0, pieceBytes, position)
      return bytesRead === 0
        ? ([[], Option.none<number>()] as const)
        : ([[buffer.subarray(0, bytesRead)], Option.some(position + bytesRead)] as const)
    })
  )
