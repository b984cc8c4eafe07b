/** Tests the counts of the results in a Jest report, and which test files the given paths select.
 */
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { countsOf, patternsOf, unmatched } from '../../../support/runner/jest-round.ts'
import type { JestReport } from '../../../support/runner/jest-round.ts'

type File = JestReport['testResults'][number]

function fileOf(path: string, status: string, ...tests: string[]): File {
  return {
    name: join(process.cwd(), path),
    status,
    startTime: 1000,
    endTime: 3000,
    assertionResults: tests.map((each) => ({ status: each }))
  }
}

test('counts passed, failed and skipped tests of a phase, and its seconds', () => {
  const testResults = [
    fileOf('test/e2e/a.test.ts', 'failed', 'passed', 'failed', 'pending'),
    fileOf('test/e2e/b.test.ts', 'passed', 'passed', 'todo'),
    fileOf('test/unit/core/c.test.ts', 'passed', 'passed')
  ]
  expect(countsOf('e2e', { testResults })).toEqual({
    phase: 'e2e',
    ...{ passed: 2, failed: 1, skipped: 2, elapsedMs: 4000 }
  })
  expect(countsOf('unit', { testResults })).toMatchObject({ passed: 1, failed: 0 })
})

test('counts a file that could not run, or whose cleanup failed, as a failure', () => {
  const broken = fileOf('test/e2e/a.test.ts', 'failed')
  const untidy = fileOf('test/e2e/b.test.ts', 'failed', 'passed')
  expect(countsOf('e2e', { testResults: [broken, untidy] })).toMatchObject({ passed: 1, failed: 2 })
})

test('counts a phase that ran no test as a failure', () => {
  const skipped = fileOf('test/e2e/a.test.ts', 'passed', 'pending')
  expect(countsOf('e2e', { testResults: [skipped] })).toMatchObject({ failed: 1, skipped: 1 })
  expect(countsOf('e2e', { testResults: [] })).toMatchObject({ passed: 0, failed: 1 })
})

test('runs a whole phase, or only the named paths', () => {
  expect(patternsOf('e2e', [])).toEqual(['/test/e2e/'])
  expect(patternsOf('e2e', ['test/e2e/logs', 'test/unit/core'])).toEqual(['/test/e2e/logs'])
  const [folder = '', top = ''] = patternsOf('unit', ['test/e2e/logs'])
  expect('/x/test/unit/core/a.test.ts').toMatch(new RegExp(folder))
  expect('/x/test/tidy.test.ts').toMatch(new RegExp(top))
  expect('/x/test/e2e/logs.test.ts').not.toMatch(new RegExp(top))
})

test('finds a path that matches no test file', () => {
  const report = { testResults: [fileOf('test/e2e/logs.test.ts', 'passed', 'passed')] }
  expect(unmatched(['test/e2e/logs', 'test/e2e/log-s'], report)).toEqual(['test/e2e/log-s'])
})
