/**
 * Puts encoded pictures into a WebM file, as they come.
 */
import type { FileHandle } from "node:fs/promises"
import type { Format, Packet } from "./Encoder.ts"

export interface Webm {
  /** How many bytes the file has so far. */
  readonly bytes: () => number
  readonly add: (packets: ReadonlyArray<Packet>) => Promise<void>
  /** Ends the file, and answers how large it is; 0 when it shows nothing. */
  readonly end: () => Promise<number>
}

export const open = async (file: FileHandle, { codec, height, width }: Format): Promise<Webm> => {
  // Loaded only where there is something to record.
  const media = await import("mediabunny")
  let written = 0
  let count = 0
  let last = -1
  const target = new media.StreamTarget(
    new WritableStream<{ readonly data: Uint8Array; readonly position: number }>({
      async write({ data, position }) {
        await file.write(data, 0, data.length, position)
        written = Math.max(written, position + data.length)
      }
    })
  )
  const output = new media.Output({ format: new media.WebMOutputFormat(), target })
  const source = new media.EncodedVideoPacketSource(codec)
  output.addVideoTrack(source)
  await output.start()
  const config = { decoderConfig: { codec, codedWidth: width, codedHeight: height } }
  return {
    bytes: () => written,
    add: async (packets) => {
      for (const { data, isKey, seconds } of packets) {
        if (seconds <= last) continue
        last = seconds
        count++
        const bytes = new Uint8Array(Buffer.from(data, "base64"))
        await source.add(new media.EncodedPacket(bytes, isKey ? "key" : "delta", seconds, 0), config)
      }
    },
    end: async () => {
      if (count === 0) return 0
      await output.finalize()
      return written
    }
  }
}
