/**
 * `sluice window`: shows and sets run windows of a service, and evaluates and checks those of files and lines.
 */
import { Argument, Command } from "effect/cli"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"
import { windowCommands } from "./user/WindowCommands.ts"

const load = () => import("../handlers/Window.ts")

export const window = Command.make("window").pipe(
  Command.withDescription("Show, set, evaluate and check run windows"),
  Command.withSubcommands([
    Command.make(
      "eval",
      { json: service.json },
      handler(load, ({ evaluate }) => evaluate)
    ).pipe(Command.withDescription("Read JSON lines {id, window, at} and write {id, open, nextOpenAt}")),
    Command.make(
      "validate",
      {
        file: Argument.String("file").pipe(
          Argument.withDescription("File with one run window in JSON, instead of JSON lines; - for standard input"),
          Argument.optional
        ),
        json: service.json
      },
      handler(load, ({ validate }) => validate)
    ).pipe(
      Command.withDescription(
        "Check the window of a file, and fail if it is not valid; or read JSON lines {id, window} and write {id, valid, errors, warnings}"
      )
    ),
    ...windowCommands
  ])
)
