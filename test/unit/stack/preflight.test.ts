/** Tests the preflight checks: one clear sentence per problem. */
import { expect, test } from '@jest/globals'
import { javaCommand, javaMajorOf, preflight, problemsOf } from '../../../stack/preflight.ts'
import type { Machine } from '../../../stack/preflight.ts'

const GIB = 1024 ** 3

function aMachine(overrides: Partial<Machine> = {}): Machine {
  return {
    platform: 'linux-x64',
    javaMajor: () => 17,
    hasMaven: () => true,
    hasDownloads: () => false,
    freeBytes: () => 20 * GIB,
    ...overrides
  }
}

test('finds no problem on a machine with Java, Maven and disk space', () => {
  expect(problemsOf('native', aMachine())).toEqual([])
})

test.each([
  ['without Java', { javaMajor: () => null }, /^Java is missing: install Java 17 or later/],
  ['with Java 11', { javaMajor: () => 11 }, /^Java 11 is too old: install Java 17 or later/],
  ['without Maven', { hasMaven: () => false }, /^Maven is missing .* install it/],
  [
    'with a full disk',
    { freeBytes: () => GIB / 2 },
    /^Only 512 MiB of disk space .* 1 GiB is needed/
  ],
  ['of an unsupported platform', { platform: 'aix-ppc64' }, /^Kafka, .* on aix-ppc64: use Docker/]
])('a machine %s gets one sentence that says what to do', (_case, overrides, sentence) => {
  const problems = problemsOf('native', aMachine(overrides))
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(sentence)
  expect(problems[0]).toMatch(/\.$/)
})

test('does not need Maven once everything is downloaded', () => {
  const machine = aMachine({ hasMaven: () => false, hasDownloads: () => true })
  expect(problemsOf('native', machine)).toEqual([])
})

test('does not need Java or Maven for Docker and external services', () => {
  const machine = aMachine({ javaMajor: () => null, hasMaven: () => false })
  expect(problemsOf('docker', machine)).toEqual([])
  expect(problemsOf('external', machine)).toEqual([])
})

test('reports all problems together', () => {
  const machine = aMachine({ javaMajor: () => null, hasMaven: () => false })
  expect(() => preflight('native', machine)).toThrow(/Java is missing[^]*Maven is missing/)
})

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['java version "1.8.0_402"', 8],
  ['openjdk version "24" 2025-03-18', 24],
  ['no such thing', null]
])('parses the major version of %j as %j', (output, major) => {
  expect(javaMajorOf(output)).toBe(major)
})

test('falls back to the PATH if JAVA_HOME has no java', () => {
  expect(javaCommand({ JAVA_HOME: '/nowhere' })).toBe('java')
  expect(javaCommand({})).toBe('java')
})
