/** The list of running processes: who owns it, and what an earlier run has left behind. */
import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  AlreadyRunning,
  claimRunFile,
  ownerOf,
  startOf
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

test('a run file is written at once, and gone after its release', () => {
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

test('a second claim is refused while the first owner is alive', () => {
  const path = aPath()
  const other = aProcess()
  write(path, { owner: { pid: other.pid, started: startOf(other.pid) }, processes: [] })
  expect(() => claimRunFile(path)).toThrow(AlreadyRunning)
  expect(() => claimRunFile(path)).toThrow(new RegExp(`already running .*process ${other.pid}`))
  other.end()
})

test('of several processes that claim at once, one succeeds', async () => {
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
  const said = claimants.map(() => '')
  const whenAllSaid = async (lines: number): Promise<void> => {
    await waitUntil(`${lines} lines from each`, () =>
      said.every((text) => text.split('\n').length > lines)
    )
  }
  claimants.forEach((claimant, index) => {
    claimant.stdout.on('data', (text) => (said[index] += String(text)))
  })
  await whenAllSaid(1)
  for (const { stdin } of claimants) stdin.write('go')
  await whenAllSaid(2)
  for (const claimant of claimants) claimant.kill('SIGKILL')
  const claims = said.map((text) => text.split('\n')[1]).toSorted()
  expect(claims).toEqual(['AlreadyRunning', 'AlreadyRunning', 'AlreadyRunning', 'claimed'])
})

test('processes that an owner has left behind are ended by the next claim', async () => {
  const path = aPath()
  const left = aProcess()
  const processes = [{ name: 'kafka', pid: left.pid, started: startOf(left.pid) }]
  write(path, { owner: DEAD_OWNER, processes })
  expect(claimRunFile(path).leftovers).toEqual(['kafka'])
  await left.ended
})

test('a process that has taken the number of one of ours is left alone', () => {
  const path = aPath()
  const stranger = aProcess()
  write(path, {
    owner: DEAD_OWNER,
    processes: [{ name: 'kafka', pid: stranger.pid, started: 'another time' }]
  })
  expect(claimRunFile(path).leftovers).toEqual([])
  expect(startOf(stranger.pid)).not.toBeNull()
  stranger.end()
})

test('a run file that cannot be read belongs to nobody', () => {
  const path = aPath()
  claimRunFile(path)
  writeFileSync(path, '{ half')
  expect(ownerOf(path)).toBeNull()
  expect(claimRunFile(path).leftovers).toEqual([])
})
