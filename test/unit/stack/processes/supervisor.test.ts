/** Tests the supervisor with small processes: readiness, crashes, restarts and stopping. */
import { afterEach, expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessSpec } from '../../../../stack/processes/process.ts'
import { ServiceCrash } from '../../../../stack/processes/process.ts'
import { startTimeOf } from '../../../../stack/processes/run-file.ts'
import { createSupervisor } from '../../../../stack/processes/supervisor.ts'
import type { Supervisor, SupervisorOptions } from '../../../../stack/processes/supervisor.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const started: Supervisor[] = []

afterEach(async () => {
  await Promise.all(started.splice(0).map((supervisor) => supervisor.stopAll()))
})

function aSupervisor(overrides: Partial<SupervisorOptions> = {}): Supervisor & { folder: string } {
  const folder = temporaryFolder()
  const supervisor = createSupervisor({ folder, name: 'services', ...overrides })
  started.push(supervisor)
  return { ...supervisor, folder }
}

function aSpec(script: string, overrides: Partial<ProcessSpec> = {}): ProcessSpec {
  return {
    name: 'sample',
    title: 'The sample',
    command: '/bin/sh',
    args: ['-c', script],
    probe: async () => await Promise.resolve(true),
    readyTimeoutMs: 5_000,
    stopDeadlineMs: 5_000,
    ...overrides
  }
}

test('is ready when the probe succeeds, and writes output to the log', async () => {
  const supervisor = aSupervisor()
  const ready = join(supervisor.folder, 'ready')
  const pid = await supervisor.start(
    aSpec(`echo hello; touch ${ready}; exec sleep 60`, {
      probe: async () => await Promise.resolve(existsSync(ready))
    })
  )
  expect(supervisor.pids()).toEqual({ sample: pid })
  expect(readFileSync(join(supervisor.folder, 'logs', 'sample.log'), 'utf8')).toBe('hello\n')
})

test('reports a process that exits before it is ready, with the end of its log', async () => {
  const supervisor = aSupervisor()
  const never = async (): Promise<boolean> => await Promise.resolve(false)
  const start = supervisor.start(aSpec('echo no such file; exit 3', { probe: never }))
  await expect(start).rejects.toThrow(ServiceCrash)
  await expect(start).rejects.toThrow(
    /^The sample exited with code 3; its log is .*sample\.log\n {4}no such file$/
  )
})

test('rejects a process that is not ready by its deadline', async () => {
  const supervisor = aSupervisor()
  const probe = async (): Promise<boolean> => await Promise.reject(new Error('connection refused'))
  const start = supervisor.start(aSpec('exec sleep 60', { probe, readyTimeoutMs: 300 }))
  await expect(start).rejects.toThrow(/The sample did not become ready .*\(connection refused\)/)
})

test('reports a missing program', async () => {
  const start = aSupervisor().start(aSpec('', { command: '/no/such/program' }))
  await expect(start).rejects.toThrow(/^The sample cannot be started .*ENOENT/)
})

test('reports a crash once, and does not report a requested exit as a crash', async () => {
  const crashed = Promise.withResolvers<ServiceCrash>()
  const crashes: string[] = []
  const onCrash = (crash: ServiceCrash): void => {
    crashes.push(crash.service)
    crashed.resolve(crash)
  }
  const supervisor = aSupervisor({ onCrash })
  await supervisor.start(aSpec('exec sleep 60', { name: 'quiet' }))
  const pid = await supervisor.start(aSpec('exec sleep 60', { name: 'unlucky' }))
  process.kill(pid, 'SIGKILL')
  expect((await crashed.promise).message).toMatch(/^The sample was killed by SIGKILL; its log is/)
  await supervisor.stopAll()
  expect(crashes).toEqual(['unlucky'])
})

test('restarts a crashed process until it is ready', async () => {
  const revived = Promise.withResolvers<string>()
  const crashes: string[] = []
  const supervisor = aSupervisor({
    keepAlive: true,
    onCrash: (crash) => crashes.push(crash.message),
    onRevived: revived.resolve
  })
  const starts = join(supervisor.folder, 'starts')
  // The script starts three times, and its second start fails.
  const script = `echo x >> ${starts}; [ $(wc -l < ${starts}) = 2 ] && exit 7; exec sleep 60`
  const probe = async (): Promise<boolean> =>
    await Promise.resolve(['x\n', 'x\nx\nx\n'].includes(readFileSync(starts, 'utf8')))
  const pid = await supervisor.start(aSpec(script, { probe }))
  process.kill(pid, 'SIGKILL')
  expect(await revived.promise).toBe('sample')
  expect(supervisor.pids()['sample']).not.toBe(pid)
  expect(crashes).toHaveLength(1)
})

test('kills a process that ignores the stop signal after its deadline', async () => {
  const supervisor = aSupervisor()
  const ready = join(supervisor.folder, 'ready')
  const script = `trap '' TERM; touch ${ready}; while true; do sleep 1; done`
  const probe = async (): Promise<boolean> => await Promise.resolve(existsSync(ready))
  const pid = await supervisor.start(aSpec(script, { probe, stopDeadlineMs: 200 }))
  await supervisor.stopAll()
  expect(startTimeOf(pid)).toBeNull()
})

test('stops a paused process', async () => {
  const supervisor = aSupervisor()
  const pid = await supervisor.start(aSpec('exec sleep 60'))
  supervisor.signal('sample', 'SIGSTOP')
  await supervisor.stop('sample')
  expect(startTimeOf(pid)).toBeNull()
  expect(() => supervisor.signal('sample', 'SIGSTOP')).toThrow(/not running/)
})

test('starts nothing after stopAll', async () => {
  const supervisor = aSupervisor()
  await supervisor.stopAll()
  await expect(supervisor.start(aSpec('exec sleep 60'))).rejects.toThrow(/is stopping/)
})

test('does not report a deliberate kill, and restarts the process on request', async () => {
  const crashes: string[] = []
  const supervisor = aSupervisor({ keepAlive: true, onCrash: (it) => crashes.push(it.service) })
  const first = await supervisor.start(aSpec('exec sleep 60'))
  await supervisor.kill('sample')
  await supervisor.kill('sample')
  expect(supervisor.pids()).toEqual({})

  await supervisor.restart('sample')
  const second = supervisor.pids()['sample']
  expect(second).not.toBe(first)
  await supervisor.restart('sample')
  expect(supervisor.pids()).toEqual({ sample: second })
  expect(crashes).toEqual([])
  await expect(supervisor.restart('other')).rejects.toThrow('other was never started')
})
