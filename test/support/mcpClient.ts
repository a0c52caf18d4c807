/** The official client of the Model Context Protocol, connected to a server, and what its tools answer. */
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { Effect } from "effect"

export interface ToolAnswer {
  readonly isError: boolean
  readonly text: string
  // Tests look into it as they like.
  // biome-ignore lint/suspicious/noExplicitAny: the answers of tools have no common type.
  readonly data: any
}

export type Revision = "2026-07-28" | "2025-11-25" | "2025-06-18"

/** Connects over a transport by one revision of the protocol; closed with the scope. */
export const connected = (transport: () => Transport, revision: Revision = "2026-07-28") =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client(
          { name: "test", version: "1" },
          revision === "2026-07-28"
            ? { versionNegotiation: { mode: { pin: revision } } }
            : { supportedProtocolVersions: [revision] }
        )
        await client.connect(transport())
        return client
      }),
      (client) => Effect.promise(() => client.close())
    ),
    (client) => ({
      client,
      names: Effect.promise(async () => (await client.listTools()).tools.map(({ name }) => name)),
      call: (name: string, args: Record<string, unknown> = {}) =>
        Effect.promise(async (): Promise<ToolAnswer> => {
          const { content, isError, structuredContent } = await client.callTool({ name, arguments: args })
          const [first] = content
          return { isError: isError === true, text: first?.type === "text" ? first.text : "", data: structuredContent }
        })
    })
  )

/** Connects to the route of a service with a key. */
export const overHttp = (
  url: string,
  key: string,
  options: { readonly revision?: Revision; readonly query?: string; readonly headers?: Record<string, string> } = {}
) =>
  connected(
    () =>
      new StreamableHTTPClientTransport(new URL(`${url}/mcp${options.query ?? ""}`), {
        requestInit: { headers: { authorization: `Bearer ${key}`, ...options.headers } }
      }),
    options.revision
  )
