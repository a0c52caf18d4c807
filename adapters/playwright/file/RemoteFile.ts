/**
 * Reads a file on the machine of a browser, through the browser: a page in a separate context opens the file, and its
 * content is read over DevTools.
 */
import { pathToFileURL } from "node:url"
import type { CDPSession, Browser as Chromium } from "playwright-core"

/** How much is read at once, in bytes. */
const pieceBytes = 1_048_576

/** How long the browser may take to open the file, in milliseconds. */
const openMillis = 10_000

/** The content of a file, piece by piece. The path is one of the service, never one that a page names. */
export const read = async function* (chromium: Chromium, path: string): AsyncGenerator<Buffer> {
  const context = await chromium.newContext()
  try {
    const page = await context.newPage()
    const line = await context.newCDPSession(page)
    const handle = await opened(line, addressOf(path))
    for (let isOver = false; !isOver; ) {
      const { base64Encoded, data, eof } = await line.send("IO.read", { handle, size: pieceBytes })
      yield Buffer.from(data, base64Encoded === true ? "base64" : "utf8")
      isOver = eof
    }
  } finally {
    await context.close().catch(() => undefined)
  }
}

/** The address of a file for the browser, which may be on a machine with Windows. */
export const addressOf = (path: string): string => pathToFileURL(path, { windows: /^[a-z]:[\\/]/i.test(path) }).href

/** The stream of the file at an address. */
const opened = async (line: CDPSession, url: string): Promise<string> => {
  let timer: NodeJS.Timeout | undefined
  const paused = new Promise<string>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error("the browser did not open the file")), openMillis)
    line.once("Fetch.requestPaused", ({ requestId, responseErrorReason }) => {
      if (responseErrorReason === undefined) resolve(requestId)
      else reject(new Error(`the browser could not open the file: ${responseErrorReason}`))
    })
  })
  try {
    await line.send("Fetch.enable", { patterns: [{ urlPattern: "file://*", requestStage: "Response" }] })
    // Its answer comes after the file was taken.
    line.send("Page.navigate", { url }).catch(() => undefined)
    const { stream } = await line.send("Fetch.takeResponseBodyAsStream", { requestId: await paused })
    return stream
  } finally {
    clearTimeout(timer)
    paused.catch(() => undefined)
  }
}
