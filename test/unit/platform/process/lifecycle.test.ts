/** Tests that shutdown runs each step once, in reverse order and within the deadline, and never
 * throws.
 */
import { expect, test } from '@jest/globals'
import { createLifecycle } from '../../../../platform/process/lifecycle.ts'
import { RecordingLogger } from '../recording-logger.ts'

function aLifecycle(deadlineMs = 5000) {
  const logger = new RecordingLogger()
  const lifecycle = createLifecycle({ logger, deadlineMs })
  const stopped: string[] = []
  const part = (name: string) =>
    lifecycle.onStop(name, async () => {
      await Promise.resolve()
      stopped.push(name)
    })
  return { logger, lifecycle, stopped, part }
}

test('stops in reverse order of the start', async () => {
  const { lifecycle, stopped, part } = aLifecycle()
  ;['pool', 'producer', 'server'].forEach(part)
  await lifecycle.stop('SIGTERM')
  expect(stopped).toEqual(['server', 'producer', 'pool'])
})

test('waits for one step before the next', async () => {
  const { lifecycle, stopped, part } = aLifecycle()
  part('pool')
  const { promise, resolve } = Promise.withResolvers<void>()
  lifecycle.onStop('server', () => promise)
  const ended = lifecycle.stop('SIGTERM')
  await Promise.resolve()
  expect(stopped).toEqual([])
  resolve()
  await ended
  expect(stopped).toEqual(['pool'])
})

test('signals the shutdown at once', async () => {
  const { lifecycle, part } = aLifecycle()
  part('pool')
  expect(lifecycle.isStopping()).toBe(false)
  expect(lifecycle.stopping.aborted).toBe(false)
  const ended = lifecycle.stop('SIGTERM')
  expect(lifecycle.isStopping()).toBe(true)
  expect(lifecycle.stopping.aborted).toBe(true)
  await ended
  expect(lifecycle.isStopping()).toBe(true)
})

test('runs each step once, however often it is stopped', async () => {
  const { lifecycle, stopped, part, logger } = aLifecycle()
  part('pool')
  await Promise.all([lifecycle.stop('SIGTERM'), lifecycle.stop('SIGINT')])
  await lifecycle.stop('again')
  expect(stopped).toEqual(['pool'])
  expect(logger.entries.filter(({ message }) => message === 'stopping')).toEqual([
    { level: 'info', fields: { reason: 'SIGTERM' }, message: 'stopping' }
  ])
})

test.each<[string, () => Promise<void>]>([
  ['rejects', () => Promise.reject(new Error('broken pipe'))],
  [
    'throws',
    () => {
      throw new Error('broken pipe')
    }
  ]
])('continues if a step %s, and logs which', async (_, stop) => {
  const { lifecycle, stopped, part, logger } = aLifecycle()
  part('pool')
  lifecycle.onStop('server', stop)
  await lifecycle.stop('SIGTERM')
  expect(stopped).toEqual(['pool'])
  expect(logger.entries).toContainEqual({
    level: 'warn',
    fields: { step: 'server', error: 'Error: broken pipe' },
    message: 'stop step failed'
  })
})

test('gives up a step that hangs, and still begins the others', async () => {
  const { lifecycle, stopped, part, logger } = aLifecycle(30)
  part('pool')
  lifecycle.onStop('server', () => new Promise(() => {}))
  await lifecycle.stop('SIGTERM')
  expect(stopped).toEqual(['pool'])
  const warned = logger.entries.filter(({ level }) => level === 'warn')
  expect(warned.map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ step: 'server', error: expect.stringMatching(/took over \d+/) })
  )
  expect(logger.entries.at(-1)?.message).toBe('stopped')
})

test('has one deadline for all steps together', async () => {
  const { lifecycle, logger } = aLifecycle(50)
  for (let part = 0; part < 20; part++) {
    lifecycle.onStop(`part ${part}`, () => new Promise(() => {}))
  }
  const begun = performance.now()
  await lifecycle.stop('SIGTERM')
  // Separate deadlines would add up to a second. On a busy machine, shutdown can exceed 50 ms.
  expect(performance.now() - begun).toBeLessThan(800)
  expect(logger.entries.filter(({ level }) => level === 'warn')).toHaveLength(20)
})

test('ends at once without any steps', async () => {
  const { lifecycle, logger } = aLifecycle()
  await lifecycle.stop('SIGINT')
  expect(logger.entries.map(({ message }) => message)).toEqual(['stopping', 'stopped'])
})
