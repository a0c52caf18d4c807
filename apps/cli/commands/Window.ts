/**
 * `sluice window`: evaluates and checks run windows given as JSON lines.
 */
import { Command } from "effect/cli"
import { handler } from "./Handler.ts"

const load = () => import("../handlers/Window.ts")

export const window = Command.make("window").pipe(
  Command.withDescription("Evaluate and check run windows"),
  Command.withSubcommands([
    Command.make(
      "eval",
      {},
      handler(load, ({ evaluate }) => evaluate)
    ).pipe(Command.withDescription("Read JSON lines {id, window, at} and write {id, open, nextOpenAt}")),
    Command.make(
      "validate",
      {},
      handler(load, ({ validate }) => validate)
    ).pipe(Command.withDescription("Read JSON lines {id, window} and write {id, valid, errors, warnings}"))
  ])
)
