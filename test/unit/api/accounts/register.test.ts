/** Tests the steps of a registration, which are the same for known and unknown emails;
 * test/integration/api/registration.test.ts tests registrations over HTTP.
 */
import { expect, test } from '@jest/globals'
import { confirmRegistration, register } from '../../../../api/accounts/register.ts'
import type { AccountStore } from '../../../../api/store.ts'
import { callOf, problemOf, servicesOf } from '../fakes.ts'

const taken = 'ada@example.com'
const registered = 'correct horse battery'
const never = () => {
  throw new Error('never called')
}

function createScene(registration: 'open' | 'invite' | 'closed' = 'open') {
  const scene = { steps: [] as string[], subjects: [] as string[] }
  const query: AccountStore['query'] = async <R>(text: string, values: readonly unknown[] = []) => {
    scene.steps.push(text)
    if (text.includes('password_hash from registrations')) {
      return [{ password_hash: `hash of ${registered}` }] as R[]
    }
    return (values.includes(taken) ? [{}] : []) as R[]
  }
  const services = servicesOf({
    config: { REGISTRATION: registration, PUBLIC_URL: null },
    store: {
      accounts: { query, change: (work) => (scene.steps.push('begin'), work({ query })) }
    },
    throttle: {
      fromAddress: async () => void scene.steps.push('throttle'),
      email: async (_attempt, kind) => void scene.steps.push(`throttle ${kind}`),
      confirmation: async (_token, check) => (scene.steps.push('throttle token'), check())
    },
    passwords: {
      hash: async () => (scene.steps.push('hash'), 'hash'),
      verify: async (hash, password, caller) => {
        scene.steps.push(`verify ${caller}`)
        return hash === `hash of ${password}`
      }
    },
    clock: { now: never },
    sessionTokens: { sign: never },
    mail: {
      send: ({ subject }) => {
        scene.steps.push('email')
        scene.subjects.push(subject)
      }
    }
  })
  const ask = (email: string) => {
    const body = { email, password: registered, organization_name: 'Example' }
    return register({ ...callOf(), body }, services)
  }
  const confirm = (password: string) =>
    confirmRegistration({ ...callOf(), body: { token: 'slc_x', password } }, services)
  return Object.assign(scene, { ask, confirm })
}

test('takes the same steps and responds alike for an email that has an account', async () => {
  const [scene, other] = [createScene(), createScene()]
  const answers = [await scene.ask(taken), await other.ask('grace@example.com')]
  expect(answers[0]).toEqual(answers[1])
  expect(scene.steps).toEqual(other.steps)
  expect(scene.steps.map((step) => step.split(' ')[0])).toEqual([
    'throttle',
    'hash',
    'begin',
    'with',
    'email'
  ])
  expect(scene.subjects).not.toEqual(other.subjects)
})

test('does not confirm a registration after the operator has closed registration', async () => {
  for (const registration of ['invite', 'closed'] as const) {
    const scene = createScene(registration)
    const problem = await problemOf(scene.confirm(registered))
    expect([problem.code, scene.steps]).toEqual(['registration_closed', []])
  }
})

test('checks the password of a confirmation before its transaction', async () => {
  const stepsWith = async (password: string) => {
    const scene = createScene()
    const { code } = await problemOf(scene.confirm(password))
    return [code, ...scene.steps.map((step) => (step.startsWith('select') ? 'select' : step))]
  }
  const before = ['throttle', 'select', 'throttle token', 'verify unknown']
  expect(await stepsWith('not the password')).toEqual(['login_failed', ...before])
  expect(await stepsWith(registered)).toEqual([
    ...['token_invalid', ...before, 'begin'],
    expect.stringContaining('delete from registrations')
  ])
})
