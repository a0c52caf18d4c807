/** PHP of Debian, from a folder in which it was unpacked. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { freePort, start } from "./Processes.ts"

const run = promisify(execFile)

/** The packages that PHP is made of. */
export const packages = ["php8.2-cli", "php8.2-common", "php8.2-xml", "php8.2-mbstring"]

/** The packages for applications that keep their data in a database. */
export const withMysql = [...packages, "php8.2-mysql", "php8.2-opcache"]

/** Extensions in the order in which they need each other. Those whose packages are not there are left out. */
const extensions = ["ctype", "tokenizer", "dom", "xml", "simplexml", "xmlreader", "xmlwriter", "fileinfo", "iconv"]
const more = [
  "mbstring",
  "posix",
  "sockets",
  "calendar",
  "exif",
  "gettext",
  "mysqlnd",
  "mysqli",
  "pdo",
  "pdo_sqlite",
  "intl",
  "gd"
]

/**
 * The program with its settings, to be run with further arguments. `before.php` in the folder, where there is one, runs
 * before each script.
 */
export const program = async (root: string, folder: string): Promise<readonly [string, ReadonlyArray<string>]> => {
  const [version = ""] = await readdir(join(root, "usr/lib/php"))
  const modules = join(root, "usr/lib/php", version)
  const has = (name: string) => existsSync(join(modules, `${name}.so`))
  const settings = [
    `extension_dir = "${modules}"`,
    ...[...extensions, ...more].filter(has).map((name) => `extension = ${name}`),
    ...(has("opcache") ? ["zend_extension = opcache"] : []),
    `include_path = ".:${join(root, "usr/share/php")}"`,
    "upload_max_filesize = 32M",
    "post_max_size = 32M",
    "memory_limit = 256M",
    "date.timezone = UTC",
    "display_errors = Off",
    "log_errors = On",
    "error_reporting = 5",
    `session.save_path = "${folder}"`,
    `upload_tmp_dir = "${folder}"`
  ]
  const before = join(folder, "before.php")
  if (existsSync(before)) settings.push(`auto_prepend_file = "${before}"`)
  const ini = join(folder, "php.ini")
  await writeFile(ini, settings.join("\n"))
  return [join(root, "usr/bin/php8.2"), ["-n", "-c", ini]]
}

/** Runs code, and answers what it writes. */
export const evaluate = async (root: string, folder: string, code: string): Promise<string> => {
  const [php, args] = await program(root, folder)
  return (await run(php, [...args, "-r", code], { cwd: folder })).stdout
}

/** Serves a folder of scripts. */
export const serve = async (root: string, folder: string, documents: string, path: string) => {
  const [php, args] = await program(root, folder)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const served = await start(php, [...args, "-S", `127.0.0.1:${port}`, "-t", documents], {
    cwd: documents,
    env: { PHP_CLI_SERVER_WORKERS: "4" },
    url: `${origin}${path}`
  })
  return { origin, ...served }
}
