// @ts-check
import { createHash } from "node:crypto"

/**
 * @typedef {object} Locked a package of the lock file
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [license]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {Readonly<Record<string, string>>} [dependencies]
 * @property {Readonly<Record<string, string>>} [optionalDependencies]
 */

/** @param {string} path */
const nameOf = (path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

/** @param {string} name @param {string} version */
const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, "%40")}@${encodeURIComponent(version)}`

/** @param {string} integrity */
const hashesOf = (integrity) =>
  integrity.split(" ").map((one) => {
    const [algorithm = "", value = ""] = one.split("-", 2)
    return {
      alg: algorithm.toUpperCase().replace("SHA", "SHA-"),
      content: Buffer.from(value, "base64").toString("hex")
    }
  })

/**
 * The path of the package that Node finds for a name imported from `from`; `undefined` when it is not installed.
 *
 * @param {Readonly<Record<string, Locked>>} packages
 * @param {string} from
 * @param {string} name
 */
const resolved = (packages, from, name) => {
  const folders =
    from === "" ? [""] : [...from.matchAll(/$|\/node_modules\//g)].map(({ index }) => from.slice(0, index)).reverse()
  return [...folders, ""]
    .map((folder) => `${folder === "" ? "" : `${folder}/`}node_modules/${name}`)
    .find((path) => packages[path] !== undefined)
}

/**
 * The bill of materials of the dependencies at run time, in CycloneDX 1.5. It depends on the lock file alone: it contains
 * no time and no random value.
 *
 * @param {{ readonly name: string, readonly version: string, readonly packages: Readonly<Record<string, Locked>> }} lock
 */
export const billOf = ({ name, packages, version }) => {
  const used = Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  /** @param {string} path */
  const reference = (path) => purlOf(nameOf(path), packages[path]?.version ?? "")
  const components = new Map(
    used.map(([path, { integrity, license, optional, version: own = "" }]) => {
      const purl = reference(path)
      const [group, short] = nameOf(path).startsWith("@") ? nameOf(path).split("/", 2) : [undefined, nameOf(path)]
      return [
        purl,
        {
          type: "library",
          "bom-ref": purl,
          ...(group === undefined ? {} : { group }),
          name: short,
          version: own,
          ...(optional === true ? { scope: "optional" } : {}),
          ...(license === undefined
            ? {}
            : { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }] }),
          purl,
          ...(integrity === undefined ? {} : { hashes: hashesOf(integrity) })
        }
      ]
    })
  )
  const own = purlOf(name, version)
  /** @type {Map<string, Set<string>>} */
  const graph = new Map()
  for (const path of ["", ...used.map(([path]) => path)]) {
    const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {}
    const found = Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((one) => {
      const at = resolved(packages, path, one)
      return at === undefined ? [] : [reference(at)]
    })
    const ref = path === "" ? own : reference(path)
    graph.set(ref, new Set([...(graph.get(ref) ?? []), ...found]))
  }
  const digest = createHash("sha256")
    .update(JSON.stringify([...components.values()]))
    .digest("hex")
  const id = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${id}`,
    version: 1,
    metadata: { component: { type: "application", "bom-ref": own, name, version, purl: own } },
    components: [...components.values()],
    dependencies: [...graph]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([ref, on]) => ({ ref, dependsOn: [...on].sort() }))
  }
}
