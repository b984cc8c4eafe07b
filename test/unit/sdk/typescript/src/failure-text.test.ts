/** What a failed request is said to mean, and that it says what to do. */
import { describe, expect, test } from '@jest/globals'
import { answered, unreachable } from '../../../../../sdk/typescript/src/failure-text.ts'

const url = 'https://sluice.example.com'
const doctor = /`npx @sluice\/sdk doctor` finds out why$/u

describe('no answer', () => {
  test('asks what somebody would look at first', () => {
    const told = unreachable({ code: 'ECONNREFUSED', message: 'secret' }, url)
    expect(told.message).toBe(`no answer from ${url} (ECONNREFUSED)`)
    expect(told.hint).toMatch(/^is it running, and with TLS\?/u)
    expect(told.hint).toMatch(doctor)
  })

  test('an address with http:// asks the other way around', () => {
    const { hint } = unreachable({ code: 'ECONNRESET' }, 'http://127.0.0.1:8080')
    expect(hint).toMatch(/^is it running, and without TLS\?/u)
  })
})

const answer = (status: number, body: string) => ({ status, retryAfter: undefined, body })

describe('an answer', () => {
  test.each([
    [401, /check SLUICE_API_KEY/u],
    [403, /scope ingest/u],
    [404, /check SLUICE_BASE_URL/u]
  ])('%d names what is to be changed, and the doctor', (status, what) => {
    const { message, hint } = answered(answer(status, '{"code":"some_code"}'), url)
    expect(message).toBe(`${url} answered ${status} some_code`)
    expect(hint).toMatch(what)
    expect(hint).toMatch(doctor)
  })

  test.each([
    [302, /redirects are not followed: set SLUICE_BASE_URL/u],
    [422, /given up; see docs\/errors\.md/u],
    [503, /^decisions wait in memory/u]
  ])('%d', (status, what) => {
    expect(answered(answer(status, '<html>'), url)).toEqual({
      message: `${url} answered ${status}`,
      hint: expect.stringMatching(what)
    })
  })
})
