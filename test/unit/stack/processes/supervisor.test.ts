/** The supervisor with small processes: readiness, crashes, revival, stopping. */
import { afterEach, expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessSpec } from '../../../../stack/processes/process.ts'
import { ServiceCrash } from '../../../../stack/processes/process.ts'
import { startOf } from '../../../../stack/processes/run-file.ts'
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

test('a process is ready when its probe answers, and its words are in its log', async () => {
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

test('a process that ends before it is ready is named, with the end of its log', async () => {
  const supervisor = aSupervisor()
  const never = async (): Promise<boolean> => await Promise.resolve(false)
  const start = supervisor.start(aSpec('echo no such file; exit 3', { probe: never }))
  await expect(start).rejects.toThrow(ServiceCrash)
  await expect(start).rejects.toThrow(
    /^The sample ended with exit code 3; its log is .*sample\.log\n {4}no such file$/
  )
})

test('a process that never becomes ready is given up at its deadline', async () => {
  const supervisor = aSupervisor()
  const probe = async (): Promise<boolean> => await Promise.reject(new Error('nobody there'))
  const start = supervisor.start(aSpec('exec sleep 60', { probe, readyTimeoutMs: 300 }))
  await expect(start).rejects.toThrow(/The sample did not become ready .*\(nobody there\)/)
})

test('a program that is not there is named', async () => {
  const start = aSupervisor().start(aSpec('', { command: '/no/such/program' }))
  await expect(start).rejects.toThrow(/^The sample could not be started .*ENOENT/)
})

test('a crash after readiness is told once, and a stop is no crash', async () => {
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
  expect((await crashed.promise).message).toMatch(/^The sample was ended by SIGKILL; its log is/)
  await supervisor.stopAll()
  expect(crashes).toEqual(['unlucky'])
})

test('a crashed process is started again, until it is ready', async () => {
  const revived = Promise.withResolvers<string>()
  const crashes: string[] = []
  const supervisor = aSupervisor({
    keepAlive: true,
    onCrash: (crash) => crashes.push(crash.message),
    onRevived: revived.resolve
  })
  const starts = join(supervisor.folder, 'starts')
  // The second of its three starts fails.
  const script = `echo x >> ${starts}; [ $(wc -l < ${starts}) = 2 ] && exit 7; exec sleep 60`
  const probe = async (): Promise<boolean> =>
    await Promise.resolve(['x\n', 'x\nx\nx\n'].includes(readFileSync(starts, 'utf8')))
  const pid = await supervisor.start(aSpec(script, { probe }))
  process.kill(pid, 'SIGKILL')
  expect(await revived.promise).toBe('sample')
  expect(supervisor.pids()['sample']).not.toBe(pid)
  expect(crashes).toHaveLength(1)
})

test('a process that does not want to stop is ended after its deadline', async () => {
  const supervisor = aSupervisor()
  const ready = join(supervisor.folder, 'ready')
  const script = `trap '' TERM; touch ${ready}; while true; do sleep 1; done`
  const probe = async (): Promise<boolean> => await Promise.resolve(existsSync(ready))
  const pid = await supervisor.start(aSpec(script, { probe, stopDeadlineMs: 200 }))
  await supervisor.stopAll()
  expect(startOf(pid)).toBeNull()
})

test('a frozen process can be stopped', async () => {
  const supervisor = aSupervisor()
  const pid = await supervisor.start(aSpec('exec sleep 60'))
  supervisor.signal('sample', 'SIGSTOP')
  await supervisor.stop('sample')
  expect(startOf(pid)).toBeNull()
  expect(() => supervisor.signal('sample', 'SIGSTOP')).toThrow(/not running/)
})

test('nothing is started any more once everything is being stopped', async () => {
  const supervisor = aSupervisor()
  await supervisor.stopAll()
  await expect(supervisor.start(aSpec('exec sleep 60'))).rejects.toThrow(/being stopped/)
})

test('what is killed on purpose is no crash, and starts again as it was', async () => {
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
