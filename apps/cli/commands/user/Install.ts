/**
 * `sluice install`: what other programs on this machine need to work with Sluice.
 */
import { Command, Flag } from "effect/cli"
import { handler } from "../Handler.ts"
import { service } from "./Service.ts"

export const install = Command.make(
  "install",
  {
    skills: Flag.Boolean("skills").pipe(
      Flag.withDescription("Write a skill for coding agents: how they make, check, try, run and mend workflows"),
      Flag.withDefault(false)
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription("Folder of skills; .agents/skills, and .claude/skills where .claude exists, when not set"),
      Flag.optional
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Replace a skill that differs, such as that of another version"),
      Flag.withDefault(false)
    ),
    json: service.json
  },
  handler(
    () => import("../../handlers/user/Install.ts"),
    ({ install }) => install
  )
).pipe(Command.withDescription("Write a skill for coding agents, with --skills, into the folders that they read"))
