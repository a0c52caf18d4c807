/**
 * `sluice init`: a workflow as code to begin with.
 */
import { Argument, Command } from "effect/cli"
import { handler } from "../Handler.ts"
import { service } from "./Service.ts"

export const init = Command.make(
  "init",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Folder to write to; the current one when not given"),
      Argument.withDefault(".")
    ),
    json: service.json
  },
  handler(
    () => import("../../handlers/user/Init.ts"),
    ({ init }) => init
  )
).pipe(Command.withDescription("Write a workflow in TypeScript, its test and a package.json into a folder"))
