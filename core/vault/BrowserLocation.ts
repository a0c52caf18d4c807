/**
 * The location that a browser shows to sites, from the field `location` of a credential.
 */
import { isKnown } from "../window/calendar/Zone.ts"
import { zoneNames } from "../window/calendar/ZoneNames.ts"

/** Each part is `null` where it is not set; the browser then has the value of its machine. */
export interface BrowserLocation {
  /** A language with its country, such as `de-DE`. */
  readonly locale: string | null
  /** A zone of the IANA database. */
  readonly timeZone: string | null
  readonly geolocation: { readonly latitude: number; readonly longitude: number } | null
}

export const nowhere: BrowserLocation = { locale: null, timeZone: null, geolocation: null }

export const expected =
  "Expected a place: a country such as DE or Germany, a time zone such as Europe/Berlin or its city, a locale such as de-DE, coordinates such as 52.52,13.40, or several of these with ; between them"

/**
 * Parses a location: one or more of the following, separated by `;`.
 *
 * - A country, by its code of ISO 3166 or its English name: its main language, and the time zone of most of its people.
 * - A zone of the IANA database, or the city that one is named after.
 * - A locale: a language with a country or region.
 * - Coordinates: latitude and longitude in degrees.
 *
 * A zone or a locale takes precedence over the country. In a text with commas, such as `Berlin, Germany`, unknown parts
 * are ignored if another part is known. `null` for a text with an invalid part.
 */
export const parse = (text: string): BrowserLocation | null => {
  const read = text.split(";").map((part) => readOne(part.trim()) ?? readAny(part.split(",")))
  const found = read.filter((place) => place !== null)
  return found.length === read.length ? found.sort((one, other) => one.rank - other.rank).reduce(join).place : null
}

/** The parsed part, and its rank: of two, the one of the higher rank wins. */
interface ParsedPart {
  readonly rank: number
  readonly place: BrowserLocation
}

const join = (one: ParsedPart, other: ParsedPart): ParsedPart => ({
  rank: other.rank,
  place: {
    locale: other.place.locale ?? one.place.locale,
    timeZone: other.place.timeZone ?? one.place.timeZone,
    geolocation: other.place.geolocation ?? one.place.geolocation
  }
})

const readAny = (parts: ReadonlyArray<string>): ParsedPart | null => {
  const found = parts.map((part) => readOne(part.trim())).filter((place) => place !== null)
  return found.length === 0 ? null : found.sort((one, other) => one.rank - other.rank).reduce(join)
}

const readOne = (text: string): ParsedPart | null => {
  const country = countryOf(text)
  if (country !== null) return { rank: 0, place: ofCountry(country) }
  const timeZone = zoneOf(text)
  if (timeZone !== null) return { rank: 1, place: { ...nowhere, timeZone } }
  const locale = localeOf(text)
  if (locale !== null) return { rank: 1, place: { ...nowhere, locale } }
  const geolocation = coordinatesOf(text)
  return geolocation === null ? null : { rank: 1, place: { ...nowhere, geolocation } }
}

const coordinatesOf = (text: string): BrowserLocation["geolocation"] => {
  const [, latitude, longitude] = /^([+-]?\d{1,2}(?:\.\d{1,12})?)\s*,\s*([+-]?\d{1,3}(?:\.\d{1,12})?)$/.exec(text) ?? []
  if (latitude === undefined || longitude === undefined) return null
  const at = { latitude: Number(latitude), longitude: Number(longitude) }
  return Math.abs(at.latitude) <= 90 && Math.abs(at.longitude) <= 180 ? at : null
}

const cities: ReadonlyMap<string, string> = new Map(
  [...zoneNames]
    .filter((name) => /^(Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//.test(name))
    .map((name) => [
      name
        .slice(name.lastIndexOf("/") + 1)
        .replaceAll("_", " ")
        .toLowerCase(),
      name
    ])
)

const zoneOf = (text: string): string | null => {
  const named = text.includes("/") || text === "UTC" ? text : (cities.get(text.toLowerCase()) ?? null)
  return named !== null && isKnown(named) ? named : null
}

const localeOf = (text: string): string | null => {
  const [, language = "", region = ""] = /^([a-z]{2,3})[-_](?:[a-z]{4}[-_])?([a-z]{2}|\d{3})$/i.exec(text) ?? []
  const isNamed = language !== "" && languages.of(language) !== undefined && regions.of(region) !== undefined
  return isNamed ? (Intl.getCanonicalLocales(text.replaceAll("_", "-"))[0] ?? null) : null
}

const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" })
const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" })
const otherNames: Readonly<Record<string, string>> = {
  usa: "US",
  "united states of america": "US",
  "great britain": "GB",
  england: "GB",
  "czech republic": "CZ",
  turkey: "TR"
}

let countries: ReadonlyMap<string, string> | undefined
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

const countryOf = (text: string): string | null => {
  if (/^[a-z]{2}$/i.test(text)) return isCountry(text.toUpperCase()) ? text.toUpperCase() : null
  countries ??= new Map(
    letters.flatMap((first) =>
      letters.flatMap((second) => {
        const name = isCountry(first + second) ? regions.of(first + second) : undefined
        return name === undefined ? [] : [[name.toLowerCase(), first + second] as const]
      })
    )
  )
  const name = text.toLowerCase()
  return countries.get(name) ?? (Object.hasOwn(otherNames, name) ? (otherNames[name] ?? null) : null)
}

/** Codes that name no country: private-use codes, and unions of countries. */
const isCountry = (code: string): boolean =>
  regions.of(code) !== undefined && !/^(X[A-JL-Z]|Z[A-LN-VX-Z]|E[UZ]|UN|Q[M-Z])$/.test(code)

const ofCountry = (code: string): BrowserLocation => {
  const { language, region = code } = new Intl.Locale(`und-${code}`).maximize()
  const locale = new Intl.Locale(`${language ?? "en"}-${region}`)
  return { ...nowhere, locale: locale.toString(), timeZone: mainZones[region] ?? firstZone(locale) }
}

const firstZone = (locale: Intl.Locale): string | null => {
  // A method of newer runtimes, which the type does not have yet, and a property of Node 22.
  const known = locale as {
    readonly getTimeZones?: () => ReadonlyArray<string> | undefined
    readonly timeZones?: ReadonlyArray<string>
  }
  return (known.getTimeZones?.() ?? known.timeZones)?.find(isKnown) ?? null
}

/** The zone of most people, in countries with several. */
const mainZones: Readonly<Record<string, string>> = {
  AR: "America/Argentina/Buenos_Aires",
  AU: "Australia/Sydney",
  BR: "America/Sao_Paulo",
  CA: "America/Toronto",
  CD: "Africa/Kinshasa",
  CL: "America/Santiago",
  CN: "Asia/Shanghai",
  CY: "Asia/Nicosia",
  DE: "Europe/Berlin",
  EC: "America/Guayaquil",
  ES: "Europe/Madrid",
  FM: "Pacific/Pohnpei",
  FR: "Europe/Paris",
  GL: "America/Nuuk",
  ID: "Asia/Jakarta",
  KI: "Pacific/Tarawa",
  KZ: "Asia/Almaty",
  MH: "Pacific/Majuro",
  MN: "Asia/Ulaanbaatar",
  MX: "America/Mexico_City",
  MY: "Asia/Kuala_Lumpur",
  NZ: "Pacific/Auckland",
  PF: "Pacific/Tahiti",
  PG: "Pacific/Port_Moresby",
  PS: "Asia/Hebron",
  PT: "Europe/Lisbon",
  RU: "Europe/Moscow",
  UA: "Europe/Kyiv",
  UM: "Pacific/Wake",
  US: "America/New_York",
  UZ: "Asia/Tashkent"
}
