/** Instants and durations in words, in the zone of the reader. */

export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** A duration in its two largest units, such as `2 h 5 min`; below a second in milliseconds. */
export const duration = (millis: number): string => {
  if (millis < 0) return "0 s"
  if (millis < second) return `${Math.round(millis)} ms`
  if (millis < 10 * second) return `${(millis / second).toFixed(1)} s`
  if (millis < minute) return `${Math.round(millis / second)} s`
  if (millis < hour) return two(millis, minute, "min", second, "s")
  if (millis < day) return two(millis, hour, "h", minute, "min")
  return two(millis, day, "d", hour, "h")
}

const two = (millis: number, large: number, largeName: string, small: number, smallName: string): string => {
  const whole = Math.floor(millis / large)
  const rest = Math.floor((millis - whole * large) / small)
  return rest === 0 ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`
}

/** Beyond this distance, a date is clearer than a number of days. */
const farAway = 60 * day

/** An instant relative to now, such as `3 min ago` or `in 2 h`; its date when it is far away. */
export const relative = (at: number, now: number): string => {
  const distance = Math.abs(at - now)
  if (distance < 5 * second) return "now"
  if (distance >= farAway) return format(viewerZone, { day: "numeric", month: "short", year: "numeric" }).format(at)
  const words =
    distance < minute
      ? `${Math.round(distance / second)} s`
      : distance < hour
        ? `${Math.floor(distance / minute)} min`
        : distance < day
          ? `${Math.floor(distance / hour)} h`
          : `${Math.floor(distance / day)} d`
  return at < now ? `${words} ago` : `in ${words}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

const format = (zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const name = `${zone} ${JSON.stringify(options)}`
  let known = formats.get(name)
  if (known === undefined) {
    known = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone })
    formats.set(name, known)
  }
  return known
}

/** Such as `Mon 12 Jan 2026, 22:00:05`. */
export const full = (at: number, zone = viewerZone): string =>
  format(zone, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit"
  }).format(at)

const yearOf = (at: number, zone: string): string => format(zone, { year: "numeric" }).format(at)

/** Such as `Mon 12 Jan, 22:00`; with its year, where that is not the one of now: `Mon, 7 Jan 2030, 22:00`. */
export const short = (at: number, zone = viewerZone, now = Date.now()): string =>
  format(zone, {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(yearOf(at, zone) === yearOf(now, zone) ? {} : { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit"
  }).format(at)

/** Such as `Mon 12 Jan, 22:00 GMT+1`, for places that name no zone. */
export const zoned = (at: number, zone = viewerZone, now = Date.now()): string =>
  `${short(at, zone, now)} ${offsetName(at, zone)}`

/** Such as `22:00`. */
export const clock = (at: number, zone = viewerZone): string =>
  format(zone, { hour: "2-digit", minute: "2-digit" }).format(at)

/** Such as `22:00:05`. */
export const clockSeconds = (at: number, zone = viewerZone): string =>
  format(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(at)

/** Such as `GMT+1` or `UTC`. */
export const offsetName = (at: number, zone: string): string => {
  const parts = format(zone, { timeZoneName: "shortOffset" }).formatToParts(at)
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? zone
  return /^GMT([+-]0)?$/.test(name) ? "UTC" : name
}

/** The end of a stretch of time: the time of day, or with its date where that is another one than that of the beginning. */
export const ending = (from: number, to: number, zone = viewerZone, now = Date.now()): string => {
  const [first, last] = [short(from, zone, now), short(to, zone, now)]
  return first.replace(clock(from, zone), "") === last.replace(clock(to, zone), "") ? clock(to, zone) : last
}
