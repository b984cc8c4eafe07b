/** Runs the kernel: reads the decisions of a body and writes their records, if it is certain that
 * they are valid. kernel.as.ts is its source; `npm run kernel` compiles it.
 */
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Decision } from '../../../core/decision/decision.ts'
import type { BufferPool } from '../../../platform/process/buffer-pool.ts'
import { decisionBodySchema } from '../../../schemas/index.ts'

/** Forms of a body, as the kernel numbers them. */
const forms = { envelope: 0, lines: 1, one: 2 } as const
export type Form = keyof typeof forms

/** What the record of each decision has in common. */
export interface RecordFrame {
  /** First bytes of the value, up to `input`, with any decision_id. */
  readonly prefix: Buffer
  /** Last bytes of the record: its headers, with any decision_id. */
  readonly suffix: Buffer
  /** Writes the decision_id of an item that names none. */
  readonly writeId: (index: number, target: Buffer, at: number) => void
}

/** Places of one item, in the body and in the records: eight numbers in the kernel's memory. */
export interface ItemPlaces {
  readonly start: number
  readonly end: number
  /** -1 if the parser has to read the item. */
  readonly recordStart: number
  readonly recordEnd: number
  /** 1 if the key of the record is the agent_id, otherwise 0. */
  readonly hasAgent: number
  readonly unknownMembers: number
  /** The sdk_version; empty if there is none. */
  readonly sdkStart: number
  readonly sdkEnd: number
}

/** What the kernel read. */
export interface Reading {
  readonly count: number
  /** Number of bytes of the values of all records. */
  readonly valueBytes: number
  /** Copies the records to a buffer from `pool`. Valid until the kernel reads the next body. */
  copyRecords(pool: BufferPool): Buffer
  /** Returns the places of an item. Valid until the kernel reads the next body. */
  placesOf(index: number): ItemPlaces
  /** Returns what the kernel read around the items. Valid until it reads the next body. */
  envelope(): Envelope
}

/** Place of the array of decisions in an envelope, and the number of the envelope's members. */
interface Envelope {
  readonly arrayStart: number
  readonly arrayEnd: number
  readonly memberCount: number
}

/** Bodies above this size in bytes are left to the parser, so that the kernel's memory is fixed. */
const kernelBytesMax = 1024 * 1024
/** Zero bytes after the body, at which every loop of the kernel ends. */
const zeroBytes = 32
const rowNumbers = 8
const prefixBytesMax = 128
const suffixBytesMax = 256
const nameBytesMax = 16
/** Members in the order in which the kernel numbers them. */
const members = [
  'input',
  'output',
  'agent_id',
  'session_id',
  'domain',
  'metadata',
  'input_tokens',
  'output_tokens',
  'sdk_version',
  'decision_id'
] as const satisfies (keyof Decision)[]

/** A part of the global WebAssembly, which the types of Node do not declare as a value. */
interface Wasm {
  Module: new (bytes: Buffer) => object
  Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** Exports of kernel.as.ts that are numbers: places in its memory, and what it read. */
type NumberExport =
  | 'names'
  | 'lengthsMax'
  | 'rows'
  | 'prefix'
  | 'suffix'
  | 'bodyAt'
  | 'recordsAt'
  | 'recordsEnd'
  | 'arrayStart'
  | 'arrayEnd'
  | 'memberCount'
  | 'valueBytes'

interface KernelExports extends Readonly<Record<NumberExport, { readonly value: number }>> {
  readonly memory: { readonly buffer: ArrayBuffer }
  read(bytes: number, form: number, prefixBytes: number, suffixBytes: number): number
  /** Returns 1 if the body is one JSON value, 0 if the parser has to read it. */
  isValue(bytes: number): number
}

/**
 * Reads a body, which must be UTF-8. Returns null if the parser has to read it. Not reentrant.
 */
export type Kernel = (body: Buffer, form: Form, frame: RecordFrame) => Reading | null

/** Loads the kernel from a file, by default the one in this folder. Instances share nothing. */
export function loadKernel(file = 'kernel.wasm'): Kernel {
  let frameOfBody: RecordFrame
  const writeId = (at: number, index: number) => frameOfBody.writeId(index, memory, at)
  const kernel = instantiate(file, writeId)
  const memory = Buffer.from(kernel.memory.buffer)
  const rows = new Int32Array(kernel.memory.buffer, kernel.rows.value)
  const bodyAt = kernel.bodyAt.value
  const prefixAt = kernel.prefix.value
  const suffixAt = kernel.suffix.value
  writeTables(kernel, memory)

  return function read(body, form, frame) {
    const { prefix, suffix } = frame
    if (body.length > kernelBytesMax || !isUtf8(body)) return null
    if (prefix.length > prefixBytesMax || suffix.length > suffixBytesMax) return null
    prefix.copy(memory, prefixAt)
    suffix.copy(memory, suffixAt)
    body.copy(memory, bodyAt)
    memory.fill(0, bodyAt + body.length, bodyAt + body.length + zeroBytes)
    frameOfBody = frame
    const count = kernel.read(body.length, forms[form], prefix.length, suffix.length)
    if (count < 0) return null
    return {
      count,
      copyRecords: (pool) => {
        const [from, to] = [kernel.recordsAt.value, kernel.recordsEnd.value]
        const slab = pool.take(to - from)
        memory.copy(slab, 0, from, to)
        return slab
      },
      valueBytes: kernel.valueBytes.value,
      placesOf: (index) => placesIn(rows, index * rowNumbers),
      envelope: () => ({
        arrayStart: kernel.arrayStart.value,
        arrayEnd: kernel.arrayEnd.value,
        memberCount: kernel.memberCount.value
      })
    }
  }
}

function instantiate(file: string, writeId: (at: number, index: number) => void): KernelExports {
  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: Wasm }
  const module = new wasm.Module(readFileSync(resolve(import.meta.dirname, file)))
  return new wasm.Instance(module, { 'kernel.as': { writeId } }).exports as KernelExports
}

/** Loads a check whether UTF-8 is certainly JSON. It takes a tenth of the time of parsing. */
export function loadIsJson(file = 'kernel.wasm'): (text: Buffer) => boolean {
  const kernel = instantiate(file, () => {})
  const memory = Buffer.from(kernel.memory.buffer)
  const bodyAt = kernel.bodyAt.value

  return function isJson(text) {
    if (text.length > kernelBytesMax) return false
    text.copy(memory, bodyAt)
    return kernel.isValue(text.length) === 1
  }
}

function placesIn(rows: Int32Array, at: number): ItemPlaces {
  return {
    start: rows[at] as number,
    end: rows[at + 1] as number,
    recordStart: rows[at + 2] as number,
    recordEnd: rows[at + 3] as number,
    hasAgent: rows[at + 4] as number,
    unknownMembers: rows[at + 5] as number,
    sdkStart: rows[at + 6] as number,
    sdkEnd: rows[at + 7] as number
  }
}

/** Writes the names of the members and the maximum lengths of their texts, from the schema. */
function writeTables(kernel: KernelExports, memory: Buffer): void {
  const schemas = decisionBodySchema['properties'] as Record<string, { maxLength?: number }>
  for (const [index, name] of members.entries()) {
    const at = kernel.names.value + index * nameBytesMax
    memory[at] = name.length
    memory.write(name, at + 1, 'latin1')
    memory.writeInt32LE(schemas[name]?.maxLength ?? 0, kernel.lengthsMax.value + index * 4)
  }
}
