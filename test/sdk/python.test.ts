/** Tests the Python SDK as a package: its own tests, types, lint rules and build.
 *
 * Tools and libraries are installed once, into the cache folder. Without Python the tests are
 * skipped with a message.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { hasPython } from '../support/python-environment.ts'
import { run, runWell } from '../support/run-to-end.ts'
import { buildSdk, findPythonTools, installWheel, sdkFolder } from '../support/sdk/python.ts'

const timeoutMs = 9 * 60_000
const folder = mkdtempSync(join(tmpdir(), 'sluice-sdk-python-'))
afterAll(() => rmSync(folder, { recursive: true }))
const sources = { ...process.env, PYTHONPATH: join(sdkFolder, 'src') }

const hasIt = hasPython()
if (!hasIt) process.stderr.write('python3 is missing: sdk/python is not tested.\n')
const testIfPython = hasIt ? test : test.skip

const found = await findPythonTools()
if (found === null)
  process.stderr.write('The types, lint rules and build of sdk/python are not checked.\n')
const tools = found ?? ''
const testIfTools = found === null ? test.skip : test

testIfPython(
  'passes its own tests without Python warnings',
  async () => {
    const strict = ['-W', 'error::ResourceWarning', '-W', 'error::DeprecationWarning:sluice']
    const args = [...strict, '-m', 'unittest', 'discover', '-s', join(sdkFolder, 'tests')]
    expect(await runWell('python3', args, { env: sources })).toMatch(/Ran \d\d+ tests/)
  },
  timeoutMs
)

testIfTools(
  'works with the libraries that it wraps',
  async () => {
    const python = join(tools, 'python')
    const args = ['-m', 'unittest', 'discover', '-s', join(sdkFolder, 'tests', 'libraries')]
    expect(await runWell(python, args, { env: sources })).toMatch(/Ran \d\d tests/)
  },
  timeoutMs
)

describe('rules', () => {
  testIfTools.each([
    ['ruff', ['check', '--no-cache', '--output-format', 'concise', '.']],
    ['ruff', ['format', '--no-cache', '--check', '.']],
    [
      'vermin',
      ['-t=3.9-', '--violations', '--eval-annotations', '--no-tips', 'src', 'conformance']
    ],
    ['mypy', ['--no-error-summary', '--cache-dir', join(folder, 'mypy')]]
  ])(
    '%s %j reports nothing',
    async (tool, args) => {
      const { code, output } = await run(join(tools, tool), args, { cwd: sdkFolder })
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
    },
    timeoutMs
  )
})

testIfTools(
  'builds a wheel and an sdist, and the installed wheel is complete, typed and self-contained',
  async () => {
    const [wheel, sdist] = await buildSdk(tools, folder)
    const python = join(tools, 'python')
    const packed = (await runWell(python, ['-m', 'zipfile', '-l', wheel])).split('\n')
    const names = packed.slice(1, -1).map((line) => line.split(' ')[0] ?? '')
    expect(names.filter((name) => !/^sluice(_sdk-[\d.]+[.]dist-info)?\//.test(name))).toEqual([])
    expect(names).toEqual(
      expect.arrayContaining([
        'sluice/__init__.py',
        'sluice/py.typed',
        'sluice/_doctor/_send_request.py'
      ])
    )
    expect(names.some((name) => name.endsWith('/licenses/LICENSE'))).toBe(true)
    expect(await runWell('tar', ['tzf', sdist])).toMatch(/\/README[.]md\n/)

    const bin = await installWheel(tools, wheel, join(folder, 'clean'))
    const output = await runWell(join(bin, 'python'), ['-c', program], { cwd: folder })
    const metadata = { version: '0.1.0', requires: null, python: '>=3.9', license: 'Apache-2.0' }
    expect(JSON.parse(output)).toEqual({ ...metadata, module: '0.1.0', id: 36 })
    const doctor = await run(join(bin, 'sluice-sdk'), ['doctor'], { cwd: folder })
    expect(doctor).toEqual({
      code: 1,
      output: expect.stringContaining('✗ key        the API key is not set')
    })

    const consumer = join(sdkFolder, 'tests', 'typed_consumer.py')
    const cache = ['--config-file=', '--cache-dir', join(folder, 'mypy-consumer')]
    const args = ['--strict', ...cache, '--python-executable', join(bin, 'python'), consumer]
    await runWell(join(tools, 'mypy'), args, { cwd: folder })
  },
  timeoutMs
)

/** Program that runs in an environment that contains only the wheel. */
const program = `
import importlib.metadata, json, sluice, sluice.langchain, sluice.openai
about = importlib.metadata.metadata("sluice-sdk")
print(json.dumps({
    "version": about["Version"], "requires": about["Requires-Dist"],
    "python": about["Requires-Python"], "license": about["License-Expression"],
    "module": sluice.__version__, "id": len(sluice.init(disabled=True).log(input=1, output="x")),
}))`

test('has the same license as the repository', () => {
  expect(readFileSync(join(sdkFolder, 'LICENSE'), 'utf8')).toBe(readFileSync('LICENSE', 'utf8'))
})
