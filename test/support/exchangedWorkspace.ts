/** Fills an empty workspace with something of everything that a folder takes from one workspace to another. */
import { Effect } from "effect"
import { daily, graph } from "./fixtures.ts"
import { seal } from "./sealed.ts"

type Body = Readonly<Record<string, unknown>>

/** Sends a request that must succeed, and answers the body of its answer. */
export type Ask<E, R> = (method: string, path: string, json?: unknown) => Effect.Effect<Body, E, R>

const nodeId = (suffix: number) => `00000000-0000-4000-8000-${String(suffix).padStart(12, "0")}`
const instances = ["10000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000002"] as const

const click = (suffix: number, name: string, parameters: Body = {}) => ({
  id: nodeId(suffix),
  name,
  action: "CLICK",
  parameters: { execution: "STATIC", selector: `//button[${suffix}]`, ...parameters }
})

const [start, end] = graph().nodes

/** A workflow that has the component twice, once between other nodes with an error code and once after them. */
const invoices = (component: string, code: string, proxy: string) => {
  const nodes = [
    start,
    { ...click(11, "User"), source_component_instance_id: `${component}:${instances[0]}` },
    click(20, "Open", { selector_error_message: code }),
    {
      ...click(31, "User again"),
      source_component_instance_id: `${component}:${instances[1]}`,
      source_component_node_id: nodeId(11)
    },
    click(21, "Close", { selector_error_message: "A literal text" }),
    end
  ]
  const ids = nodes.map((node) => String(node?.id))
  return {
    name: "Invoices",
    description: "Every month",
    folder_path: "billing/monthly",
    tags: ["money"],
    nodes,
    edges: Object.fromEntries(ids.slice(1).map((to, index) => [ids[index], { to }])),
    input_schema: { type: "object", properties: { month: { type: "string" } } },
    vault_schema: { BANK: { type: "credential", domain: "https://portal.example.com" } },
    max_retries: 2,
    proxy_setting: "custom",
    proxy_value: proxy,
    run_window: daily
  }
}

/**
 * Fills the workspace of `ask`, whose encryption key is `encryptionKey`. Answers what must be in no folder: its secrets,
 * and the secrets that the service made.
 */
export const fillWorkspace = Effect.fnUntraced(function* <E, R>(ask: Ask<E, R>, encryptionKey: string) {
  const password = "tide-and-timber"
  const sealedProxy = seal(encryptionKey, "socks5://me:hidden-proxy-word@proxy.example:1080")
  const code = yield* ask("POST", "/error-codes", {
    error_code: "PORTAL_DOWN",
    description: "The portal is down",
    error_action: "retry",
    retries: 3,
    retry_after: 60
  })
  const component = yield* ask("POST", "/workflow-components", {
    name: "Sign in",
    componentData: {
      nodes: [{ workflowNode: click(11, "User", { selector_error_message: code.id }), position: { x: 1.5, y: -2 } }],
      workflowEdges: {},
      reactFlowEdges: [],
      vault_schema: {}
    }
  })
  const billing = yield* ask("POST", "/workflows", invoices(String(component.id), String(code.id), sealedProxy))
  yield* ask("PUT", `/workflows/${billing.id}/pace`, { max_starts_per_minute: 30, max_running: 2 })
  const schedule = {
    workflow_id: billing.id,
    time_zone: "Europe/Berlin",
    run_input_variables: { BANK: "robot" }
  }
  const input = { month: "{{ schedule.date }}" }
  yield* ask("POST", "/schedules", { ...schedule, name: "daily", cron: "30 7 * * MON-FRI", tags: ["night"] })
  const paused = yield* ask("POST", "/schedules", { ...schedule, recurrence: "FREQ=MONTHLY", jitter_seconds: 60 })
  yield* ask("POST", `/schedules/${paused.id}/pause`, { reason: "Holidays" })

  // The same name in another folder, and a name without any letter that file names have.
  yield* ask("POST", "/workflows", { name: "Invoices", ...graph(), folder_path: "old" })
  const requests = yield* ask("POST", "/workflows", {
    name: "请求",
    ...graph(),
    input_schema: { type: "object", properties: { month: { type: "string" } } }
  })
  const weekly = { workflow_id: requests.id, cron: "@weekly", time_zone: "UTC" }
  yield* ask("POST", "/schedules", { ...weekly, run_input_variables: input, ends_at: "2999-01-01T00:00:00Z" })

  const everything = yield* ask("POST", "/webhook-endpoints", { url: "https://hooks.example.com/everything" })
  const failures = yield* ask("POST", "/webhook-endpoints", {
    url: "https://hooks.example.com/failures",
    workflow_id: billing.id,
    event_types_subscribed: ["execution.failed", "execution.stopped"],
    validity: 600,
    secret: "a-secret-of-mine"
  })
  const sealed = seal(encryptionKey, password)
  const robot = { permissioned_user_id: "robot", domain: "https://portal.example.com" }
  yield* ask("POST", "/vault", { ...robot, user_name: sealed, password: sealed })
  return {
    secrets: [
      password,
      sealed,
      sealedProxy,
      "hidden-proxy-word",
      "a-secret-of-mine",
      String(everything.secret),
      String(failures.secret)
    ]
  }
})
