/**
 * `sluice login`: keeps the address of a service and a key, or that of an invitation, in a profile.
 */
import { Command } from "effect/cli"
import { handler } from "../Handler.ts"
import { service } from "./Service.ts"

export const login = Command.make(
  "login",
  service,
  handler(
    () => import("../../handlers/user/Login.ts"),
    ({ login }) => login
  )
).pipe(
  Command.withDescription(
    "Check a key, or accept an invitation, and keep the key in a profile; it is read from SLUICE_KEY, or from standard input"
  )
)
