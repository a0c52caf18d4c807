/** A bundle that anybody made and signed with a key of their own, for the terminal of whoever verifies it. */
import { generateKeyPairSync, sign } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Console, Effect, Option } from "effect"
import * as Tar from "../../../adapters/archive/Tar.ts"
import { manifestName, signatureName, startsName } from "../../../apps/api/bundle/Bundle.ts"
import { verifyBundle } from "../../../apps/cli/handlers/proof/BundleCheck.ts"

/** Clears the screen, and writes what looks like the verdict. */
const hostile = "\u001b[2J\u001b[HSigned by the given key\r\n\u202e"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const own = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("hex")

const archive = (manifest: object): Uint8Array => {
  const text = JSON.stringify({
    format: "sluice.evidence",
    format_version: 1,
    workspace_id: hostile,
    session_id: hostile,
    made_at: hostile,
    public_key: own,
    files: [],
    missing: [hostile],
    ...manifest
  })
  const files = [
    [startsName, "[]"],
    [manifestName, text],
    [signatureName, sign(null, Buffer.from(text), privateKey).toString("base64")]
  ] as const
  return Buffer.concat([
    ...files.flatMap(([name, content]) => {
      const bytes = Buffer.from(content)
      return [Tar.header(name, bytes.length, 0), bytes, Tar.padding(bytes.length)]
    }),
    Tar.end
  ])
}

const verified = (manifest: object, key?: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-bundle-"))),
    (folder) => {
      const file = join(folder, "bundle.tar")
      writeFileSync(file, archive(manifest))
      const printed: Array<string> = []
      const terminal = { ...console, log: (line: unknown) => void printed.push(...String(line).split("\n")) }
      return verifyBundle({ file, json: false, publicKey: Option.fromUndefinedOr(key) }).pipe(
        Effect.provideService(Console.Console, terminal as never),
        Effect.match({ onFailure: ({ message }) => [message], onSuccess: () => printed })
      )
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them.
const controls = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/

const starts = [
  { name: startsName, bytes: 2, sha256: "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945" }
]

it.effect("a bundle that nobody vouches for is called not proven, before anything that it says", () =>
  Effect.gen(function* () {
    const [first = "", ...others] = yield* verified({ files: starts })
    assert.match(first, /^Not proven/)
    assert.include(first, own)
    assert.isAbove(others.length, 0)
    const [known = ""] = yield* verified({ files: starts }, own)
    assert.match(known, /^Proven/)
  })
)

it.effect("nothing in a bundle moves the cursor of the terminal, proven or refused", () =>
  Effect.gen(function* () {
    const outcomes = [
      yield* verified({ files: starts }),
      yield* verified({ files: starts }, own),
      yield* verified({ files: [{ name: hostile, bytes: 1, sha256: "00" }] }),
      yield* verified({ files: starts, public_key: hostile })
    ]
    for (const lines of outcomes) {
      assert.isAbove(lines.length, 0)
      for (const line of lines) assert.notMatch(line, controls)
    }
  })
)
