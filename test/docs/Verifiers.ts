/** The programs of docs/webhooks.md that verify deliveries, each run on its own language. */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { fencesOf, pages } from "./Pages.ts"

export interface Delivered {
  readonly body: string
  readonly signature: string
  readonly secret: string
  /** The instant of its arrival, in epoch milliseconds. */
  readonly at: number
}

interface Language {
  /** The program that runs it, with arguments that answer its version. */
  readonly version: readonly [string, ...ReadonlyArray<string>]
  readonly command: (file: string) => readonly [string, ...ReadonlyArray<string>]
  readonly file: string
  /** The example as a program that reads a delivery as JSON from the file `delivered.json`, and prints its event. */
  readonly program: (example: string) => string
}

const languages = {
  ts: {
    version: [process.execPath, "--version"],
    command: (file) => [process.execPath, file],
    file: "verify.ts",
    program: (example) => `${example.split("\nconst body =")[0]}
import { readFileSync } from "node:fs"
const { at, body, secret, signature } = JSON.parse(readFileSync("delivered.json", "utf8"))
console.log(verify(body, signature, secret, at).event)`
  },
  python: {
    version: ["python3", "--version"],
    command: (file) => ["python3", file],
    file: "verify.py",
    program: (example) => `${example}
given = json.load(open("delivered.json"))
print(verify(given["body"].encode(), given["signature"], given["secret"], given["at"] / 1000)["event"])`
  },
  go: {
    version: ["go", "version"],
    command: (file) => ["go", "run", file],
    file: "verify.go",
    program: (example) =>
      `${example.replace("package receiver", "package main").replace('"errors"', '"errors"\n\t"fmt"\n\t"os"')}
func main() {
	var given struct {
		Body, Signature, Secret string
		At int64
	}
	text, _ := os.ReadFile("delivered.json")
	if err := json.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	message, err := Verify([]byte(given.Body), given.Signature, given.Secret, time.UnixMilli(given.At))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(message.Event)
}`
  }
} as const satisfies Readonly<Record<string, Language>>

export type Verifier = keyof typeof languages

/** Whether this machine can run programs of a language. */
export const isInstalled = (verifier: Verifier): boolean => {
  const [program, ...more] = languages[verifier].version
  return spawnSync(program, more).status === 0
}

/** The output of the example for a delivery: its event, or the reason for a refusal. */
export const verdictOf = async (verifier: Verifier, delivered: Delivered): Promise<string> => {
  const page = pages().find(({ path }) => path === "docs/webhooks.md")
  const example = page === undefined ? undefined : fencesOf(page).find(({ language }) => language === verifier)
  if (example === undefined) throw new Error(`docs/webhooks.md has no example in ${verifier}`)
  const folder = mkdtempSync(join(tmpdir(), "sluice-verify-"))
  try {
    const { command, file, program } = languages[verifier]
    writeFileSync(join(folder, file), program(example.text))
    writeFileSync(join(folder, "delivered.json"), JSON.stringify(delivered))
    const [name, ...more] = command(file)
    const { stdout } = await promisify(execFile)(name, more, { cwd: folder })
    return stdout.trim()
  } catch (error) {
    return String((error as { readonly stderr?: unknown }).stderr ?? error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
