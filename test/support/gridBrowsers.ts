/** Browsers of a grid, each in a process of its own, until their scope closes. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { chromium } from "playwright-core"
import { executablePath } from "./realBrowser.ts"

/** A Playwright server with one browser. */
export const playwrightServer = Effect.acquireRelease(
  Effect.promise(() => chromium.launchServer({ executablePath, host: "127.0.0.1" })),
  (server) => Effect.promise(() => server.kill())
)

/** A Chromium with its debugging port open. */
export const devToolsServer = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly url: string; readonly end: () => void }>((resolve, reject) => {
        const profile = mkdtempSync(join(tmpdir(), "sluice-grid-"))
        const child = spawn(executablePath, [
          "--headless",
          "--no-sandbox",
          "--remote-debugging-port=0",
          `--user-data-dir=${profile}`,
          "about:blank"
        ])
        child.on("error", reject)
        let said = ""
        child.stderr.on("data", (piece) => {
          said += String(piece)
          const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
          const end = () => {
            child.once("exit", () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }))
            child.kill("SIGKILL")
          }
          if (port !== undefined) resolve({ url: `http://127.0.0.1:${port}`, end })
        })
      })
  ),
  ({ end }) => Effect.sync(end)
)
