/** The sites that a passkey is for. Apart from the passkey, because the list of public suffixes is large. */
import * as Domain from "../site/Domain.ts"
import * as SecretSites from "../site/SecretSites.ts"
import type { Passkey } from "./Passkey.ts"

/** Whether a passkey is of the site of a credential. */
export const isOf = ({ rpId }: Pick<Passkey, "rpId">, home: SecretSites.Home): boolean =>
  Domain.isWithin(Domain.hostnameOf(home.domain) ?? "", rpId) || SecretSites.permits(home, `https://${rpId}`)
