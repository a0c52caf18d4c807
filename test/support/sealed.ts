/**
 * Seals and unseals like the clients of the interface, with code that is independent of the service.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

/** Encrypts a raw text. */
export const sealText = (key: string, text: string, iv: Uint8Array = randomBytes(12)): string => {
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(key, "hex"), iv)
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("hex")
}

/** Seals a value: encrypts its JSON text. */
export const seal = (key: string, value: unknown, iv?: Uint8Array): string => sealText(key, JSON.stringify(value), iv)

export const unseal = (key: string, sealed: string): unknown => {
  const bytes = Buffer.from(sealed, "hex")
  const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key, "hex"), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString("utf8"))
}
