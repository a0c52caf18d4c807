/**
 * What `sluice mcp` does: it serves the tools to the host that started it, until that closes the standard input.
 */
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { Effect } from "effect"
import { Build } from "../../../../core/runtime/Build.ts"
import { allows } from "../../../../core/workspace/Workspace.ts"
import * as McpServer from "../../../mcp/McpServer.ts"
import * as ServicePlace from "../../../mcp/ServicePlace.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"

interface Settings extends ConnectionSettings {
  readonly readOnly: boolean
}

/** The end of the standard input: the host has left. */
const inputEnds = Effect.callback<void>((resume) => {
  const done = () => resume(Effect.void)
  process.stdin.once("end", done).once("close", done)
})

export const mcp = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client, { url }) {
      // A key that is not accepted ends the command before the host sends anything.
      const { role } = yield* client.workspaces.me()
      const version = yield* Build
      const services = yield* Effect.context<never>()
      const place = ServicePlace.make({ client, baseUrl: url, publicUrl: url })
      yield* Effect.acquireUseRelease(
        Effect.sync(() =>
          serveStdio(
            () =>
              McpServer.make({
                place,
                permits: (ability) => allows(role, ability),
                readOnly: settings.readOnly,
                services,
                version
              }),
            { maxSubscriptions: 0 }
          )
        ),
        () => inputEnds,
        (handle) => Effect.promise(() => handle.close())
      )
    })
  )
