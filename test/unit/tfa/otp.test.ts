import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schema } from "effect"
import { Secret } from "otpauth"
import * as Inbox from "../../../core/vault/inbox/Inbox.ts"
import * as Otp from "../../../core/vault/otp/Otp.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"

const read = (text: string) => Otp.parse(Redacted.make(text))
const ascii = (digits: string) => Secret.fromLatin1(digits).base32
const address = (query: string, type = "totp") => `otpauth://${type}/Site:robot?${query}`

const seeds = {
  SHA1: ascii("12345678901234567890"),
  SHA256: ascii("12345678901234567890123456789012"),
  SHA512: ascii("1234567890123456789012345678901234567890123456789012345678901234")
}

/** RFC 6238, appendix B: the seconds since the epoch, and the codes of 8 digits by SHA-1, SHA-256 and SHA-512. */
const timed: ReadonlyArray<readonly [number, string, string, string]> = [
  [59, "94287082", "46119246", "90693936"],
  [1_111_111_109, "07081804", "68084774", "25091201"],
  [1_111_111_111, "14050471", "67062674", "99943326"],
  [1_234_567_890, "89005924", "91819424", "93441116"],
  [2_000_000_000, "69279037", "90698825", "38618901"],
  [20_000_000_000, "65353130", "77737706", "47863826"]
]

/** RFC 4226, appendix D: the codes of the counters 0 to 9. */
const counted = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]

describe("a code", () => {
  it.each(timed)("of the instant %d is that of RFC 6238", (seconds, ...codes) => {
    Object.entries(seeds).forEach(([algorithm, secret], index) => {
      const otp = Result.getOrThrow(read(address(`secret=${secret}&algorithm=${algorithm}&digits=8`)))
      if (otp._tag !== "Totp") throw new Error("Expected codes by the time")
      const { code, expiresInSeconds, step } = Otp.timed(otp, seconds * 1_000)
      assert.strictEqual(Redacted.value(code), codes[index])
      assert.strictEqual(step, Math.floor(seconds / 30))
      assert.strictEqual(expiresInSeconds, 30 - (seconds % 30))
    })
  })

  it.each(counted.map((code, counter) => [counter, code] as const))(
    "of the counter %d is that of RFC 4226",
    (counter, code) => {
      const otp = Result.getOrThrow(read(address(`secret=${seeds.SHA1}&counter=${counter}`, "hotp")))
      if (otp._tag !== "Hotp") throw new Error("Expected codes by a counter")
      assert.strictEqual(Redacted.value(Otp.counted(otp, otp.counter)), code)
    }
  )

  it("is good for at least a second, and a new one comes exactly at the end of its step", () => {
    const otp = Result.getOrThrow(read(seeds.SHA1))
    if (otp._tag !== "Totp") throw new Error("Expected codes by the time")
    assert.strictEqual(Otp.timed(otp, 29_999).expiresInSeconds, 1)
    assert.strictEqual(Otp.timed(otp, 30_000).expiresInSeconds, 30)
    assert.strictEqual(Otp.timed(otp, 29_999).step + 1, Otp.timed(otp, 30_000).step)
  })
})

const refused = [
  "",
  "A",
  "ABC1",
  "hunter2!",
  "otpauth://totp/Site",
  "otpauth://totp/Site?secret=",
  "otpauth://totp/Site?secret=0189",
  "otpauth://motp/Site?secret=JBSWY3DPEHPK3PXP",
  "otpauth://totp/%ff?secret=JBSWY3DPEHPK3PXP",
  address("secret=JBSWY3DPEHPK3PXP&digits=7"),
  address("secret=JBSWY3DPEHPK3PXP&digits=99"),
  address("secret=JBSWY3DPEHPK3PXP&algorithm=MD5"),
  address("secret=JBSWY3DPEHPK3PXP&algorithm=SHA224"),
  address("secret=JBSWY3DPEHPK3PXP&period=0"),
  address("secret=JBSWY3DPEHPK3PXP&period=99999999999"),
  address("secret=JBSWY3DPEHPK3PXP", "hotp"),
  address("secret=JBSWY3DPEHPK3PXP&counter=-1", "hotp"),
  address("secret=JBSWY3DPEHPK3PXP&counter=999999999999999999", "hotp")
]

describe("a secret", () => {
  it.each(refused)('"%s" is refused, and not repeated', (text) => {
    const result = read(text)
    if (Result.isSuccess(result)) return assert.fail("Expected it to be refused")
    if (text.length > 1) assert.notInclude(result.failure.message, text)
  })

  it("is read as people copy it: in groups, in lower case, with padding", () => {
    const code = (text: string) => {
      const otp = Result.getOrThrow(read(text))
      return otp._tag === "Totp" ? Redacted.value(Otp.timed(otp, 59_000).code) : ""
    }
    assert.strictEqual(code(seeds.SHA1), "287082")
    assert.strictEqual(code(` ${seeds.SHA1.toLowerCase().replace(/(.{4})/g, "$1 ")}`), "287082")
    assert.strictEqual(code(`${seeds.SHA1.replace(/(.{4})/g, "$1-")}=`), "287082")
    assert.strictEqual(code(`OTPAUTH://TOTP/x?SECRET=${seeds.SHA1}&ALGORITHM=sha1`), "287082")
  })
})

const workspace = WorkspaceId.make("01890000-0000-7000-8000-0123456789ab")

describe("an address of the inbox", () => {
  it("names the workspace, the user and the site", () => {
    assert.strictEqual(
      Inbox.addressOf(workspace, { permissionedUserId: "robot-1", domain: "https://app.example.com" }, "in.example"),
      "456789ab+robot-1+app-example-com@in.example"
    )
    assert.isNull(Inbox.read("info@in.example"))
    assert.isNull(Inbox.read("a+b+c+d@in.example"))
  })

  it.effect.prop(
    "is one that mail may carry, and is read back as what it was made of",
    [Schema.String, Schema.Literals(["https://app.example.com", "localhost:3000", "http://[::1]:8080"])],
    ([permissionedUserId, domain]) =>
      Effect.sync(() => {
        const made = Inbox.addressOf(workspace, { permissionedUserId, domain }, "in.example")
        assert.match(made, /^[\w=-]+(\.[\w=-]+)*\+([\w=-]+(\.[\w=-]+)*)?\+[\w=-]+@in\.example$/)
        assert.strictEqual(
          Inbox.read(made)?.permissionedUserId,
          new TextDecoder().decode(new TextEncoder().encode(permissionedUserId))
        )
      }),
    { arbitrary: { runs: 500, size: 30 } }
  )

  it("is read back from what addresses have a meaning for, and from upper case in an escape", () => {
    for (const user of ["a+b@c.example", "=41", "%41", ".a..b.", "Jürgen", "用户"]) {
      const made = Inbox.addressOf(workspace, { permissionedUserId: user, domain: "a.example" }, "in.example")
      assert.strictEqual(Inbox.read(made)?.permissionedUserId, user)
      assert.strictEqual(Inbox.read(made.toUpperCase())?.permissionedUserId.toLowerCase(), user.toLowerCase())
    }
  })
})
