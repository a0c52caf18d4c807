/**
 * Artifacts as files in a folder, one each. Processes that share the folder share the artifacts.
 */
import { mkdirSync } from "node:fs"
import { open, readFile, rename } from "node:fs/promises"
import { Effect, Layer, Option } from "effect"
import { type Artifact, ArtifactFiles } from "../../core/run/ArtifactFiles.ts"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const mediaTypes = { jpg: "image/jpeg", png: "image/png", html: "text/html" } as const
const extensions = { "image/jpeg": "jpg", "image/png": "png", "text/html": "html" } as const

/** Keeps artifacts in `folder`, which is made, readable by its owner only, if there is none. */
export const layer = (folder: string) =>
  Layer.sync(ArtifactFiles, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return ArtifactFiles.of({
      put: Effect.fn("ArtifactFiles.put")((id, artifact) => Effect.promise(() => write(folder, id, artifact))),
      get: Effect.fn("ArtifactFiles.get")((id) => Effect.promise(() => read(folder, id)))
    })
  })

/** Writes beside the place and then moves there, so that a reader never finds half a file. */
const write = async (folder: string, id: string, { bytes, mediaType }: Artifact): Promise<void> => {
  if (!uuid.test(id)) throw new Error(`The id of an artifact must be a UUID, got "${id}"`)
  const path = `${folder}/${id}.${extensions[mediaType]}`
  const file = await open(`${path}.part`, "w", 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.part`, path)
}

const read = async (folder: string, id: string): Promise<Option.Option<Artifact>> => {
  if (!uuid.test(id)) return Option.none()
  for (const [extension, mediaType] of Object.entries(mediaTypes)) {
    try {
      return Option.some({ bytes: new Uint8Array(await readFile(`${folder}/${id}.${extension}`)), mediaType })
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
    }
  }
  return Option.none()
}
