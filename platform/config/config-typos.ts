/** Finds variables of the environment that are nearly settings: a typo is silent otherwise. */
import type { Environment } from './config.ts'

/** Kubernetes puts these into every container, named after its services. */
const injected = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP)(_|$)/
const distanceMin = 2
/** A name cut short, or gone on with: likelier than three wrong letters. */
const cutWeight = 2.5
/** Longer names may differ in more places. */
const lettersPerMistake = 5
/** Of a name whose first word is none of ours. */
const lettersMin = 8
const fileSuffix = '_FILE'

/** One sentence for each suspect. */
export function typosOf(environment: Environment, names: readonly string[]): string[] {
  const known = new Set(names.flatMap((name) => [name, `${name}${fileSuffix}`]))
  const prefixes = new Set(names.map(prefixOf))
  return Object.keys(environment)
    .filter((name) => !known.has(name) && !injected.test(name))
    .flatMap((name) => {
      // Where the first word is one of ours, more of the rest may be wrong.
      const nearest = prefixes.has(prefixOf(name))
        ? nearestOf(name, [...known])
        : almostOf(name, [...known])
      return nearest === null ? [] : [`${name} is not a setting; is ${nearest} meant?`]
    })
}

function prefixOf(name: string): string {
  return name.split('_', 1)[0] ?? name
}

/** A name that is one letter off, or written in other case; a short one is somebody else's. */
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

/** `SESSION_SIGNING` for `SESSION_SIGNING_KEY`, or `KAFKA_TLS_CERTIFICATE` for `KAFKA_TLS_CERT`. */
function isCutShort(name: string, candidate: string): boolean {
  const [short, long] = name.length < candidate.length ? [name, candidate] : [candidate, name]
  return short.split('_').length > 1 && !long.endsWith(fileSuffix) && long.startsWith(short)
}

/** Levenshtein's: letters to insert, remove or replace. */
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
