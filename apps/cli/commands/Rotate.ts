/**
 * `sluice keys rotate master|workspace`: rotates the keys that protect secrets, while the service runs.
 */
import { Command, Flag } from "effect/cli"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"
import { workspace } from "./WorkspaceFlag.ts"

const master = Command.make(
  "master",
  { ...Settings.storage, json: service.json },
  handler(
    () => import("../handlers/Rotate.ts"),
    ({ master }) => master
  )
).pipe(Command.withDescription("Re-encrypt all keys with a new master key; if it is interrupted, run it again"))

const oneWorkspace = Command.make(
  "workspace",
  {
    ...Settings.storage,
    ...service,
    workspace,
    finish: Flag.Boolean("finish").pipe(
      Flag.withDescription("Stop accepting the former key, once no value is sealed with it"),
      Flag.withDefault(false)
    ),
    status: Flag.Boolean("status").pipe(
      Flag.withDescription("Show the progress, and change nothing"),
      Flag.withDefault(false)
    )
  },
  handler(
    () => import("../handlers/Rotate.ts"),
    ({ oneWorkspace }) => oneWorkspace
  )
).pipe(
  Command.withDescription(
    "Give a workspace a new encryption key; its clients may use either key until the rotation is finished"
  )
)

/** The commands that rotate keys which protect secrets. */
export const rotations = [oneWorkspace, master] as const
