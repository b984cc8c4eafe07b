/** Tests that logs are JSON lines on standard output, without secrets or payloads. */
import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { redactedPaths } from '../../../../platform/telemetry/logger.ts'

const source = new URL('../../../../platform/telemetry/logger.ts', import.meta.url).href

/** Runs a process that creates a logger and executes `calls`. Returns its output lines. */
function linesOf(calls: string, level = 'info'): Record<string, unknown>[] {
  const program = `
    import { createLogger } from ${JSON.stringify(source)}
    const logger = createLogger({ level: ${JSON.stringify(level)}, process: 'gateway' })
    ${calls}`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8'
  })
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a line has level, time, process, the fields and the message', () => {
  expect(linesOf(`logger.warn({ topic: 'a', lag: 3 }, 'behind')`)).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      process: 'gateway',
      topic: 'a',
      lag: 3,
      msg: 'behind'
    }
  ])
})

test.each([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['error', ['error']],
  ['fatal', []],
  ['silent', []]
])('at level %s writes %j', (level, expected) => {
  const calls = ['debug', 'info', 'warn', 'error'].map((each) => `logger.${each}({}, 'x')`)
  expect(linesOf(calls.join('\n'), level).map((line) => line['level'])).toEqual(expected)
})

test('redacts secrets and payloads, at the top and one level below', () => {
  const names = redactedPaths.filter((path) => !path.includes('*'))
  const fields = Object.fromEntries(names.map((name) => [name, 'hunter2']))
  const [line] = linesOf(`logger.info(${JSON.stringify({ ...fields, inner: fields })}, 'x')`)
  const blanked = Object.fromEntries(names.map((name) => [name, '[redacted]']))
  expect(line).toMatchObject({ ...blanked, inner: blanked })
  expect(JSON.stringify(line)).not.toContain('hunter2')
})

test('logs an error with its message, stack and cause', () => {
  const [line] = linesOf(
    `logger.error({ error: new Error('outer', { cause: new Error('inner') }) }, 'x')`
  )
  expect(line?.['error']).toMatchObject({
    message: 'outer',
    stack: expect.stringContaining('outer')
  })
  expect(JSON.stringify(line)).toContain('inner')
})

test('escapes a line break in a field or message', () => {
  const lines = linesOf(`logger.info({ reason: 'a\\n{"level":"error"}' }, 'b\\nc')`)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ reason: 'a\n{"level":"error"}', msg: 'b\nc' })
})
