/** The progress of the rotation of an encryption key, as the HTTP interface writes it. */
import type { RotationState } from "../../../core/vault/keys/KeyRotation.ts"
import type { RotationRecord } from "./EncryptionKeyApi.ts"

export const recordOf = (state: RotationState): typeof RotationRecord.Type => ({
  rotating: state.formerVersion !== null,
  version: state.version,
  created_at: new Date(state.createdAt).toISOString(),
  former_version: state.formerVersion,
  checked: state.checked,
  left: state.left,
  resealed: state.resealed,
  unreadable: state.unreadable,
  api_keys_on_former: state.apiKeysOnFormer,
  may_finish: state.mayFinish
})
