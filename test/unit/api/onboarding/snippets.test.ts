/** Tests that snippets contain the URL of the gateway, and no other text from the request. */
import { expect, test } from '@jest/globals'
import { baseUrlOf, keyPlaceholder, snippetsOf } from '../../../../api/onboarding/snippets.ts'

test.each([
  ['sluice.example', 'http://sluice.example'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['[::1]:8080', 'http://[::1]:8080'],
  ["a'; rm -rf ~; '", 'http://localhost:8080'],
  ['a/b', 'http://localhost:8080'],
  ['a:b@c', 'http://localhost:8080'],
  ['', 'http://localhost:8080'],
  [undefined, 'http://localhost:8080']
])('turns the host %j into %s', (host, expected) => {
  expect(baseUrlOf(null, host === undefined ? {} : { host })).toBe(expected)
})

test('prefers the public URL to the host', () => {
  expect(baseUrlOf('https://sluice.example/', { host: 'pod-1:8080' })).toBe(
    'https://sluice.example'
  )
})

test('contains the URL, and the place of the key or the variable that holds it', () => {
  const { curl, env, typescript, python } = snippetsOf('https://sluice.example')
  for (const text of [curl, env, typescript, python]) expect(text).toContain('sluice.example')
  for (const text of [curl, env]) expect(text).toContain(keyPlaceholder)
  for (const text of [typescript, python]) expect(text).toContain('SLUICE_API_KEY')
})
