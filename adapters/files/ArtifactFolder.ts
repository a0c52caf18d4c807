/**
 * Artifacts as files in a folder, one each. Processes that share the folder share the artifacts.
 */
import { mkdirSync } from "node:fs"
import { open, readFile, rename } from "node:fs/promises"
import { Effect, Layer, Option } from "effect"
import { type Artifact, ArtifactFiles } from "../../core/run/ArtifactFiles.ts"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Keeps artifacts in `folder`, which is made, readable by its owner only, if there is none. */
export const layer = (folder: string) =>
  Layer.sync(ArtifactFiles, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return ArtifactFiles.of({
      put: Effect.fn("ArtifactFiles.put")((id, artifact) => Effect.promise(() => write(folder, id, artifact))),
      get: Effect.fn("ArtifactFiles.get")((id) => Effect.promise(() => read(folder, id)))
    })
  })

/**
 * What an artifact is stands in the first line of its file, and its bytes behind it. Writes beside the place and then moves
 * there, so that a reader never finds half a file.
 */
const write = async (folder: string, id: string, { bytes, fileName, mediaType }: Artifact): Promise<void> => {
  if (!uuid.test(id)) throw new Error(`The id of an artifact must be a UUID, got "${id}"`)
  const path = `${folder}/${id}`
  const file = await open(`${path}.part`, "w", 0o600)
  try {
    await file.writeFile(`${JSON.stringify({ mediaType, fileName })}\n`)
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.part`, path)
}

/** Artifacts of former versions have their type as the extension of their name. */
const formerly = { jpg: "image/jpeg", png: "image/png", html: "text/html" } as const

const read = async (folder: string, id: string): Promise<Option.Option<Artifact>> => {
  if (!uuid.test(id)) return Option.none()
  const whole = await contents(`${folder}/${id}`)
  if (whole !== null) {
    const end = whole.indexOf(10)
    const { fileName, mediaType } = JSON.parse(whole.subarray(0, end).toString()) as Omit<Artifact, "bytes">
    return Option.some({ bytes: new Uint8Array(whole.subarray(end + 1)), mediaType, fileName })
  }
  for (const [extension, mediaType] of Object.entries(formerly)) {
    const bytes = await contents(`${folder}/${id}.${extension}`)
    if (bytes !== null) return Option.some({ bytes: new Uint8Array(bytes), mediaType, fileName: null })
  }
  return Option.none()
}

/** What a file holds; `null` when there is none. */
const contents = async (path: string): Promise<Buffer | null> => {
  try {
    return await readFile(path)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
    throw error
  }
}
