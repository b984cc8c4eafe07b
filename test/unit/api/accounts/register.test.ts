/** The cost of a registration; test/integration/api/registration.test.ts covers the rest. */
import { expect, test } from '@jest/globals'
import { createRegister } from '../../../../api/accounts/register.ts'
import type { AccountStore } from '../../../../api/store.ts'
import { checkedCallOf, problemOf } from '../fakes.ts'

const taken = 'ada@example.com'
const registered = 'correct horse battery'
const never = () => Promise.reject(new Error('never called'))

function createScene(registration: 'open' | 'invite' | 'closed' = 'open') {
  const scene = { steps: [] as string[], subjects: [] as string[] }
  const query: AccountStore['query'] = async <R>(text: string, values: readonly unknown[] = []) => {
    scene.steps.push(text)
    if (text.includes('password_hash from registrations')) {
      return [{ password_hash: `hash of ${registered}` }] as R[]
    }
    return (values.includes(taken) ? [{}] : []) as R[]
  }
  const { register, confirmRegistration } = createRegister({
    ...{ registration, publicUrl: null },
    accounts: { query, change: (work) => (scene.steps.push('begin'), work({ query })) },
    throttle: {
      fromAddress: async () => void scene.steps.push('throttle'),
      letter: async (_attempt, kind) => void scene.steps.push(`throttle ${kind}`),
      confirmation: async (_token, check) => (scene.steps.push('throttle token'), check())
    },
    passwords: {
      hash: async () => (scene.steps.push('hash'), 'hash'),
      verify: async (hash, password, caller) => {
        scene.steps.push(`verify ${caller}`)
        return hash === `hash of ${password}`
      }
    },
    ...{ createPerson: never, beginSession: never, answerSession: () => never() as never },
    mail: {
      send: ({ subject }) => {
        scene.steps.push('email')
        scene.subjects.push(subject)
      }
    }
  })
  const ask = (email: string) =>
    register(
      checkedCallOf(null, {
        body: { email, password: registered, organization_name: 'Example' }
      })
    )
  return Object.assign(scene, { ask, register, confirmRegistration })
}

test('a taken email costs the same statements, hash and email, and is answered alike', async () => {
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

test('a registration is not confirmed after the operator has closed registrations', async () => {
  for (const registration of ['invite', 'closed'] as const) {
    const scene = createScene(registration)
    const call = checkedCallOf(null, { body: { token: 'slc_x', password: registered } })
    const problem = await problemOf(scene.confirmRegistration(call))
    expect([problem.code, scene.steps]).toEqual(['registration_closed', []])
  }
})

test('a confirmation checks the password before its transaction, as a stranger', async () => {
  const stepsWith = async (password: string) => {
    const scene = createScene()
    const call = checkedCallOf(null, { body: { token: 'slc_x', password } })
    const { code } = await problemOf(scene.confirmRegistration(call))
    return [code, ...scene.steps.map((step) => (step.startsWith('select') ? 'select' : step))]
  }
  const before = ['throttle', 'select', 'throttle token', 'verify stranger']
  expect(await stepsWith('not the password')).toEqual(['login_failed', ...before])
  expect(await stepsWith(registered)).toEqual([
    ...['token_invalid', ...before, 'begin'],
    expect.stringContaining('delete from registrations')
  ])
})
