/** Sends bodies to a gateway as bytes and reads the decisions back as bytes. */
import type { Application } from '../application.ts'
import { clientOf } from '../installation.ts'
import type { Installation, Tenant } from '../installation.ts'
import { waitUntilConsumed } from '../kafka.ts'

export type Answer = {
  readonly status: number
  /** Of the decision when it was taken, else null. */
  readonly decision_id: string | null
  /** The problem's members when it was refused. */
  readonly problem: Readonly<Record<string, unknown>>
}

/** What became of a body: refused, or taken and read back. */
export type Outcome = Answer & {
  /** The bytes of the answer of `GET /v1/decisions/{decision_id}`, or null when refused. */
  readonly read: Buffer | null
}

export type Exchange = {
  send(body: Buffer | string): Promise<Answer>
  /** Sends all, waits until they are stored, and reads each that was taken. In order. */
  exchange(bodies: readonly (Buffer | string)[]): Promise<Outcome[]>
  /** How many were answered 202 so far. */
  taken(): number
}

export type ExchangeOptions = { sluice: Installation; tenant: Tenant; gateway: Application }

const inParallelMax = 32

export function createExchange({ sluice, tenant, gateway }: ExchangeOptions): Exchange {
  let session: Promise<string> | undefined
  let taken = 0

  async function logIn(): Promise<string> {
    const { body } = await clientOf(gateway, tenant).login(tenant.email, tenant.password)
    return String(body['access_token'])
  }

  async function send(body: Buffer | string): Promise<Answer> {
    const answer = await fetch(`${gateway.url}/v1/ingest`, {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers: { authorization: `Bearer ${tenant.api_key}`, 'content-type': 'application/json' }
    })
    const members = (await answer.json()) as Record<string, unknown>
    const wasTaken = answer.status === 202
    if (wasTaken) taken += 1
    return {
      status: answer.status,
      decision_id: wasTaken ? String(members['decision_id']) : null,
      problem: wasTaken ? {} : members
    }
  }

  async function read(decisionId: string): Promise<Buffer> {
    const answer = await fetch(`${gateway.url}/v1/decisions/${decisionId}`, {
      headers: { authorization: `Bearer ${await (session ??= logIn())}` }
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.status !== 200)
      throw new Error(`${decisionId} was taken, and reads as ${bytes.toString()}`)
    return bytes
  }

  return {
    send,
    taken: () => taken,
    exchange: async (bodies) => {
      const answers = await mapInParallel(bodies, send)
      await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
      return await mapInParallel(answers, async (answer) => ({
        ...answer,
        read: answer.decision_id === null ? null : await read(answer.decision_id)
      }))
    }
  }
}

/** As `Promise.all` over a map, with so many under way at a time. */
async function mapInParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>
): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: inParallelMax }, worker))
  return results
}
