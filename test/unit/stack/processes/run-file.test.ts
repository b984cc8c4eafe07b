/** Tests that the run file records its owner, and that processes left behind by an earlier run are
 * ended.
 */
import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  AlreadyRunningError,
  claimRunFile,
  ownerOf,
  startTimeOf
} from '../../../../stack/processes/run-file.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const runFile = '../../../../stack/processes/run-file.ts'
const runFileModule = new URL(runFile, import.meta.url).href

function aPath(): string {
  return join(temporaryFolder(), 'run', 'services.json')
}

function aProcess(): { pid: number; ended: Promise<unknown>; end: () => void } {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  return { pid: child.pid ?? 0, ended: once(child, 'exit'), end: () => void child.kill('SIGKILL') }
}

const DEAD_OWNER = { pid: 1_999_999_999, started: 'long ago' }

function write(path: string, content: object): void {
  claimRunFile(path)
  writeFileSync(path, JSON.stringify(content))
}

test('writes the file immediately and removes it on release', () => {
  const path = aPath()
  const file = claimRunFile(path)
  expect(ownerOf(path)).toBe(process.pid)
  file.add('kafka', process.pid)
  expect(readFileSync(path, 'utf8')).toMatch(/"kafka"/)
  file.drop(process.pid)
  expect(readFileSync(path, 'utf8')).not.toMatch(/"kafka"/)
  file.release()
  expect(existsSync(path)).toBe(false)
  expect(ownerOf(path)).toBeNull()
})

test('rejects a second claim while the owner is alive', () => {
  const path = aPath()
  const other = aProcess()
  write(path, { owner: { pid: other.pid, started: startTimeOf(other.pid) }, processes: [] })
  expect(() => claimRunFile(path)).toThrow(AlreadyRunningError)
  expect(() => claimRunFile(path)).toThrow(new RegExp(`already running .*process ${other.pid}`))
  other.end()
})

test('lets one of several concurrent claims succeed', async () => {
  const path = aPath()
  const program = `
    const { claimRunFile } = await import(${JSON.stringify(runFileModule)})
    process.stdin.once('data', () => {
      try {
        claimRunFile(process.argv[1])
        console.log('claimed')
      } catch (error) {
        console.log(error.name)
      }
    })
    console.log('ready')
  `
  const args = ['--input-type=module', '-e', program, path]
  const claimants = [1, 2, 3, 4].map(() => spawn(process.execPath, args))
  const outputs = claimants.map(() => '')
  const waitForLines = async (lines: number): Promise<void> => {
    await waitUntil(`${lines} lines from each`, () =>
      outputs.every((text) => text.split('\n').length > lines)
    )
  }
  claimants.forEach((claimant, index) => {
    claimant.stdout.on('data', (text) => (outputs[index] += String(text)))
  })
  await waitForLines(1)
  for (const { stdin } of claimants) stdin.write('go')
  await waitForLines(2)
  for (const claimant of claimants) claimant.kill('SIGKILL')
  const claims = outputs.map((text) => text.split('\n')[1]).toSorted()
  expect(claims).toEqual([
    'AlreadyRunningError',
    'AlreadyRunningError',
    'AlreadyRunningError',
    'claimed'
  ])
})

test('ends processes of a dead owner', async () => {
  const path = aPath()
  const left = aProcess()
  const processes = [{ name: 'kafka', pid: left.pid, started: startTimeOf(left.pid) }]
  write(path, { owner: DEAD_OWNER, processes })
  expect(claimRunFile(path).leftovers).toEqual(['kafka'])
  await left.ended
})

test('does not end another process with the same id', () => {
  const path = aPath()
  const unrelated = aProcess()
  write(path, {
    owner: DEAD_OWNER,
    processes: [{ name: 'kafka', pid: unrelated.pid, started: 'another time' }]
  })
  expect(claimRunFile(path).leftovers).toEqual([])
  expect(startTimeOf(unrelated.pid)).not.toBeNull()
  unrelated.end()
})

test('treats an unreadable file as without owner', () => {
  const path = aPath()
  claimRunFile(path)
  writeFileSync(path, '{ half')
  expect(ownerOf(path)).toBeNull()
  expect(claimRunFile(path).leftovers).toEqual([])
})
