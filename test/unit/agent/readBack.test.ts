import { assert, describe, it } from "@effect/vitest"
import { isHeld } from "../../../core/browser/element/ReadBack.ts"

/** What was typed, what the field holds, and whether that is it. */
type Row = readonly [typed: string, held: string, isHeld: boolean, type?: string]

const judge = (name: string, rows: ReadonlyArray<Row>) =>
  describe(name, () => {
    for (const [typed, value, expected, type = "text"] of rows) {
      const not = expected ? "" : "not "
      it(`${JSON.stringify(typed)} is ${not}held by ${JSON.stringify(value)} in a field of type ${type}`, () => {
        assert.strictEqual(isHeld({ value, type }, typed), expected)
      })
    }
  })

judge("a number", [
  ["12.50", "12.50", true],
  ["12.50", "1250", false],
  ["12.50", "12,50", true],
  ["12.50", "12,50 €", true],
  ["12.50", "$ 12.50", true],
  ["12.50", "USD 12.50", true],
  ["12.50", "12.5", true],
  ["12.50", "12", false],
  ["12,50", "12.50", true],
  ["12,50", "1250", false],
  ["-50", "50", false],
  ["-50", "-50", true],
  ["-50", "(50.00)", true],
  ["-50", "\u221250", true],
  ["-50", "50-", true],
  ["+50", "50", true],
  ["1250.50", "125050", false],
  ["1250.50", "1.250,50", true],
  ["1250.50", "1,250.50", true],
  ["1250.50", "1'250.50", true],
  ["1250.50", "1\u202f250,50", true],
  ["1250.50", "125.050", false],
  ["1250.50", "125,050", false],
  ["5", "15", false],
  ["5", "5", true],
  ["5", "5.00", true],
  ["5", "5 kg", true],
  ["5", "5%", true],
  ["5", "5 of 12", false],
  ["5", "", false],
  ["1250", "1,250", true],
  ["1250", "1.250", true],
  ["1250", "12.50", false],
  ["1250", "0.1250", false],
  ["1,250", "1250", true],
  ["1.250", "1250", false],
  ["1.250", "1.25", true],
  ["1,234,567.5", "1234567.5", true],
  ["12,34,567", "12,34,567", true],
  ["1234567", "12,34,567", true],
  ["0.1", ".1", true],
  [".5", "0.5", true],
  ["100", "10", false],
  ["100", "1000", false],
  ["5", "٥", true],
  ["9007199254740993", "9007199254740992", false],
  ["9007199254740993", "9,007,199,254,740,993", true],
  ["007", "7", false],
  ["007", "7", true, "number"],
  ["01234", "1234", false],
  ["5", "5", true, "number"],
  ["1e3", "1000", false],
  ["0", "-0", true]
])

judge("digits that a field groups", [
  ["5551234567", "(555) 123-4567", true],
  ["5551234567", "(555) 123-456", false],
  ["555123", "+49 (555) 123", true],
  ["555123", "+49 555 123", true],
  ["555.123.456", "(555) 123-456", true],
  ["555-123-4567", "5551234567", true],
  ["4111111111111111", "4111 1111 1111 1111", true],
  ["4111-1111-1111-1111", "4111 1111 1111 1111", true],
  ["03012026", "03/01/2026", true],
  ["1030", "10:30", true],
  ["123456789", "123-45-6789", true],
  ["123456789", "123-45-678_", false],
  ["555", "___-___", false]
])

judge("a date or a time", [
  ["2026-03-01", "03/01/2026", true],
  ["2026-03-01", "01.03.2026", true],
  ["2026-03-01", "Mar 1, 2026", true],
  ["2026-03-01", "2026/03/01", true],
  ["2026-03-01", "03/01/26", true],
  ["2026-03-01", "20/26/0301", false],
  ["2026-03-01", "2026-03-02", false],
  ["2026-03-01", "1 April 2026", false],
  ["3/1/2026", "2026-03-01", true],
  ["9:05 pm", "21:05", true],
  ["21:05", "9:05 PM", true],
  ["21:05", "21:05:00", true],
  ["21:05", "12:05", false]
])

judge("a password", [
  ["Passw0rd", "Passw0rd", true, "password"],
  ["Passw0rd", "passw0rd", false, "password"],
  ["Pass word", "Password", false, "password"],
  ["12.50", "12.5", false, "password"],
  ["p\u00e4ss", "pa\u0308ss", false, "password"]
])

judge("any other text", [
  ["Kie", "Kiel-Holtenau", false],
  ["Kiel", "Kiel-Holtenau", false],
  ["jo", "jo@example.com", false],
  ["abc", "ABC", true],
  ["de89370400440532013000", "DE89 3704 0044 0532 0130 00", true],
  ["AB12CD", "AB1-2CD", true],
  ["INV-4711", "INV4711", false],
  ["INV-4711", "INV-4711", true],
  ["O'Brien", "OBrien", false],
  ["C++", "C", false],
  ["a.b@c.de", "ab@c.de", false],
  ["a.b@c.de", "A.B@c.de", true],
  ["example.com", "https://example.com", true],
  ["name", "@name", true],
  ["tag", "#tag", true],
  ["M\u00fcller", "Muller", false],
  ["M\u00fcller", "Mu\u0308ller", true],
  ["  two  words ", "two words", true],
  ["two words", "two\u00a0words", true],
  ["two words", "twowords", true],
  ["two words", "two", false],
  ["one\ntwo", "one\r\ntwo", true],
  ["text", "", false],
  ["text", "text text", false],
  ["5 rooms", "15 rooms", false],
  ["!!", "!!", true],
  [" ", "", true]
])
