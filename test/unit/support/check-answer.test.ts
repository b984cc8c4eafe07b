/** Tests that the check of real responses fails for a wrong response from any route. */
import { describe, expect, test } from '@jest/globals'
import { describeRoutes } from '../../../gateway/routes.ts'
import type { ResponseDefinition, Route } from '../../../http/route.ts'
import { checkAnswer } from '../../support/check-answer.ts'
import { exampleOf } from '../../../http/schema.ts'

const jsonAnswers = describeRoutes().flatMap((route) =>
  Object.entries(route.operation.response)
    .filter(([, { content_type = 'application/json' }]) => content_type === 'application/json')
    .map(([status, answer]): [string, Route, number, ResponseDefinition] => {
      const name = `${route.method} ${route.path} ${status}`
      return [name, route, Number(status), answer]
    })
)

function check({ method, path }: Route, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  const contentType = 'application/json; charset=utf-8'
  checkAnswer(method.toUpperCase(), path.replaceAll(/:\w+/g, 'x'), { status, text, contentType })
}

describe.each(jsonAnswers)('%s', (_, route, status, { schema }) => {
  const example = exampleOf(schema) as object

  test('accepts the example', () => {
    expect(() => check(route, status, example)).not.toThrow()
  })

  test('rejects a response with a wrong member', () => {
    const { required = [] } = schema as { readonly required?: readonly string[] }
    const isMap = required.length === 0
    const [member = ''] = isMap ? Object.keys(example) : required
    const others = Object.entries(example).filter(([name]) => name !== member)
    const wrong = Object.fromEntries(isMap ? [...others, [member, 'wrong']] : others)
    expect(() => check(route, status, wrong)).toThrow('does not match its schema')
  })

  test('rejects a status that is not documented', () => {
    expect(() => check(route, 299, example)).toThrow('is not documented')
  })
})

const named = jsonAnswers.filter(([, , , { schema }]) => 'properties' in schema)

test.each(named)('%s: rejects a member that the schema does not name', (...given) => {
  const [, route, status, { schema }] = given
  const more = { ...(exampleOf(schema) as object), unnamed: 1 }
  expect(() => check(route, status, more)).toThrow('does not match its schema')
})

test('rejects a malformed problem', () => {
  const [, route] = jsonAnswers[0] ?? []
  expect(() => check(route as Route, 404, { code: 'x' })).toThrow('does not match its schema')
})
