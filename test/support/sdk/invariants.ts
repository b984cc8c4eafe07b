/** What holds in every case of sdk/conformance, whatever the case is about. */
import type { Members } from './conformance-case.ts'
import type { CaseRun } from './case-run.ts'
import type { SeenRequest } from './scripted-server.ts'

/** A key whose checksum is right, so that an SDK that checks it has nothing to say. */
export const apiKey = 'slk_test_0123456789ab_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef4OarZz'
const keySecret = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef'
/** What a case writes in payloads that must be shown nowhere. */
const payloadMark = 'PRIVATE-PAYLOAD'
const openMax = 2
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const members = new Set([
  ...['decision_id', 'input', 'output', 'agent_id', 'session_id', 'domain', 'metadata'],
  ...['input_tokens', 'output_tokens', 'sdk_version']
])

/** `logged = sent + dropped + sampled_out + pending`, at every moment. */
export function identityFaultsOf(stats: Members): string[] {
  const { logged, sent, dropped, sampled_out, pending } = stats
  const drops = Object.values((dropped ?? {}) as Record<string, number>)
  const sum = [sent, sampled_out, pending, ...drops].reduce((a: number, b) => a + Number(b), 0)
  return sum === logged ? [] : [`the stats do not add up: ${JSON.stringify(stats)}`]
}

export function findInvariantFaults(run: CaseRun): string[] {
  const { server, driver, ids } = run
  const said = driver.stderr()
  return [
    ...server.requests.flatMap((seen, index) =>
      faultsOfRequest(seen, run).map((fault) => `request ${index + 1}: ${fault}`)
    ),
    ...faultsOfBatches(server.requests),
    ...(server.openMax() > openMax ? [`${server.openMax()} requests were open at a time`] : []),
    ...(said.includes(keySecret) ? ['the key was written to stderr'] : []),
    ...(said.includes(payloadMark) ? ['a payload was written to stderr'] : []),
    ...ids.filter((id) => !uuid.test(id)).map((id) => `${id} is no id`),
    ...(new Set(ids).size === ids.length ? [] : ['an id was given twice']),
    ...faultsOfHeld(run)
  ]
}

function faultsOfRequest(seen: SeenRequest, { sdk, case: { options = {} } }: CaseRun): string[] {
  return [
    ...seen.faults,
    ...faultsOfHeaders(seen, sdk),
    ...faultsOfSize(seen, options),
    ...seen.items.flatMap(({ text }) => faultsOfDecision(text, sdk))
  ]
}

function faultsOfHeaders({ headers }: SeenRequest, sdk: string): string[] {
  const expected: readonly [string, RegExp][] = [
    ['content-type', /^application\/json(;|$)/],
    ['authorization', /^Bearer slk_\S+$/],
    ['x-sluice-sdk', new RegExp(`^${sdk}/\\d+\\.\\d+\\.\\d+$`)],
    ['x-batch-id', uuid],
    ['x-attempt', /^[1-9]\d*$/]
  ]
  return expected.flatMap(([name, form]) => {
    const value = String(headers[name])
    return form.test(value) ? [] : [`${name} is ${value}`]
  })
}

function faultsOfSize({ items, bytes, client_report }: SeenRequest, options: Members): string[] {
  // A wrong value is no value: then the default holds.
  const most = Number(options['batch_max_items'] || 50)
  const mostBytes = Number(options['batch_max_bytes'] || 524_288)
  const isTooLong = items.length > 1 && bytes > mostBytes + envelopeBytes
  const isEmpty = bytes > 0 && items.length === 0 && client_report === null
  return [
    ...(items.length > most ? [`it has ${items.length} items`] : []),
    ...(isTooLong ? [`its ${items.length} items have ${bytes} bytes`] : []),
    ...(isEmpty ? ['it has neither items nor a report'] : [])
  ]
}

/** What stands around the decisions of a batch, the report among it. */
const envelopeBytes = 1024

function faultsOfDecision(text: string, sdk: string): string[] {
  const decision = JSON.parse(text) as Record<string, unknown>
  const unknown = Object.keys(decision).filter((name) => !members.has(name))
  const version = String(decision['sdk_version'])
  return [
    ...(uuid.test(String(decision['decision_id'])) ? [] : [`${text} has no id`]),
    ...('input' in decision && typeof decision['output'] === 'string' ? [] : [`${text} lacks`]),
    ...(version.startsWith(`${sdk}/`) ? [] : [`sdk_version is ${version}`]),
    ...unknown.map((name) => `a decision has ${name}`)
  ]
}

/** The same batch is the same decisions, and counts its attempts. */
function faultsOfBatches(requests: readonly SeenRequest[]): string[] {
  const last = new Map<string, { attempt: number; ids: string }>()
  return requests.flatMap(({ headers, items, bytes }) => {
    const batch = String(headers['x-batch-id'])
    const attempt = Number(headers['x-attempt'])
    const before = last.get(batch)
    const isUnread = bytes === 0
    const ids = isUnread ? (before?.ids ?? '') : items.map((item) => item.decision_id).join()
    last.set(batch, { attempt, ids })
    // The first that is seen need not be the first that was tried.
    if (before === undefined) return []
    if (attempt <= before.attempt) return [`batch ${batch} has attempt ${attempt} again`]
    const isSame = before.ids === '' || ids === before.ids
    return isSame ? [] : [`batch ${batch} came with other decisions`]
  })
}

/** Nothing is held that was never logged. Ids that were not given by the case are UUIDv7. */
function faultsOfHeld({ server, ids, case: { steps }, isUnanswered }: CaseRun): string[] {
  const logged = new Set(isUnanswered ? [...ids, ...server.held.keys()] : ids)
  const own = JSON.stringify(steps)
  return [
    ...(logged.size === 0 ? [] : [...server.held.keys()].filter((id) => !logged.has(id))).map(
      (id) => `${id} is held and was never logged`
    ),
    ...ids
      .filter((id) => !uuidV7.test(id) && !own.toLowerCase().includes(id))
      .map((id) => `${id} is no UUIDv7`)
  ]
}
