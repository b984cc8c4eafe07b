/** Tests that operations that set a display name reject links in it. */
import { expect, test } from '@jest/globals'
import { apiRoutes } from '../../../api/routes.ts'
import { createCheck } from '../../../platform/validation/json-schema.ts'

const detail = 'must not contain links, control characters or invisible characters'

test.each([
  ['name', 'register'],
  ['organization_name', 'register'],
  ['name', 'changeMe'],
  ['name', 'changeOrganization'],
  ['name', 'createApiKey'],
  ['name', 'createConnection'],
  ['name', 'createRule'],
  ['name', 'createWebhook']
])('rejects a link in %s of %s', (member, id) => {
  const route = apiRoutes.find(({ operation }) => operation.operation_id === id)
  const check = createCheck(route?.operation.body?.schema ?? {})
  const wrong = check({ [member]: 'see https://evil.example' })
  expect(wrong).toContainEqual({ pointer: `/${member}`, detail })
  const fine = check({ [member]: 'Refunds, EMEA' })
  expect(fine.map(({ pointer }) => pointer)).not.toContain(`/${member}`)
})
