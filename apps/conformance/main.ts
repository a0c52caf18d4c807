/**
 * `npx @sluice/conformance --url X --key K [--encryption-key E] [--move-clock] [--receiver URL] [--runs] [--scenario NAME] [--expected-failures FILE] [--json]`
 *
 * Ends with 0 when every scenario went as expected, with 1 when one did not, and with 2 for wrong arguments.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as Conformance from "./Conformance.ts"
import * as Receiver from "./Receiver.ts"

const usage =
  "sluice-conformance --url URL --key KEY [--encryption-key KEY] [--move-clock] [--receiver URL] [--runs] [--scenario NAME]... [--expected-failures FILE] [--json]\n" +
  "Without the encryption key of the workspace, scenarios that seal values do not run. With --move-clock, some move\n" +
  "the time of the installation forward, which must be one for tests.\n" +
  "With --receiver, an address at which the server reaches this machine, webhooks are received on its port and\n" +
  "checked. With --runs, the server executes runs, and its browser opens a page at that address.\n" +
  "The file has one scenario a line; what follows # is a comment.\n\n" +
  Conformance.scenarios.map(({ name, promise }) => `  ${name.padEnd(30)} ${promise}`).join("\n")

const refuse = (reason: string): never => {
  process.stderr.write(`${reason}\n\n${usage}\n`)
  process.exit(2)
}

const read = () => {
  try {
    return parseArgs({
      options: {
        url: { type: "string" },
        key: { type: "string" },
        "encryption-key": { type: "string" },
        "move-clock": { type: "boolean", default: false },
        receiver: { type: "string" },
        runs: { type: "boolean", default: false },
        scenario: { type: "string", multiple: true },
        "expected-failures": { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const linesOf = (path: string): ReadonlyArray<string> => {
  try {
    return readFileSync(path, "utf8")
      .split(/\r?\n/)
      .map((line) => line.replace(/#.*/, "").trim())
      .filter((line) => line !== "")
  } catch (error) {
    return refuse(`--expected-failures ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const values = read()
if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const url = values.url ?? refuse("--url is missing: expected the address of the server, such as http://127.0.0.1:8787")
if (!/^https?:\/\/./.test(url)) refuse(`--url ${url}: expected an address that begins with http:// or https://`)
const key = values.key ?? refuse("--key is missing: expected the API key of an Owner")
const encryptionKey = values["encryption-key"]
if (encryptionKey !== undefined && !/^[0-9a-f]{64}$/i.test(encryptionKey)) {
  refuse("--encryption-key: expected the 64 hexadecimal digits of the key of the workspace")
}
const expectedFailures = values["expected-failures"] === undefined ? [] : linesOf(values["expected-failures"])
const unknown = Conformance.unknownNames([...(values.scenario ?? []), ...expectedFailures])
if (unknown.length > 0) refuse(`There is no scenario ${unknown.join(", ")}`)

const address = values.receiver
if (address !== undefined && !/^http:\/\/./.test(address)) {
  refuse(`--receiver ${address}: expected an address that begins with http://, such as http://127.0.0.1:9000`)
}
if (values.runs && address === undefined)
  refuse("--runs needs --receiver: the browser of the server opens a page there")
const listening =
  address === undefined
    ? null
    : await Receiver.listen(address).catch((error: unknown) =>
        refuse(`--receiver ${address}: ${error instanceof Error ? error.message : String(error)}`)
      )

const outcomes = await Conformance.run(
  {
    url,
    key,
    expectedFailures,
    moveClock: values["move-clock"],
    executes: values.runs,
    ...(listening === null ? {} : { receiver: listening.receiver }),
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
    ...(values.scenario === undefined ? {} : { only: values.scenario })
  },
  ({ name, passed, reason, section, unexpected }) => {
    if (values.json) return
    const word = passed
      ? unexpected
        ? "passes, and was expected to fail:"
        : "ok"
      : unexpected
        ? "FAILED"
        : "fails, as expected:"
    process.stdout.write(`${word} ${name} (${section})${reason === null ? "" : `\n    ${reason}`}\n`)
  }
)
const wrong = outcomes.filter(({ unexpected }) => unexpected)
if (values.json) process.stdout.write(`${JSON.stringify({ scenarios: outcomes }, null, 2)}\n`)
else process.stdout.write(`${outcomes.length} scenarios, ${wrong.length} not as expected\n`)
await listening?.close()
process.exitCode = wrong.length === 0 ? 0 : 1
