/**
 * The server of the Model Context Protocol over the tools. It keeps nothing between requests: no session, no
 * subscription.
 */
import { createMcpHandler, Server } from "@modelcontextprotocol/server"
import { type Context, Effect } from "effect"
import { reasonOf } from "../api/Client.ts"
import * as Bounds from "./Bounds.ts"
import type { Answer, Place, Tool } from "./Tool.ts"
import * as Tools from "./Tools.ts"
import * as Untrusted from "./Untrusted.ts"

/** The revisions of the protocol, the newest first: the stateless one, and the two before it. */
export const revisions = ["2026-07-28", "2025-11-25", "2025-06-18"]

export interface Options {
  readonly place: Place
  readonly permits: Tools.Permits
  readonly readOnly: boolean
  readonly version: string
  /** The services of the process, such as where its log goes. */
  readonly services: Context.Context<never>
}

const instructions = `Sluice runs browser-automation workflows; a run starts only within the run window of its workflow.
To change a workflow: draft_workflow, edit_workflow (each edit is checked), run_workflow on the draft with wait_seconds, get_run, save_draft.
A run that needs a person names a page for that person to open: never ask for passwords or codes here.
${Untrusted.notice}`

const listed = ({ description, destructive, input, name, needs, title }: Tool) => ({
  name,
  title,
  description,
  inputSchema: input as { readonly type: "object" },
  annotations: { readOnlyHint: needs === "read", destructiveHint: destructive }
})

const answered = ({ data, text }: Answer) => {
  const structuredContent = Bounds.bounded(data)
  return { structuredContent, content: [{ type: "text" as const, text: text ?? JSON.stringify(structuredContent) }] }
}

/** A failure as the answer of a tool: its message, and each problem at its path. */
const refused = (error: unknown) => {
  const { code, errors, run_input_variables_errors } = error as Readonly<Record<string, unknown>>
  const data = Bounds.bounded({
    error: {
      message: Bounds.cut(reasonOf(error), 2_000),
      ...(typeof code === "string" ? { code } : {}),
      ...(Array.isArray(errors) && errors.length > 0 ? { problems: errors } : {}),
      ...(Array.isArray(run_input_variables_errors) ? { input_problems: run_input_variables_errors } : {})
    }
  })
  return { isError: true, structuredContent: data, content: [{ type: "text" as const, text: JSON.stringify(data) }] }
}

/** A server for one request over HTTP, or one connection over standard input and output. */
export const make = ({ permits, place, readOnly, services, version }: Options): Server => {
  const tools = Tools.visible(permits, readOnly)
  const server = new Server(
    { name: "sluice", title: "Sluice", version },
    { capabilities: { tools: {} }, instructions, supportedProtocolVersions: revisions }
  )
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(listed) }))
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (tool === undefined) {
      const names = tools.map(({ name }) => name).join(", ")
      return refused({ message: `There is no tool ${params.name.slice(0, 80)} for this key: expected ${names}` })
    }
    const called = tool.call(place, params.arguments).pipe(
      Effect.match({ onFailure: refused, onSuccess: answered }),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logError(`The tool ${tool.name} failed`, cause),
          refused({ message: "The service could not answer: an internal error" })
        )
      )
    )
    return Effect.runPromiseWith(services)(called, { signal: mcpReq.signal })
  })
  return server
}

/** Answers requests over HTTP, each by a new server. */
export const handler = (serverOf: () => Server) => createMcpHandler(serverOf, { maxSubscriptions: 0, keepAliveMs: 0 })
