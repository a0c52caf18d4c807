/** Prints the errors of a malformed command line, and how to get the help. */
import { Console } from "effect"
import { type CliError, CliOutput } from "effect/cli"
import { variableOf } from "./Variables.ts"

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them.
const controls = /[\u0000-\u001f\u007f-\u009f]+/g

const suggested = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : `: did you mean ${names.join(" or ")}?`

/** One sentence. A wrong value is named with its flag and its variable: it may come from either. */
const sentenceOf = (error: CliError.NonShowHelpErrors): string => {
  if (error._tag === "UnrecognizedOption") {
    const { command = [], option, suggestions } = error
    return `${command.join(" ") || "sluice"} has no flag ${option}${suggested(suggestions)}`.replace(controls, " ")
  }
  if (error._tag === "UnknownSubcommand") {
    const { parent = [], subcommand, suggestions } = error
    return `${parent.join(" ") || "sluice"} has no command "${subcommand}"${suggested(suggestions)}`.replace(
      controls,
      " "
    )
  }
  if (error._tag !== "InvalidValue") return error.message.replace(controls, " ").replace(/ {2,}/g, " ")
  const { expected, option, value } = error
  const variable = variableOf(option)
  const wanted = expected.replace(/^Schema validation failed: /, "").replace(/^Expected:? /, "")
  return `Cannot use "${value}" for --${option}${variable === null ? "" : ` (${variable})`}: expected ${wanted}`.replace(
    controls,
    " "
  )
}

export const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const sentences = event.errors.map(sentenceOf)
    return Console.error([...sentences, `\`${event.commandPath.join(" ")} --help\` shows all settings`].join("\n"))
  }
}
