/** Tests that a decision is cut out of a response without changing its payload. */
import { expect, test } from '@jest/globals'
import { curlOfDecision } from '../../../../../console/src/decision/curl.ts'
import { readDecisionText } from '../../../../../console/src/decision/decision-text.ts'

const input = String.raw`{ "n": 9007199254740993, "z": -0, "e": 1e400, "q": "a\"}", "2":1,"1":2}`
const text = `{"decision_id":"id","input":${input},"output":"4","agent_id":"it's","session_id":null,
  "domain":null,"metadata":null,"input_tokens":3,"output_tokens":null,"sdk_version":null}`

test('keeps every character of the payload', () => {
  const { fields, payload } = readDecisionText(text)
  expect(payload).toEqual({ input, output: '"4"', metadata: 'null' })
  expect(fields.agent_id).toBe("it's")
  expect(fields).not.toHaveProperty('input')
})

test('writes a command with the same payload and the fields that were sent', () => {
  const command = curlOfDecision(readDecisionText(text), 'https://sluice.example')
  const [first = '', , , , body = '', end] = command.split('\n')
  expect(first).toBe("curl --globoff 'https://sluice.example/v1/ingest' \\")
  expect(body).toBe(
    `{"input":${input},"output":"4","metadata":null,"agent_id":"it's","input_tokens":3}`
  )
  expect(end).toBe('END_OF_JSON')
})
