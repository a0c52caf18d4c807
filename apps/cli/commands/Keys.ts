/**
 * `sluice keys`: the API keys of a workspace, and its encryption key.
 */
import { Argument, Command, Flag } from "effect/cli"
import { Role } from "../../../core/workspace/Workspace.ts"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { rotate } from "./Rotate.ts"
import { workspace } from "./WorkspaceFlag.ts"

const create = Command.make(
  "create",
  {
    ...Settings.storage,
    workspace,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the key in lists"), Flag.optional),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("What the key may do"),
      Flag.withDefault("Member")
    )
  },
  handler(
    () => import("../handlers/Keys.ts"),
    ({ create }) => create
  )
).pipe(Command.withDescription("Create a key, and show it once"))

const list = Command.make(
  "list",
  { ...Settings.storage, workspace },
  handler(
    () => import("../handlers/Keys.ts"),
    ({ list }) => list
  )
).pipe(Command.withDescription("List the keys of a workspace; their secret values are not stored"))

const revoke = Command.make(
  "revoke",
  { ...Settings.storage, workspace, key: Argument.String("key-id") },
  handler(
    () => import("../handlers/Keys.ts"),
    ({ revoke }) => revoke
  )
).pipe(Command.withDescription("Revoke a key by its id"))

const encryption = Command.make(
  "encryption",
  { ...Settings.storage, workspace },
  handler(
    () => import("../handlers/Keys.ts"),
    ({ encryption }) => encryption
  )
).pipe(Command.withDescription("Show the key that the credentials of a workspace are sealed with"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("Create, list and revoke API keys, and show or rotate encryption keys"),
  Command.withSubcommands([create, list, revoke, encryption, rotate])
)
