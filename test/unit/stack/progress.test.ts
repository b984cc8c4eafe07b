/** Tests progress output: one line per step in a log, redrawn lines in a terminal. */
import { expect, test } from '@jest/globals'
import { createPaint, createProgress } from '../../../stack/progress.ts'

function anOutput(isTTY: boolean): { text: () => string; write: (s: string) => void } {
  let written = ''
  return Object.assign(
    { text: () => written, write: (s: string) => void (written += s) },
    { isTTY, columns: 100 }
  )
}

test('prints a step as one line with title, detail and time', () => {
  const output = anOutput(false)
  const progress = createProgress(output)
  progress.step('Kafka').done('127.0.0.1:9092')
  progress.step('Redis', '127.0.0.1:6379').fail()
  expect(output.text()).toMatch(/^ {2}✓ Kafka +127\.0\.0\.1:9092 +\d\.\d s\n {2}✗ Redis +127/)
  expect(output.text()).not.toContain('\x1b')
})

test('finishes a step once', () => {
  const output = anOutput(false)
  const step = createProgress(output).step('Kafka')
  step.done()
  step.fail()
  expect(output.text().split('\n')).toHaveLength(2)
})

test('prints finished lines above open ones in a terminal', () => {
  const output = anOutput(true)
  const progress = createProgress(output)
  const kafka = progress.step('Kafka')
  const redis = progress.step('Redis')
  redis.done()
  kafka.done()
  progress.close()
  const lines = output.text().split('\n')
  expect(lines[0]).toMatch(/✓.*Redis/)
  expect(lines[1]).toMatch(/⠋ Kafka/)
  expect(lines[2]).toMatch(/\x1b\[1A\x1b\[0J.*✓.*Kafka/)
})

test('omits open steps when closed', () => {
  const output = anOutput(false)
  const progress = createProgress(output)
  const step = progress.step('Kafka')
  progress.close()
  step.done()
  expect(output.text()).toBe('')
})

test('uses colours only in a terminal', () => {
  expect(createPaint(false)('red', 'x')).toBe('x')
  expect(createPaint(true)('red', 'x')).toBe('\x1b[31mx\x1b[0m')
})
