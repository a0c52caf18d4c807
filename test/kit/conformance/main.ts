/**
 * `npx @sluice/conformance --url X --key K [--encryption-key E] [--second-key K] [--receiver URL] [--runs] [--mail URL] [--flood] [--move-clock] [--scenario NAME] [--expected-failures FILE] [--json]`
 *
 * Ends with 0 when every scenario went as expected, with 1 when one did not, and with 2 for wrong arguments.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as Conformance from "./Conformance.ts"
import * as Mail from "./Mail.ts"
import * as Receiver from "./Receiver.ts"

const usage =
  "sluice-conformance --url URL --key KEY [--encryption-key KEY] [--second-key KEY] [--receiver URL] [--runs] [--mail URL]\n" +
  "  [--flood] [--move-clock] [--scenario NAME]... [--expected-failures FILE] [--json]\n" +
  "A scenario is skipped, with the reason, without the option that it needs:\n" +
  "  --encryption-key  the encryption key of the workspace\n" +
  "  --second-key      a key of an Owner of another workspace\n" +
  "  --receiver        an address at which the server reaches this machine; webhooks are received on its port\n" +
  "  --runs            the server executes runs, three at once, and its browser opens a page at the receiver\n" +
  "  --mail            the mail server of the server, such as smtp://127.0.0.1:2525\n" +
  "  --flood           one new key sends requests until the server refuses them\n" +
  "  --move-clock      the time of the installation is moved forward, which must be one for tests\n" +
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
        "second-key": { type: "string" },
        receiver: { type: "string" },
        runs: { type: "boolean", default: false },
        mail: { type: "string" },
        flood: { type: "boolean", default: false },
        "move-clock": { type: "boolean", default: false },
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
const mail = values.mail
if (mail !== undefined && (URL.parse(mail)?.protocol !== "smtp:" || URL.parse(mail)?.hostname === "")) {
  refuse(`--mail ${mail}: expected an address that begins with smtp://, such as smtp://127.0.0.1:2525`)
}
const secondKey = values["second-key"]
const listening =
  address === undefined
    ? null
    : await Receiver.listen(address).catch((error: unknown) =>
        refuse(`--receiver ${address}: ${error instanceof Error ? error.message : String(error)}`)
      )

const wordOf = ({ passed, skipped, unexpected }: Conformance.Outcome): string => {
  if (skipped) return "skipped"
  if (passed) return unexpected ? "passes, and was expected to fail:" : "ok"
  return unexpected ? "FAILED" : "fails, as expected:"
}

const outcomes = await Conformance.run(
  {
    url,
    key,
    expectedFailures,
    moveClock: values["move-clock"],
    executes: values.runs,
    flood: values.flood,
    ...(secondKey === undefined ? {} : { secondKey }),
    ...(mail === undefined ? {} : { mailer: Mail.make(mail) }),
    ...(listening === null ? {} : { receiver: listening.receiver }),
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
    ...(values.scenario === undefined ? {} : { only: values.scenario })
  },
  (outcome) => {
    if (values.json) return
    const { name, reason, section } = outcome
    const word = wordOf(outcome)
    process.stdout.write(`${word} ${name} (${section})${reason === null ? "" : `\n    ${reason}`}\n`)
  }
)
const wrong = outcomes.filter(({ unexpected }) => unexpected)
if (values.json) process.stdout.write(`${JSON.stringify({ scenarios: outcomes }, null, 2)}\n`)
else {
  const skipped = outcomes.filter((outcome) => outcome.skipped)
  process.stdout.write(`${outcomes.length} scenarios, ${skipped.length} skipped, ${wrong.length} not as expected\n`)
}
await listening?.close()
process.exitCode = wrong.length === 0 ? 0 : 1
