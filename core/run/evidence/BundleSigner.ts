/** Signs bundles of evidence in the name of the installation. Its public key suffices to check one. */
import { Context } from "effect"

export class BundleSigner extends Context.Service<
  BundleSigner,
  {
    /** The Ed25519 public key of the installation, in lower-case hexadecimal. It never changes. */
    readonly publicKey: string
    /** The signature of a text, in base64. */
    readonly sign: (text: string) => string
  }
>()("sluice/core/run/evidence/BundleSigner") {}
