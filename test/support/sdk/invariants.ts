/** Checks the invariants that hold in every conformance case. */
import type { Members } from './conformance-case.ts'
import type { CaseRun } from './case-run.ts'
import type { SeenRequest } from './scripted-server.ts'

/** API key with a valid checksum, because an SDK may verify it. */
export const apiKey = 'slk_test_0123456789ab_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef4OarZz'
const keySecret = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef'
/** Marks payloads that an SDK must not print. */
const payloadMark = 'PRIVATE-PAYLOAD'
const openMax = 2
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const members = new Set([
  ...['decision_id', 'input', 'output', 'agent_id', 'session_id', 'domain', 'metadata'],
  ...['input_tokens', 'output_tokens', 'sdk_version']
])

/** Checks that `logged = sent + dropped + sampled_out + pending`. */
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
    ...ids.filter((id) => !uuid.test(id)).map((id) => `${id} is not an id`),
    ...(new Set(ids).size === ids.length ? [] : ['an id is duplicated']),
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
  // The default applies if the option is missing or invalid.
  const most = Number(options['batch_max_items'] || 50)
  const mostBytes = Number(options['batch_max_bytes'] || 524_288)
  const isTooLong = items.length > 1 && bytes > mostBytes + envelopeBytes
  const isEmpty = bytes > 0 && items.length === 0 && client_report === null
  return [
    ...(items.length > most ? [`the request has ${items.length} items`] : []),
    ...(isTooLong ? [`the ${items.length} items of the request have ${bytes} bytes`] : []),
    ...(isEmpty ? ['the request has neither items nor a report'] : [])
  ]
}

/** Maximum number of bytes in a batch besides the decisions, including the client report. */
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

/**
 * Checks that retries of a batch contain the same decisions and have increasing attempt numbers.
 */
function faultsOfBatches(requests: readonly SeenRequest[]): string[] {
  const last = new Map<string, { attempt: number; ids: string }>()
  return requests.flatMap(({ headers, items, bytes }) => {
    const batch = String(headers['x-batch-id'])
    const attempt = Number(headers['x-attempt'])
    const before = last.get(batch)
    const isUnread = bytes === 0
    const ids = isUnread ? (before?.ids ?? '') : items.map((item) => item.decision_id).join()
    last.set(batch, { attempt, ids })
    // Earlier attempts may not have reached the server.
    if (before === undefined) return []
    if (attempt <= before.attempt) return [`batch ${batch} repeats attempt ${attempt}`]
    const isSame = before.ids === '' || ids === before.ids
    return isSame ? [] : [`batch ${batch} has other decisions than before`]
  })
}

/** Checks that every stored decision was logged, and that ids generated by the SDK are UUIDv7. */
function faultsOfHeld({ server, ids, case: { steps }, isUnanswered }: CaseRun): string[] {
  const logged = new Set(isUnanswered ? [...ids, ...server.held.keys()] : ids)
  const own = JSON.stringify(steps)
  return [
    ...(logged.size === 0 ? [] : [...server.held.keys()].filter((id) => !logged.has(id))).map(
      (id) => `${id} is stored but was never logged`
    ),
    ...ids
      .filter((id) => !uuidV7.test(id) && !own.toLowerCase().includes(id))
      .map((id) => `${id} is not a UUIDv7`)
  ]
}
