/** Compares observed values with the matchers of sdk/conformance. */

/** `partial` allows additional object members; `exact` does not. */
type Strictness = 'partial' | 'exact'

type Members = Readonly<Record<string, unknown>>
type Matcher = (expected: never, actual: unknown) => boolean

const matchers: Readonly<Record<string, Matcher>> = {
  at_least: (least: number, actual) => typeof actual === 'number' && actual >= least,
  at_most: (most: number, actual) => typeof actual === 'number' && actual <= most,
  pattern: (pattern: string, actual) =>
    typeof actual === 'string' && new RegExp(pattern, 'u').test(actual),
  absent: (_: true, actual) => actual === undefined,
  characters: (count: number, actual) => typeof actual === 'string' && actual.length === count
}

/** Returns one sentence per difference. */
export function differencesOf(
  expected: unknown,
  actual: unknown,
  options: { readonly path: string; readonly strictness?: Strictness }
): string[] {
  const { path, strictness = 'partial' } = options
  if (isMatcher(expected)) return differencesOfMatcher(expected, actual, path)
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return [sentenceOf(path, expected, actual)]
    }
    return expected.flatMap((each, index) =>
      differencesOf(each, actual[index], { path: `${path}[${index}]`, strictness })
    )
  }
  if (!isMembers(expected)) {
    return Object.is(expected, actual) ? [] : [sentenceOf(path, expected, actual)]
  }
  if (!isMembers(actual)) return [sentenceOf(path, expected, actual)]
  const extra = Object.keys(actual).filter((name) => !Object.hasOwn(expected, name))
  return [
    ...Object.keys(expected).flatMap((name) =>
      differencesOf(expected[name], actual[name], { path: `${path}.${name}`, strictness })
    ),
    ...(strictness === 'exact' ? extra.map((name) => `${path}.${name} is not expected`) : [])
  ]
}

function differencesOfMatcher(expected: Members, actual: unknown, path: string): string[] {
  const isMatched = Object.entries(expected).every(([name, value]) =>
    matchers[name]?.(value as never, actual)
  )
  return isMatched ? [] : [sentenceOf(path, expected, actual)]
}

function isMatcher(value: unknown): value is Members {
  if (!isMembers(value)) return false
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => Object.hasOwn(matchers, name))
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sentenceOf(path: string, expected: unknown, actual: unknown): string {
  return `${path} is ${shortOf(actual)}, expected ${shortOf(expected)}`
}

function shortOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
