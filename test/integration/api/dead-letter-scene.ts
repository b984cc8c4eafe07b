/** Creates scenes for dead-letter records: one installation, and a tenant for each scene. */
import { randomUUID } from 'node:crypto'
import type { Decision } from '../../../core/decision/decision.ts'
import { keyOf } from '../../../core/decision/decision.ts'
import type {
  ActionResult,
  DeadLetterDetail,
  DeadLetterView
} from '../../../api/dead-letters/schemas.ts'
import { aDecision } from '../../support/builders.ts'
import type { Application } from '../../support/application.ts'
import { clientOf, createInstallation } from '../../support/installation.ts'
import type { Installation, Tenant } from '../../support/installation.ts'
import { produce, readAll } from '../../support/kafka.ts'
import type { TopicRecord } from '../../support/kafka.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createWriteDecisions } from '../cli/decisions-topic.ts'

type Page = {
  readonly data: readonly DeadLetterView[]
  readonly meta: { readonly matched: number; readonly next_cursor: string | null }
}

export type DeadLetterScene = {
  readonly sluice: Installation
  readonly tenant: Tenant
  aDecision(overrides?: Partial<Decision>): Decision
  /** Writes a dead-letter record of a decision that can be stored, or of another value. */
  deadLetter(decision: Decision, options?: DeadLetterOptions): Promise<void>
  list(query?: string): Promise<Page>
  /** Waits until there are this many records, and returns them. */
  listed(count: number, query?: string): Promise<readonly DeadLetterView[]>
  show(id: string): Promise<DeadLetterDetail>
  act(action: 'replay' | 'drop', body: object): Promise<ActionResult>
  get(path: string): Promise<{ status: number; body: Record<string, unknown> }>
  /** Reads the records of the tenant on the decisions topic. */
  written(): Promise<readonly TopicRecord[]>
  /** Kills storage. @returns a function that starts it again */
  killStorage(): Promise<() => Promise<void>>
}

type DeadLetterOptions = {
  value?: Buffer
  headers?: Record<string, string>
}

/**
 * Starts an installation with a gateway and storage.
 * @returns a function that creates a scene with its own tenant
 */
export async function createDeadLetterScenes(): Promise<() => Promise<DeadLetterScene>> {
  const sluice = await createInstallation()
  const [gateway, storage] = await Promise.all([
    sluice.start('gateway'),
    sluice.start('storage', unlimited)
  ])
  const killStorage = async () => {
    await storage.kill()
    return async () => void (await sluice.start('storage', unlimited))
  }
  return () => createScene({ sluice, gateway, killStorage })
}

type Running = Pick<DeadLetterScene, 'sluice' | 'killStorage'> & { readonly gateway: Application }

async function createScene({ sluice, gateway, killStorage }: Running): Promise<DeadLetterScene> {
  const tenant = await sluice.createTenant()
  const { encode } = await createWriteDecisions(sluice)
  const { get, login } = clientOf(gateway, tenant)
  const { body: session } = await login(tenant.email, tenant.password)
  let offset = 1_000_000

  async function list(query = ''): Promise<Page> {
    const { status, body } = await get(`/v1/dead-letters?${query}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body as unknown as Page
  }

  return {
    sluice,
    tenant,
    get,
    list,
    killStorage,
    written: async () => {
      const records = await readAll(sluice.topics.decisions)
      const { organization_id } = tenant
      return records.filter(({ headers }) => headers['organization_id'] === organization_id)
    },
    aDecision: (overrides) => aDecision({ organization_id: tenant.organization_id, ...overrides }),
    deadLetter: async (decision, { value = encode(decision), headers = {} } = {}) => {
      const { organization_id, decision_id } = decision
      const origin = { topic: sluice.topics.decisions, offset: String(offset++) }
      await produce(sluice.topics.decisionsDeadLetter, [
        {
          ...{ value, key: keyOf(decision) },
          headers: {
            ...{ organization_id, decision_id, traceparent: '00-x' },
            ...{ dead_letter_reason: 'unknown_schema', dead_letter_step: 'decode' },
            ...{ dead_letter_error: 'schema id 7 does not exist', dead_letter_partition: '0' },
            ...{ dead_letter_topic: origin.topic, dead_letter_offset: origin.offset },
            dead_letter_group: sluice.groups.storage,
            ...headers
          }
        }
      ])
    },
    listed: async (count, query = '') => {
      const page = await waitUntil(`${count} dead-letter records`, async () => {
        const read = await list(query)
        return read.meta.matched === count && read
      })
      return page.data
    },
    show: async (id) => (await get(`/v1/dead-letters/${id}`)).body as unknown as DeadLetterDetail,
    act: async (action, body) => {
      const response = await fetch(`${gateway.url}/v1/dead-letters/${action}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${String(session['access_token'])}`
        },
        body: JSON.stringify(body)
      })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${response.status} ${text}`)
      return JSON.parse(text) as ActionResult
    }
  }
}

/** Disables the dead-letter limit, because the tests send many invalid messages. */
const unlimited = { DEAD_LETTERS_MAX: '0' }

/** Returns bytes that no schema can decode. They are different each time. */
export function poison(): Buffer {
  return Buffer.from(`poison ${randomUUID()}`)
}
