/** Processes and their memory. */
import { spawn } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { residentMiB, vmRss, withChildren } from '../../../../bench/system/process-family.ts'

test('reads the resident memory', () => {
  expect(vmRss('Name:\tnode\nVmHWM:\t  200 kB\nVmRSS:\t  123456 kB\n')).toBe(123_456)
  expect(vmRss('')).toBe(0)
})

test('knows the children of a process, and their memory', () => {
  const alone = residentMiB([process.pid])
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  try {
    expect(withChildren([process.pid])).toContain(child.pid)
    expect(alone).toBeGreaterThan(1)
  } finally {
    child.kill()
  }
})
