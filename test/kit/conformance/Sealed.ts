/**
 * Seals and unseals values as clients do, and makes the codes of an authenticator, with APIs that every runtime has.
 */
const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

const hexOf = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")

const ivBytes = 12

const keyFrom = (hex: string, usage: KeyUsage) =>
  crypto.subtle.importKey("raw", bytesOf(hex), "AES-GCM", false, [usage])

/** The IV and the JSON text sealed with AES-256-GCM, each in hexadecimal digits. */
export const seal = async (encryptionKey: string, value: string): Promise<string> => {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
  const plain = new TextEncoder().encode(JSON.stringify(value))
  const key = await keyFrom(encryptionKey, "encrypt")
  return hexOf(iv) + hexOf(new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, plain)))
}

/** The sealed value in plain text. Rejects when the key does not unseal it. */
export const open = async (encryptionKey: string, sealed: string): Promise<unknown> => {
  const bytes = bytesOf(sealed)
  const key = await keyFrom(encryptionKey, "decrypt")
  const iv = bytes.slice(0, ivBytes)
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytes.slice(ivBytes))
  return JSON.parse(new TextDecoder().decode(plain))
}

/** The secret of the examples of RFC 6238, in base32. */
export const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

/** A random secret of an authenticator, in base32. */
export const newSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[byte % 32]).join("")

/** The six-digit code of RFC 6238 at an instant, for `secret`. */
export const codeAt = async (millis: number): Promise<string> => {
  const bytes = new TextEncoder().encode("12345678901234567890")
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-1" }, false, ["sign"])
  const counter = new DataView(new ArrayBuffer(8))
  counter.setUint32(4, Math.floor(millis / 30_000))
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter.buffer))
  const offset = mac.getUint8(19) & 15
  return String((mac.getUint32(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0")
}
