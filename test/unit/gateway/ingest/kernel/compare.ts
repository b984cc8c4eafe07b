/** Compares what the kernel and the parser read from the same body. */
import { Problem } from '../../../../../core/problem.ts'
import type { DecisionBatch } from '../../../../../gateway/ingest/decision-batch.ts'
import { loadKernel } from '../../../../../gateway/ingest/kernel/kernel.ts'
import type { Kernel } from '../../../../../gateway/ingest/kernel/kernel.ts'
import { BufferPool } from '../../../../../platform/process/buffer-pool.ts'
import { RecordingMetrics } from '../../../consumers/recording-metrics.ts'
import { createReaders, principal } from '../fakes.ts'

export type Format = 'single' | 'envelope' | 'lines'

/** A body, and the number of decisions that the kernel must take, if any is required. */
export type BodyCase = readonly [body: Buffer | string, format: Format, taken?: number]

/** Fills buffers that are given back, so that a test notices if they are read afterwards. */
class PoisonedPool extends BufferPool {
  override give(buffer: Buffer): void {
    super.give(buffer.fill(0xdb))
  }
}

/** What was read, and how many bodies and decisions the kernel took. */
export interface Comparison {
  compare(body: Buffer | string, format: Format): Promise<Difference | null>
  /** Returns the first difference. */
  compareAll(cases: Iterable<BodyCase>): Promise<unknown>
  readonly taken: { bodies: number; items: number }
}

interface Difference {
  readonly body: string
  readonly format: Format
  readonly parser: unknown
  readonly kernel: unknown
}

export function createComparison(kernel: Kernel = loadKernel()): Comparison {
  const pool = new PoisonedPool()
  const taken = { bodies: 0, items: 0 }
  const counting: Kernel = (...body) => {
    const reading = kernel(...body)
    if (reading === null) return null
    taken.bodies += 1
    for (let index = 0; index < reading.count; index++) {
      if (reading.placesOf(index).recordStart >= 0) taken.items += 1
    }
    return reading
  }
  const metrics = { parser: new RecordingMetrics(), kernel: new RecordingMetrics() }
  const parser = createReaders({ metrics: metrics.parser })
  const both = createReaders({ metrics: metrics.kernel, kernel: counting, pool })

  async function outcomeOf(readers: typeof parser, format: Format, body: Buffer): Promise<unknown> {
    const read = format === 'single' ? readers.readOne : readers.readBatch
    const type = format === 'lines' ? 'application/x-ndjson' : 'application/json'
    const headers = { 'content-type': type, traceparent }
    try {
      const batch = await read(body, { headers, principal, idAt: idsOf(body) })
      const seen = describeBatch(batch)
      batch.release()
      return seen
    } catch (error) {
      if (error instanceof Problem) return problemOf(error)
      throw error
    }
  }

  async function compare(body: Buffer | string, format: Format): Promise<Difference | null> {
    const bytes = Buffer.from(body)
    metrics.parser.counts.length = 0
    metrics.kernel.counts.length = 0
    const expected = [await outcomeOf(parser, format, bytes), sumsOf(metrics.parser)]
    const actual = [await outcomeOf(both, format, bytes), sumsOf(metrics.kernel)]
    if (JSON.stringify(actual) === JSON.stringify(expected)) return null
    return { body: bytes.toString('latin1'), format, parser: expected, kernel: actual }
  }

  async function compareAll(cases: Iterable<BodyCase>): Promise<unknown> {
    for (const [body, format, required] of cases) {
      const before = taken.items
      const difference = await compare(body, format)
      if (difference !== null) return difference
      const items = taken.items - before
      if (items !== (required ?? items)) return { body: String(body), format, required, items }
    }
    return null
  }

  return { taken, compare, compareAll }
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Returns ids that differ from those of most other bodies. */
function idsOf({ length }: Buffer): (index: number) => string {
  const body = length.toString(16).padStart(8, '0')
  return (index) => `${body}-5b7a-7c3e-9f00-${String(index).padStart(12, '0')}`
}

function describeBatch(batch: DecisionBatch): unknown {
  const items = batch.problems.map((problem, index) => {
    const [start, end] = [batch.starts[index] as number, batch.ends[index] as number]
    const record = batch.buffers[index]?.toString('latin1', start, end) ?? null
    const { [index]: size } = batch.sizes
    return {
      record,
      id: batch.idAt(index),
      agent: batch.agentAt(index),
      // The kernel reads the version once for a batch.
      sdk: batch.count === 1 ? batch.sdkVersionAt(0) : null,
      ...(problem === null ? {} : { problem: problemOf(problem), size })
    }
  })
  return { items, client_report: batch.client_report ?? null }
}

function problemOf({ code, options }: Problem): unknown {
  const { detail, errors, members } = options
  return { code, detail, errors, members }
}

function sumsOf({ counts }: RecordingMetrics): unknown {
  const sums = new Map<string, number>()
  for (const { name, value } of counts) sums.set(name, (sums.get(name) ?? 0) + value)
  return [...sums].filter(([, sum]) => sum > 0).toSorted()
}
