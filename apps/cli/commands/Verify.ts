/**
 * `sluice verify`: re-checks why runs started, from what is stored, with the evaluation of windows that starts runs.
 */
import { Argument, Command, Flag } from "effect/cli"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"
import { workspace } from "./WorkspaceFlag.ts"

const instant = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const bundle = Command.make(
  "bundle",
  {
    file: Argument.String("file"),
    json: service.json,
    publicKey: Flag.String("public-key").pipe(
      Flag.withDescription("Public key of the installation in hexadecimal, as GET /bundle-key answers it"),
      Flag.optional
    )
  },
  handler(
    () => import("../handlers/proof/BundleCheck.ts"),
    ({ verifyBundle }) => verifyBundle
  )
).pipe(Command.withDescription("Check a bundle of a run, without the installation that made it"))

export const verify = Command.make(
  "verify",
  {
    ...Settings.storage,
    ...service,
    workspace,
    run: Argument.String("session-id").pipe(Argument.optional),
    from: instant("from", "First instant of a time range, such as 2026-10-01T00:00:00Z"),
    to: instant("to", "First instant after the time range; now if it is left out")
  },
  handler(
    () => import("../handlers/proof/Verify.ts"),
    ({ verify }) => verify
  )
).pipe(
  Command.withDescription("Check why a run started when it did, or all starts of a time range"),
  Command.withSubcommands([bundle])
)
