/** Tests that texts contain no banned words, and that commit subjects have the required format. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'
import { checkEnglish, checkSubjects } from './tidy/english.ts'
import { describeFindings, fileOf, listFiles } from './tidy/files.ts'

/** Commits before this time do not follow the rules, and their subjects cannot be changed. */
const subjectsSince = '2026-11-25T00:00:00Z'

function findingsIn(path: string, text: string): string[] {
  return describeFindings(checkEnglish([fileOf(path, text)]))
}

describe('banned words', () => {
  test.each([
    ['core/a.ts', '/** Whoever asks again is told. */', '"Whoever", use the caller'],
    ['docs/a.md', 'Redis is away.', '"is away", use unavailable'],
    ['sdk/python/a.py', '# mended', '"mended", use fix'],
    ['deploy/a.yml', 'summary: the partition stands still', '"stands still", use paused'],
    ['test/a.test.ts', "test('what became of it', f)", '"what became of", use the result']
  ])('are found in %s: %s', (path, text, message) => {
    expect(findingsIn(path, text)).toEqual([expect.stringContaining(`${path}:1: ${message}`)])
  })

  test.each([
    ['core/a.ts', "const languages = ['he', 'hu']"],
    ['core/a.ts', '// The recommended amount; the caller goes ahead right away.'],
    ['package-lock.json', '"node_modules/anew"']
  ])('are not found in %s: %s', (path, text) => {
    expect(findingsIn(path, text)).toEqual([])
  })

  test('do not occur in the repository', () => {
    expect(describeFindings(checkEnglish(listFiles()))).toEqual([])
  })
})

describe('subjects of commits', () => {
  test.each([
    ['gateway: limit unread responses per connection', []],
    ['Limit unread responses', ['does not begin with its area: "docs: what"']],
    ['gateway: limit unread responses.', ['ends with a full stop']],
    [`docs: ${'x'.repeat(70)}`, ['76 characters, use at most 72']]
  ])('"%s"', (subject, messages) => {
    expect(checkSubjects([subject]).map(({ message }) => message)).toEqual(messages)
  })

  test('name their area and have at most 72 characters in this repository', () => {
    const args = ['log', '--no-merges', `--since=${subjectsSince}`, '--format=%s']
    const subjects = execFileSync('git', args, { encoding: 'utf8' }).split('\n')
    expect(describeFindings(checkSubjects(subjects.filter((line) => line !== '')))).toEqual([])
  })
})
