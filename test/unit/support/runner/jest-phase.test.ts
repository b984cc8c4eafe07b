/** A report of jest must not pass for less than it says. */
import { expect, test } from '@jest/globals'
import { countsOf } from '../../../support/runner/jest-phase.ts'
import type { JestReport } from '../../../support/runner/jest-phase.ts'

function report(overrides: Partial<JestReport> = {}): JestReport {
  return {
    numPassedTests: 2,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }] }],
    ...overrides
  }
}

test('counts passed, failed and skipped tests', () => {
  const testResults = [{ status: 'failed', assertionResults: [{ status: 'failed' }] }]
  const counts = countsOf(
    report({ numFailedTests: 1, numPendingTests: 1, numTodoTests: 1, testResults })
  )
  expect(counts).toEqual({ passed: 2, failed: 1, skipped: 2 })
})

test('counts a file that could not be run as a failure', () => {
  const testResults = [{ status: 'failed', assertionResults: [] }]
  expect(countsOf(report({ testResults }))).toEqual({ passed: 2, failed: 1, skipped: 0 })
})

test('counts a file whose clean-up failed as a failure', () => {
  const testResults = [{ status: 'failed', assertionResults: [{ status: 'passed' }] }]
  expect(countsOf(report({ testResults }))).toEqual({ passed: 2, failed: 1, skipped: 0 })
})

test('counts a project that ran no test, or left no report, as a failure', () => {
  const empty = report({ numPassedTests: 0, numPendingTests: 3, testResults: [] })
  expect(countsOf(empty)).toEqual({ passed: 0, failed: 1, skipped: 3 })
  expect(countsOf(null)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})
