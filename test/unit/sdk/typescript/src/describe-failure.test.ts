/** Tests the descriptions of failed requests and their hints. */
import { describe, expect, test } from '@jest/globals'
import {
  describeResponse,
  describeNoResponse
} from '../../../../../sdk/typescript/src/describe-failure.ts'

const url = 'https://sluice.example.com'
const doctor = /`npx @sluice\/sdk doctor`$/u

describe('no response', () => {
  test('suggests checking the gateway and TLS', () => {
    const text = describeNoResponse({ code: 'ECONNREFUSED', message: 'secret' }, url)
    expect(text.message).toBe(`no response from ${url} (ECONNREFUSED)`)
    expect(text.hint).toMatch(/^check that a gateway runs there with TLS;/u)
    expect(text.hint).toMatch(doctor)
  })

  test('suggests a gateway without TLS if the URL is http://', () => {
    const { hint } = describeNoResponse({ code: 'ECONNRESET' }, 'http://127.0.0.1:8080')
    expect(hint).toMatch(/^check that a gateway runs there without TLS;/u)
  })
})

const answer = (status: number, body: string) => ({ status, retryAfter: undefined, body })

describe('a response', () => {
  test.each([
    [401, /check SLUICE_API_KEY/u],
    [403, /scope ingest/u],
    [404, /check SLUICE_BASE_URL/u]
  ])('%d names the setting to change and suggests the doctor', (status, what) => {
    const { message, hint } = describeResponse(answer(status, '{"code":"some_code"}'), url)
    expect(message).toBe(`${url} returned ${status} some_code`)
    expect(hint).toMatch(what)
    expect(hint).toMatch(doctor)
  })

  test.each([
    [302, /redirects are not followed; set SLUICE_BASE_URL/u],
    [422, /^rejected; see docs\/reference\/errors\.md/u],
    [503, /^decisions stay in memory/u]
  ])('%d', (status, what) => {
    expect(describeResponse(answer(status, '<html>'), url)).toEqual({
      message: `${url} returned ${status}`,
      hint: expect.stringMatching(what)
    })
  })
})
