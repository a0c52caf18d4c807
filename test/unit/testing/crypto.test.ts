import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as BundleSigning from "../../../adapters/crypto/BundleSigning.ts"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as KeyedFingerprints from "../../../adapters/crypto/KeyedFingerprints.ts"
import * as MasterKeyWrapping from "../../../adapters/crypto/MasterKeyWrapping.ts"
import * as SealedSecrets from "../../../adapters/crypto/SealedSecrets.ts"
import * as SignedLinks from "../../../adapters/crypto/SignedLinks.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { WebhookSecrets } from "../../../core/event/webhook/WebhookSecrets.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { BundleSigner } from "../../../core/run/evidence/BundleSigner.ts"
import { Fingerprints } from "../../../core/vault/keys/Fingerprints.ts"
import { type Cipher, Sealing } from "../../../core/vault/keys/Sealing.ts"
import { KeyWrapping } from "../../../core/vault/keys/WrappedKeys.ts"
import { Identifiers } from "../../../core/workspace/Identifiers.ts"
import { Keys } from "../../../core/workspace/Keys.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import * as ApiKeyContract from "../../kit/contracts/crypto/ApiKeyContract.ts"
import * as BundleSignerContract from "../../kit/contracts/crypto/BundleSignerContract.ts"
import * as FingerprintContract from "../../kit/contracts/crypto/FingerprintContract.ts"
import * as IdentifierContract from "../../kit/contracts/crypto/IdentifierContract.ts"
import * as LinkContract from "../../kit/contracts/crypto/LinkContract.ts"
import { type Processes, processesOf } from "../../kit/contracts/crypto/Processes.ts"
import * as SealingContract from "../../kit/contracts/crypto/SealingContract.ts"
import * as WebhookSecretContract from "../../kit/contracts/crypto/WebhookSecretContract.ts"
import * as WrappingContract from "../../kit/contracts/crypto/WrappingContract.ts"

const wrapping = (key: string, previous: string | null = null) =>
  Effect.map(
    Layer.build(
      Layer.fresh(MasterKeyWrapping.layer(Redacted.make(key), previous === null ? null : Redacted.make(previous)))
    ),
    (built) => Context.get(built, KeyWrapping)
  )

/** The titles of the promises that a layer breaks. */
const brokenBy = <Needs, E>(promises: ReadonlyArray<Contract.ContractPromise<Needs>>, layer: Layer.Layer<Needs, E>) =>
  Effect.map(Contract.broken(promises, Effect.provide(layer)), (broken) => broken.map(({ title }) => title))

/** A port of the adapters in three processes. */
const fingerprints = processesOf(Fingerprints, KeyedFingerprints.layer)
const signers = processesOf(BundleSigner, BundleSigning.layer)
const secrets = processesOf(WebhookSecrets, SealedSecrets.layer)
const links = processesOf(ArtifactLinks, SignedLinks.layer)

const isSigned = (...signed: Parameters<typeof BundleSigning.isSigned>) =>
  Effect.sync(() => BundleSigning.isSigned(...signed))

const exchange = Effect.all({
  before: wrapping("0a".repeat(32)),
  during: wrapping("b1".repeat(32), "0a".repeat(32)),
  after: wrapping("b1".repeat(32))
})

const sealing = Encryption.layer(Redacted.make("0a".repeat(32))).pipe(
  Layer.provideMerge(Layer.merge(Memory.layer, Crypto.layer))
)

/** A fault in each process of a port. */
const each =
  <Port>(fault: (port: Port, processes: Processes<Port>) => Port) =>
  (processes: Processes<Port>): Processes<Port> => ({
    own: fault(processes.own, processes),
    same: fault(processes.same, processes),
    other: fault(processes.other, processes)
  })

const faultyFingerprints = (fault: (all: Processes<Fingerprints["Service"]>) => Processes<Fingerprints["Service"]>) =>
  brokenBy(
    FingerprintContract.promises,
    Layer.effect(FingerprintContract.Installations, Effect.map(fingerprints, fault))
  )

const faultySigners = (fault: (all: Processes<BundleSigner["Service"]>) => Processes<BundleSigner["Service"]>) =>
  brokenBy(
    BundleSignerContract.promises,
    Layer.effect(
      BundleSignerContract.Installations,
      Effect.map(signers, (all) => ({ ...fault(all), isSigned }))
    )
  )

const faultySecrets = (fault: (all: Processes<WebhookSecrets["Service"]>) => Processes<WebhookSecrets["Service"]>) =>
  brokenBy(
    WebhookSecretContract.promises,
    Layer.effect(WebhookSecretContract.Installations, Effect.map(secrets, fault))
  )

const faultyLinks = (fault: (all: Processes<ArtifactLinks["Service"]>) => Processes<ArtifactLinks["Service"]>) =>
  brokenBy(
    LinkContract.promises,
    Layer.effect(LinkContract.Installations, Effect.map(links, fault)).pipe(Layer.provideMerge(Memory.layer))
  )

const faultyWrapping = (fault: (all: WrappingContract.Exchange["Service"]) => WrappingContract.Exchange["Service"]) =>
  brokenBy(WrappingContract.promises, Layer.effect(WrappingContract.Exchange, Effect.map(exchange, fault)))

const faultySealing = (fault: (cipher: Cipher, sealing: Sealing["Service"]) => Partial<Cipher>) =>
  brokenBy(
    SealingContract.promises,
    Layer.effect(
      Sealing,
      Effect.map(Sealing, (inner) => {
        const cipher: Sealing["Service"]["cipher"] = (workspaceId) =>
          Effect.map(inner.cipher(workspaceId), (one) => ({ ...one, ...fault(one, inner) }))
        return Sealing.of({
          cipher,
          seal: (workspaceId, value) => Effect.flatMap(cipher(workspaceId), ({ seal }) => seal(value)),
          unseal: (workspaceId, sealed) => Effect.flatMap(cipher(workspaceId), ({ unseal }) => unseal(sealed))
        })
      })
    ).pipe(Layer.provideMerge(sealing))
  )

const faultyIdentifiers = (uuid: (inner: Effect.Effect<string>) => Effect.Effect<string>) =>
  brokenBy(
    IdentifierContract.promises,
    Layer.effect(
      Identifiers,
      Effect.map(Identifiers, (inner) => ({ uuid: uuid(inner.uuid) }))
    ).pipe(Layer.provide(Crypto.layer))
  )

const faultyKeys = (fault: (keys: Keys["Service"]) => Partial<Keys["Service"]>) =>
  brokenBy(
    ApiKeyContract.promises,
    Layer.effect(
      Keys,
      Effect.map(Keys, (keys) => ({ ...keys, ...fault(keys) }))
    ).pipe(Layer.provide(Crypto.layer))
  )

describe("the adapters of cryptography", () => {
  it.live("keep the promises of fingerprints, signers, secrets, links, wrapping, sealing, identifiers and keys", () =>
    Effect.gen(function* () {
      const broken = [
        yield* faultyFingerprints((all) => all),
        yield* faultySigners((all) => all),
        yield* faultySecrets((all) => all),
        yield* faultyLinks((all) => all),
        yield* faultyWrapping((all) => all),
        yield* brokenBy(SealingContract.promises, sealing),
        yield* faultyIdentifiers((uuid) => uuid),
        yield* faultyKeys(() => ({}))
      ]
      assert.deepStrictEqual(broken.flat(), [])
    })
  )
})

/** Each fault, and the promises that it breaks. */
const faults: Readonly<Record<string, readonly [Effect.Effect<ReadonlyArray<string>>, ReadonlyArray<string>]>> = {
  "fingerprints that anyone can make": [
    faultyFingerprints(({ own }) => ({ own, same: own, other: own })),
    ["fingerprints cannot be guessed without the key: another installation has others"]
  ],
  "fingerprints that end with their process": [
    faultyFingerprints(({ other, own }) => ({ own, same: other, other })),
    ["fingerprints are 64 lower-case hexadecimal digits, the same for a text in each process of an installation"]
  ],
  "fingerprints that are the same for each use": [
    faultyFingerprints(each(({ of }) => ({ of: (_, text) => of("", text) }))),
    ["fingerprints tell texts apart, and the uses of a text"]
  ],
  "signatures of the beginning of a text": [
    faultySigners(each(({ publicKey, sign }) => ({ publicKey, sign: (text) => sign(text.slice(0, 50)) }))),
    ["the signer of bundles signs so that its public key shows that nothing was changed"]
  ],
  "a signer that all installations share": [
    faultySigners(({ own, same }) => ({ own, same, other: own })),
    ["the signer of bundles has one public key in each process of an installation, and another one in another"]
  ],
  "webhook secrets that anyone can read": [
    faultySecrets(
      each((secrets) => ({
        ...secrets,
        seal: (secret) => Effect.succeed(Buffer.from(Redacted.value(secret)).toString("hex"))
      }))
    ),
    [
      "webhook secrets sign by HMAC-SHA256 in each process of the installation that sealed them",
      "webhook secrets cannot be seen once sealed, nor that two are the same"
    ]
  ],
  "webhook secrets that sign although they cannot be read": [
    faultySecrets(
      each((secrets) => ({
        ...secrets,
        sign: (sealed, body) =>
          Effect.catchTag(secrets.sign(sealed, body), "SecretUnreadable", () => Effect.succeed(""))
      }))
    ),
    ["webhook secrets are refused when another installation sealed them, or they were changed since"]
  ],
  "webhook secrets that are made once": [
    faultySecrets(each((secrets) => ({ ...secrets, make: Effect.succeed(Redacted.make(`whsec_${"a".repeat(43)}`)) }))),
    ["webhook secrets are made of 256 bits by chance"]
  ],
  "webhook secrets that another installation can use": [
    faultySecrets(({ own, same }) => ({ own, same, other: own })),
    ["webhook secrets are refused when another installation sealed them, or they were changed since"]
  ],
  "links that do not end": [
    faultyLinks(each((links) => ({ ...links, verify: () => Effect.succeed(true) }))),
    [
      "links to artifacts work from the call until they expire, in each process of an installation",
      "links to artifacts work for one artifact and until one instant, and in no other installation"
    ]
  ],
  "links that end a moment too late": [
    faultyLinks(each((links) => ({ ...links, lasting: (origin, millis) => links.lasting(origin, millis + 1) }))),
    ["links to artifacts work from the call until they expire, in each process of an installation"]
  ],
  "links that know nothing of their workspace": [
    faultyLinks(each((links) => ({ ...links, under: (origin) => links.lasting(origin, 604_800_000) }))),
    ["links to artifacts last for as long as their workspace has set"]
  ],
  "keys that unwrap for every owner": [
    faultyWrapping((all) => {
      const bound = { owner: "installation", version: 1 } as const
      const loose = (inner: KeyWrapping["Service"]): KeyWrapping["Service"] => ({
        ...inner,
        wrap: (_, key, under) => inner.wrap(bound, key, under),
        unwrap: (kept) => inner.unwrap({ ...kept, ...bound })
      })
      return { before: loose(all.before), during: loose(all.during), after: loose(all.after) }
    }),
    ["the wrapping of keys is bound to the owner of a key and its version"]
  ],
  "keys that are wrapped under the present master key whatever is asked": [
    faultyWrapping((all) => ({
      ...all,
      during: { ...all.during, wrap: (bound, key) => all.during.wrap(bound, key, all.during.present) }
    })),
    ["the wrapping of keys reads and writes under both master keys while they are exchanged"]
  ],
  "a master key that the next process forgets": [
    faultyWrapping((all) => ({ ...all, during: all.after })),
    [
      "the wrapping of keys names master keys alike in every process, and each differently",
      "the wrapping of keys reads and writes under both master keys while they are exchanged"
    ]
  ],
  "values that are sealed under the former key": [
    faultySealing((cipher) => ({
      seal: (value) => Effect.flatMap(cipher.seal(value), (sealed) => Effect.orDie(cipher.under(1, sealed)))
    })),
    ["sealed values are accepted under both keys while a workspace exchanges them, and sealed under the new one"]
  ],
  "values that are accepted under a retired key": [
    faultySealing((cipher) => ({
      accept: (sealed) =>
        Effect.map(cipher.unseal(sealed), (value) => ({ value, sealed, version: cipher.keys.present.version }))
    })),
    [
      "sealed values are accepted under both keys while a workspace exchanges them, and sealed under the new one",
      "sealed values are moved under a key by its version, unless they are under it already",
      "sealed values under a retired key are not accepted from callers, and still opened"
    ]
  ],
  "values that are moved under a key again and again": [
    faultySealing((cipher) => ({
      under: (_, sealed) => Effect.flatMap(cipher.unseal(sealed), cipher.seal)
    })),
    ["sealed values are moved under a key by its version, unless they are under it already"]
  ],
  "identifiers of another time": [
    faultyIdentifiers((uuid) => Effect.map(uuid, (id) => `0${id.slice(1)}`.replace(/^0/, "1"))),
    ["identifiers are UUIDs of version 7 with the time of the clock"]
  ],
  "identifiers that are counted": [
    Effect.suspend(() => {
      let made = 0
      return faultyIdentifiers((uuid) =>
        Effect.map(uuid, (id) => `${id.slice(0, 24)}${(++made).toString(16).padStart(12, "0")}`)
      )
    }),
    ["identifiers never repeat, and are not to be guessed from each other"]
  ],
  "API keys that are counted": [
    Effect.suspend(() => {
      let made = 0
      return faultyKeys(() => ({
        make: Effect.sync(() => Redacted.make(`sk_${String(made++).padStart(43, "0")}`))
      }))
    }),
    ["API keys are made of 256 bits by chance"]
  ],
  "API keys that are hashed by their length": [
    faultyKeys(() => ({ hash: (key) => Effect.succeed(String(Redacted.value(key).length).padStart(64, "0")) })),
    ["API keys are hashed by SHA-256"]
  ]
}

describe("the contracts of cryptography", () => {
  it.live.each(Object.keys(faults))("find %s", (fault) =>
    Effect.gen(function* () {
      const [broken, titles] = faults[fault] ?? [Effect.succeed([]), []]
      assert.deepStrictEqual(yield* broken, titles)
    })
  )
})
