/** Every operation that names something takes names of one form. */
import { expect, test } from '@jest/globals'
import { registerOperation } from '../../../../api/accounts/register.operation.ts'
import { changeMeOperation } from '../../../../api/accounts/person.operation.ts'
import { createConnectionOperation } from '../../../../api/connections/connection.operation.ts'
import { createKeyOperation } from '../../../../api/organization/keys/api-key.operation.ts'
import { changeOrganizationOperation } from '../../../../api/organization/organization.operation.ts'
import { createRuleOperation } from '../../../../api/rules/rule.operation.ts'
import { createWebhookOperation } from '../../../../api/webhooks/webhook.operation.ts'
import { createCheck } from '../../../../platform/validation/json-schema.ts'
import type { Operation } from '../../../../http/route.ts'

const detail = 'must not contain links, control characters or invisible characters'

test.each<[string, Operation]>([
  ['name', registerOperation],
  ['organization_name', registerOperation],
  ['name', changeMeOperation],
  ['name', changeOrganizationOperation],
  ['name', createKeyOperation],
  ['name', createConnectionOperation],
  ['name', createRuleOperation],
  ['name', createWebhookOperation]
])('%s of $operation_id is refused with a link', (member, { body }) => {
  const check = createCheck(body?.schema ?? {})
  const wrong = check({ [member]: 'see https://evil.example' })
  expect(wrong).toContainEqual({ pointer: `/${member}`, detail })
  const fine = check({ [member]: 'Refunds, EMEA' })
  expect(fine.map(({ pointer }) => pointer)).not.toContain(`/${member}`)
})
