/**
 * The commands that talk to a service over HTTP, as one of its users.
 */
import { batch } from "./Batch.ts"
import { consoleLink } from "./Console.ts"
import { run } from "./Execute.ts"
import { init } from "./Init.ts"
import { install } from "./Install.ts"
import { login } from "./Login.ts"
import { mcp } from "./Mcp.ts"
import { replay } from "./Replay.ts"
import { runs } from "./Runs.ts"
import { schedule } from "./Schedules.ts"
import { workflow } from "./Workflows.ts"
import { alerts } from "./workspace/Alerts.ts"
import { audit } from "./workspace/Audit.ts"
import { destination } from "./workspace/Destination.ts"
import { limits } from "./workspace/Limits.ts"
import { vault } from "./workspace/Vault.ts"
import { webhook } from "./workspace/Webhook.ts"

export const commands = [
  login,
  consoleLink,
  run,
  runs,
  replay,
  init,
  install,
  workflow,
  batch,
  schedule,
  vault,
  audit,
  webhook,
  destination,
  alerts,
  limits,
  mcp
] as const

const names: ReadonlySet<string> = new Set([
  ...commands.map(({ name }) => name),
  "window",
  "keys",
  "workspaces",
  "verify",
  "doctor"
])

/** Whether a path of commands, such as `sluice runs ls`, is that of a command of users, or names no command. */
export const isOne = (path: ReadonlyArray<string>): boolean => path[1] === undefined || names.has(path[1])
