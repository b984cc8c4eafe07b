/** Settings of the heap that the Node of today knows: one it does not know would change nothing. */
import { expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'

const heap = pathToFileURL(resolve('platform/process/heap.ts')).href

function run(program: string) {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module']
  return spawnSync(process.execPath, [...flags, '--eval', program], { encoding: 'utf8' })
}

test('each is known', () => {
  const { status, stderr } = run(`(await import('${heap}')).setUpHeap()`)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('one that is not known would be told', () => {
  const { stderr } = run(`(await import('node:v8')).setFlagsFromString('--no-such-setting')`)
  expect(stderr).toContain('unrecognized flag --no-such-setting')
})
