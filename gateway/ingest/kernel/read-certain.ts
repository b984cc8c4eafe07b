/** Reads a body with the kernel. Items that are not certainly valid are left to the parser. */
import type { Clock } from '../../../core/clock.ts'
import { writeUuidv7 } from '../../../core/ids/ids.ts'
import { Problem } from '../../../core/problem.ts'
import type { BufferPool } from '../../../platform/process/buffer-pool.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { IngestRequest } from '../attempt.ts'
import { DecisionBatch } from '../decision-batch.ts'
import type { Encoder } from '../encode.ts'
import { envelopeCharactersMax, parseBatch } from '../parse-batch.ts'
import type { Form, Kernel, Reading, RecordFrame } from './kernel.ts'

/** Returns null if the parser has to read the whole body. */
export type ReadCertain = (body: Buffer, form: Form, request: IngestRequest) => CertainBatch | null

/** A batch that the kernel read, and the items that are left to the parser. */
interface CertainBatch {
  readonly batch: DecisionBatch
  readonly unread: readonly Unread[]
}

interface Unread {
  readonly index: number
  readonly bytes: Buffer
}

interface ReadCertainDependencies {
  readonly kernel: Kernel
  /** Provides the slabs of the records. */
  readonly pool: BufferPool
  readonly encoder: Pick<Encoder, 'frameOf'>
  readonly clock: Clock
  readonly metrics: Metrics
}

export function createReadCertain(dependencies: ReadCertainDependencies): ReadCertain {
  const { kernel, pool, encoder, clock, metrics } = dependencies
  const countBytes = metrics.counter('sluice_ingest_body_bytes_total', { stage: 'encoded' })

  return function readCertain(body, form, { principal, headers, idAt, traceparentAt }) {
    const { organization_id } = principal
    const received_at = clock.now()
    const traceparent = traceparentAt?.(0) ?? headers['traceparent']
    const frame = encoder.frameOf({ organization_id, received_at }, traceparent)
    if (frame === null) return null
    const reading = kernel(body, form, { ...frame, writeId: createWriteId(idAt, received_at) })
    const report = reading === null ? null : clientReportOf(body, form, reading)
    if (reading === null || report === null) return null
    const { count } = reading
    const batch = new DecisionBatch({ ...report, count, pool, slab: reading.copyRecords(pool) })
    const unread: Unread[] = []
    let unknown = 0
    for (let at = 0; at < count; at++) {
      const row = reading.placesOf(at)
      if (row.recordStart < 0) {
        unread.push({ index: at, bytes: body.subarray(row.start, row.end) })
        continue
      }
      batch.noteRead(at, row)
      unknown += row.unknownMembers
    }
    writeTraceparents(batch, traceparentAt)
    if (unknown > 0) metrics.count('sluice_ingest_unknown_members_total', {}, unknown)
    countBytes(reading.valueBytes)
    return { batch, unread }
  }
}

const traceparentBytes = 55

/** Writes the given id of an item, or a new one. */
function createWriteId(idAt: IngestRequest['idAt'], timestamp: number): RecordFrame['writeId'] {
  return (index, target, at) => {
    const id = idAt(index)
    if (id === null) writeUuidv7(timestamp, target, at)
    else target.write(id, at, 'latin1')
  }
}

/** Replaces the traceparent of each record, its last header, if each decision has its own. */
function writeTraceparents(batch: DecisionBatch, traceparentAt: IngestRequest['traceparentAt']) {
  if (traceparentAt === undefined) return
  for (const [index, buffer] of batch.buffers.entries()) {
    const at = (batch.ends[index] as number) - traceparentBytes
    buffer?.write(traceparentAt(index), at, 'latin1')
  }
}

/**
 * Parses an envelope without its items. Returns null if the parser has to reject the body. In most
 * envelopes, the array of items is the only member.
 */
function clientReportOf(body: Buffer, form: Form, reading: Reading) {
  if (form !== 'envelope') return {}
  const { arrayStart, arrayEnd, memberCount } = reading.envelope()
  if (body.length - (arrayEnd - arrayStart) > envelopeCharactersMax) return null
  if (memberCount === 1) return {}
  const rest = [body.subarray(0, arrayStart), oneItem, body.subarray(arrayEnd)]
  try {
    const { client_report } = parseBatch('application/json', Buffer.concat(rest))
    return { client_report }
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

/** Stands for the items, because an envelope needs one. */
const oneItem = Buffer.from('[0]')
