/** Tests that Node.js recognizes each heap setting. Node.js ignores unknown settings and only
 * prints a message.
 */
import { expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'

const heap = pathToFileURL(resolve('platform/process/heap.ts')).href

function run(program: string) {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module']
  return spawnSync(process.execPath, [...flags, '--eval', program], { encoding: 'utf8' })
}

test('knows each setting', () => {
  const { status, stderr } = run(`(await import('${heap}')).setUpHeap()`)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('reports an unknown setting', () => {
  const { stderr } = run(`(await import('node:v8')).setFlagsFromString('--no-such-setting')`)
  expect(stderr).toContain('unrecognized flag --no-such-setting')
})
