/** Building the Collector. */
import { expect, test } from '@jest/globals'
import { buildCollector, stepOf } from '../../../../bench/collector/build-collector.ts'

test('shows the steps of the builder', () => {
  const line = '2026-01-01T00:00:00.000Z\tINFO\tbuilder/main.go:121\tCompiling'
  expect(stepOf(line)).toBe('Compiling')
  expect(stepOf('go: downloading example.com/module v1')).toBeNull()
})

test('without Go the row has a reason', async () => {
  const said: string[] = []
  const built = await buildCollector({
    say: (line) => said.push(line),
    signal: new AbortController().signal,
    environment: { PATH: '', SLUICE_CACHE: import.meta.dirname }
  })
  expect(built).toEqual({ notRun: expect.stringContaining('Go is not installed') })
  expect(said).toEqual([])
})
