/** Reads the decisions of a request: parses, validates and encodes them.
 *
 * The kernel reads what is certainly valid, in one pass over the bytes. Everything else takes the
 * steps parse, validate and encode, which alone reject anything.
 */
import { isLong, runSteps } from '../../core/json/steps.ts'
import type { Steps } from '../../core/json/steps.ts'
import { Problem } from '../../core/problem.ts'
import { requireJson, requireJsonOrLines } from '../../http/body/require-json.ts'
import { runStepsYielding, yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import type { IngestRequest } from './attempt.ts'
import { DecisionBatch } from './decision-batch.ts'
import type { Encoder } from './encode.ts'
import type { ReadCertain } from './kernel/read-certain.ts'
import { itemSteps, lineSteps, parseBatchSteps } from './parse-batch.ts'
import type { Item } from './parse-batch.ts'
import { parse, parseSteps } from './parse.ts'
import type { Submission } from './parse.ts'
import { idOf } from './validate.ts'
import type { Validate } from './validate.ts'

/**
 * Reads a body. Yields to the event loop while it parses a long one.
 * @throws {Problem} if the request as a whole is invalid
 */
export type ReadDecisions = (body: Buffer, request: IngestRequest) => Promise<DecisionBatch>

interface ReadDecisionsDependencies {
  readonly readCertain: ReadCertain
  readonly validate: Validate
  readonly encoder: Encoder
}

interface ParsedItem {
  readonly index: number
  readonly item: Item<Submission>
  readonly size: number
}

export function createReadDecisions(dependencies: ReadDecisionsDependencies) {
  const { readCertain, validate, encoder } = dependencies

  /** Validates and encodes a parsed item. */
  function take(batch: DecisionBatch, { index, item, size }: ParsedItem, from: IngestRequest) {
    if (item instanceof Problem) {
      batch.parsed(index, null, size)
      return batch.reject(index, item, from.idAt(index))
    }
    batch.parsed(index, item, size)
    let id = idOf(item) ?? from.idAt(index)
    try {
      const decision = validate(item, from.principal, id)
      id = decision.decision_id
      batch.accept(index, encoder.encode(decision, traceparentOf(from, index)))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      batch.reject(index, error, id)
    }
  }

  /** Reads a body of one decision. */
  const readOne: ReadDecisions = async (body, request) => {
    const contentType = request.headers['content-type']
    requireJson(contentType)
    const certain = readCertain(body, 'one', request)
    if (certain !== null) return certain.batch
    const item = isLong(body)
      ? await runStepsYielding(parseSteps(contentType, body))
      : parse(contentType, body)
    const batch = new DecisionBatch({ count: 1 })
    take(batch, { index: 0, item, size: body.length }, request)
    return batch
  }

  const readBatch: ReadDecisions = async (body, request) => {
    const contentType = request.headers['content-type']
    const form = requireJsonOrLines(contentType) === 'lines' ? 'lines' : 'envelope'
    const certain = readCertain(body, form, request)
    if (certain !== null) {
      for (const { index, bytes } of certain.unread) {
        if (isLong(body)) await yieldToEventLoop()
        const parsed = await run(bytes, form === 'lines' ? lineSteps(bytes) : itemSteps(bytes))
        take(certain.batch, { index, ...parsed }, request)
      }
      return certain.batch
    }
    const { items, sizes, client_report } = await run(body, parseBatchSteps(contentType, body))
    const batch = new DecisionBatch({ count: items.length, client_report })
    for (const [index, item] of items.entries()) {
      if (isLong(body)) await yieldToEventLoop()
      take(batch, { index, item, size: sizes[index] as number }, request)
    }
    return batch
  }

  return { readOne, readBatch }
}

function traceparentOf({ headers, traceparentAt }: IngestRequest, index: number) {
  return traceparentAt?.(index) ?? headers['traceparent']
}

/** Runs steps on a text, and yields to the event loop between them if the text is long. */
function run<T>(text: { readonly length: number }, steps: Steps<T>): T | Promise<T> {
  return isLong(text) ? runStepsYielding(steps) : runSteps(steps)
}
