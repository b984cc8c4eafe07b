/** Finds misspelled setting names in the environment, which would otherwise be ignored silently. */
import type { Environment } from './config.ts'

/** Matches the variables that Kubernetes adds to every container for each service. */
const injected = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP)(_|$)/
const distanceMin = 2
/**
 * Maximum distance assigned to a truncated or extended name. It is less than three because such a
 * name is likelier than three wrong letters.
 */
const cutWeight = 2.5
/** Number of letters per allowed mistake: a name of 15 letters may have three. */
const lettersPerMistake = 5
/** Minimum length of a checked name whose first word is not the first word of any setting. */
const lettersMin = 8
const fileSuffix = '_FILE'

/** Returns one warning for each variable whose name resembles a setting. */
export function typosOf(environment: Environment, names: readonly string[]): string[] {
  const known = new Set(names.flatMap((name) => [name, `${name}${fileSuffix}`]))
  const prefixes = new Set(names.map(prefixOf))
  return Object.keys(environment)
    .filter((name) => !known.has(name) && !injected.test(name))
    .flatMap((name) => {
      // Tolerates more mistakes in a name that shares its first word with a setting.
      const nearest = prefixes.has(prefixOf(name))
        ? nearestOf(name, [...known])
        : almostOf(name, [...known])
      return nearest === null ? [] : [`${name} is not a setting; did you mean ${nearest}?`]
    })
}

function prefixOf(name: string): string {
  return name.split('_', 1)[0] ?? name
}

/**
 * Returns a setting whose name differs from `name` by at most one letter, ignoring case; null if
 * there is none. Ignores short names, because they probably belong to another program.
 */
function almostOf(name: string, known: readonly string[]): string | null {
  const capitals = name.toUpperCase()
  if (capitals.length < lettersMin) return null
  return known.find((candidate) => distanceOf(capitals, candidate) <= 1) ?? null
}

function nearestOf(name: string, known: readonly string[]): string | null {
  const allowed = Math.max(distanceMin, Math.floor(name.length / lettersPerMistake))
  const [nearest] = known
    .map((candidate) => {
      const distance = distanceOf(name, candidate)
      const weight = isCutShort(name, candidate) ? Math.min(distance, cutWeight) : distance
      return { candidate, distance, weight }
    })
    .filter(({ weight }) => weight <= Math.max(allowed, cutWeight))
    .toSorted((a, b) => a.weight - b.weight || a.distance - b.distance)
  return nearest?.candidate ?? null
}

/**
 * Checks whether one name is a prefix of the other, for example `SESSION_SIGNING` of
 * `SESSION_SIGNING_KEY`, or `KAFKA_TLS_CERT` of `KAFKA_TLS_CERTIFICATE`.
 */
function isCutShort(name: string, candidate: string): boolean {
  const [short, long] = name.length < candidate.length ? [name, candidate] : [candidate, name]
  return short.split('_').length > 1 && !long.endsWith(fileSuffix) && long.startsWith(short)
}

/** Returns the Levenshtein distance between two names. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
