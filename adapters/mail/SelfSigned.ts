/**
 * A self-signed certificate for a mail server without a configured one. Mail senders encrypt without verifying the
 * certificate. It lasts as long as the process, and its key is never written to disk.
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

export interface Certificate {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly cert: string
}

/** A certificate for a host name, good from a day before an instant to ten years after it. */
export const make = (host: string, at: number): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(set(sequence(commonName, element(0x0c, Buffer.from(host.slice(0, 64))))))
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const alternative = sequence(
    subjectAlternativeName,
    element(0x04, sequence(element(0x82, Buffer.from(host, "latin1"))))
  )
  const toSign = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, serial),
    ecdsaWithSha256,
    name,
    sequence(time(at - day), time(at + 3_650 * day)),
    name,
    publicKey.export({ format: "der", type: "spki" }),
    element(0xa3, sequence(alternative))
  )
  const signature = sign("sha256", toSign, privateKey)
  const certificate = sequence(toSign, ecdsaWithSha256, element(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = certificate.toString("base64").replace(/.{64}/g, "$&\n").trimEnd()
  return {
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  }
}

const day = 86_400_000

/** An element of DER: its tag, its length and its content. */
const element = (tag: number, content: Buffer): Buffer => {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...elements: ReadonlyArray<Buffer>): Buffer => element(0x30, Buffer.concat(elements))
const set = (...elements: ReadonlyArray<Buffer>): Buffer => element(0x31, Buffer.concat(elements))
const oid = (...bytes: ReadonlyArray<number>): Buffer => element(0x06, Buffer.from(bytes))

/** 2.5.4.3, 2.5.29.17 and 1.2.840.10045.4.3.2. */
const commonName = oid(0x55, 0x04, 0x03)
const subjectAlternativeName = oid(0x55, 0x1d, 0x11)
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))

/** GeneralizedTime, which has years of four digits. */
const time = (at: number): Buffer =>
  element(0x18, Buffer.from(new Date(at).toISOString().replace(/[-:T]|\.\d+/g, ""), "latin1"))
