/** The errors of a malformed command line, and how to get the help. */
import { Effect } from "effect"
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

/** One sentence for each error. */
export const sentencesOf = ({ errors }: CliError.ShowHelp): string => errors.map(sentenceOf).join("\n")

/** How to get the help. */
export const helpOf = ({ commandPath }: CliError.ShowHelp): string =>
  `\`${commandPath.join(" ")} --help\` shows all settings`

/** Prints all but errors, which are reported like every other failure. */
export const presenter: CliOutput.Presenter = {
  present: (event) => (event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event))
}
