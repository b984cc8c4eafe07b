/** Tests that avsc, without the patch, still has the defects that the patch fixes. */
import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'

function withoutPatch(script: string): string {
  const program = `const avro = require('avsc'); ${script}`
  return execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }).trim()
}

test('avsc trusts an item count: remove boundedCounts when this fails', () => {
  const items = withoutPatch(`
    const type = avro.Type.forSchema({ type: 'array', items: 'null' })
    const claim = avro.Type.forSchema('long').toBuffer(100_000)
    console.log(type.fromBuffer(Buffer.concat([claim, Buffer.from([0])])).length)
  `)
  expect(items).toBe('100000')
})

test('avsc replaces invalid UTF-8: remove unrepairedTexts when this fails', () => {
  const text = withoutPatch(`
    const text = avro.Type.forSchema('string').fromBuffer(Buffer.from([2, 0xff]))
    console.log(text === '\\ufffd')
  `)
  expect(text).toBe('true')
})
