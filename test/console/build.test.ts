/** Tests that the build of the console is reproducible. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runWell } from '../support/run-to-end.ts'
import { temporaryFolder } from '../unit/stack/temporary-folder.ts'

/** Builds the console and returns the content of each file by its name. */
async function build(): Promise<Record<string, string>> {
  const folder = join(temporaryFolder(), 'dist')
  const env = { ...process.env, NODE_ENV: 'production' }
  await runWell(process.execPath, ['--no-warnings', 'console/build.ts', folder], { env })
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    files
      .filter((file) => file.isFile())
      .map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name), 'base64')])
  )
}

test('two builds of the console are identical', async () => {
  const [first, second] = await Promise.all([build(), build()])
  expect(Object.keys(first)).toContain('index.html.br')
  expect(second).toEqual(first)
}, 600_000)
