/** Encodes frames as video in a separate context of the browser of the session, without network access. */
import type { BrowserContext, Page } from "playwright-core"

/** One encoded picture. */
export interface Packet {
  /** In Base64. */
  readonly data: string
  readonly isKey: boolean
  /** Since the beginning, in seconds. */
  readonly seconds: number
}

/** How a video is encoded, as containers need to know it. */
export interface Format {
  readonly codec: "vp8"
  readonly width: number
  readonly height: number
}

export interface Encoder {
  readonly format: Format
  /** Encodes a JPEG, and answers the packets that are ready. */
  readonly encode: (jpeg: string, millis: number) => Promise<ReadonlyArray<Packet>>
  /** Ends the encoder, and returns the packets that were not returned yet. */
  readonly finish: () => Promise<ReadonlyArray<Packet>>
  readonly close: () => Promise<void>
}

/** The API is there in secure contexts only. */
const origin = "https://encoder.invalid/"

/** Bits per second. Most frames do not change and need little. */
const bitrate = 1_000_000

/** The interval of key frames, at which players can start, in milliseconds. */
const keyMillis = 5_000

/** Opens an encoder; `null` when the browser has none. */
export const open = async (beside: BrowserContext, width: number, height: number): Promise<Encoder | null> => {
  const browser = beside.browser()
  if (browser === null) return null
  const context = await browser.newContext({ serviceWorkers: "block" })
  try {
    await context.route("**/*", (route) =>
      // The browser may be gone by then.
      (route.request().url() === origin
        ? route.fulfill({ contentType: "text/html", body: "<!doctype html><title></title>" })
        : route.abort()
      ).catch(() => undefined)
    )
    const page = await context.newPage()
    await page.goto(origin)
    const format: Format = { codec: "vp8", width: even(width), height: even(height) }
    const works = await page.evaluate(prepare, { ...format, bitrate, keyMillis })
    if (!works) {
      await context.close()
      return null
    }
    return {
      format,
      encode: (jpeg, millis) => page.evaluate(push, [jpeg, millis] as const),
      finish: () => page.evaluate(end),
      close: () => closed(context, page)
    }
  } catch (error) {
    await context.close().catch(() => undefined)
    throw error
  }
}

const closed = async (context: BrowserContext, page: Page): Promise<void> => {
  await page.close().catch(() => undefined)
  await context.close().catch(() => undefined)
}

const even = (pixels: number): number => pixels - (pixels % 2)

interface State {
  readonly push: (jpeg: string, millis: number) => Promise<Array<Packet>>
  readonly end: () => Promise<Array<Packet>>
}

/** Runs in the page. */
const prepare = async (
  options: Format & { readonly bitrate: number; readonly keyMillis: number }
): Promise<boolean> => {
  const { bitrate, codec, height, keyMillis, width } = options
  if (typeof VideoEncoder === "undefined") return false
  const config = { codec, width, height, bitrate, framerate: 5, latencyMode: "realtime" } as const
  if ((await VideoEncoder.isConfigSupported(config)).supported !== true) return false
  let ready: Array<Packet> = []
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength)
      chunk.copyTo(bytes)
      let text = ""
      for (let from = 0; from < bytes.length; from += 8_192) {
        text += String.fromCharCode(...bytes.subarray(from, from + 8_192))
      }
      ready.push({ data: btoa(text), isKey: chunk.type === "key", seconds: chunk.timestamp / 1e6 })
    },
    error: () => {}
  })
  encoder.configure(config)
  const canvas = new OffscreenCanvas(width, height)
  const paper = canvas.getContext("2d", { alpha: false })
  let lastKey = Number.NEGATIVE_INFINITY
  const taken = () => {
    const packets = ready
    ready = []
    return packets
  }
  const state: State = {
    push: async (jpeg, millis) => {
      const bytes = Uint8Array.from(atob(jpeg), (character) => character.charCodeAt(0))
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }))
      // Windows differ in size; each is shown whole.
      const scale = Math.min(width / picture.width, height / picture.height)
      const [w, h] = [picture.width * scale, picture.height * scale]
      paper?.fillRect(0, 0, width, height)
      paper?.drawImage(picture, (width - w) / 2, (height - h) / 2, w, h)
      picture.close()
      const frame = new VideoFrame(canvas, { timestamp: millis * 1_000 })
      const keyFrame = millis - lastKey >= keyMillis
      if (keyFrame) lastKey = millis
      encoder.encode(frame, { keyFrame })
      frame.close()
      // So that a browser which goes away takes no picture with it that was dealt with.
      await encoder.flush()
      return taken()
    },
    end: async () => {
      await encoder.flush()
      encoder.close()
      return taken()
    }
  }
  Object.assign(globalThis, { encoding: state })
  return true
}

/** The global that `prepare` leaves in the page. */
type Prepared = typeof globalThis & { readonly encoding: State }

/** Runs in the page, after what makes the state there. */
const push = ([jpeg, millis]: readonly [string, number]): Promise<Array<Packet>> =>
  (globalThis as Prepared).encoding.push(jpeg, millis)

/** Runs in the page, after what makes the state there. */
const end = (): Promise<Array<Packet>> => (globalThis as Prepared).encoding.end()
