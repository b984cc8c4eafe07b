/** Tests sendAll: all records are sent, in requests of bounded size. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sendAll } from '../../../consumers/send-all.ts'
import { TransientError } from '../../../core/message-outcome.ts'
import { ProduceError } from '../../../platform/kafka/record-producer.ts'
import type { OutgoingRecord, RecordProducer } from '../../../platform/kafka/record-producer.ts'

const mebibyte = 1024 * 1024

function aRecord(size: number): OutgoingRecord {
  return { topic: 't', key: null, value: Buffer.alloc(size), headers: {} }
}

function aProducer(failure?: Error) {
  const requests: (readonly OutgoingRecord[])[] = []
  const producer: RecordProducer = {
    connect: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (records) => {
      if (failure !== undefined) return Promise.reject(failure)
      requests.push(records)
      return Promise.resolve()
    }
  }
  return { producer, requests }
}

test('sends every record in order, including empty ones', async () => {
  const sizes = fc.array(fc.constantFrom(0, 1, 1000, mebibyte / 2, mebibyte, 3 * mebibyte))
  await fc.assert(
    fc.asyncProperty(sizes, async (wanted) => {
      const records = wanted.map(aRecord)
      const { producer, requests } = aProducer()
      await sendAll(producer, records)
      expect(requests.flat()).toEqual(records)
      for (const request of requests.filter(({ length }) => length > 1)) {
        const bytes = request.reduce((sum, { value }) => sum + value.length, 0)
        expect(bytes).toBeLessThanOrEqual(mebibyte)
      }
    }),
    { numRuns: 50 }
  )
})

test('throws a transient error for a retryable failure, and others unchanged', async () => {
  const away = new ProduceError('away', { retryable: true, cause: null })
  await expect(sendAll(aProducer(away).producer, [aRecord(1)])).rejects.toThrow(TransientError)
  const final = new ProduceError('too large', { retryable: false, cause: null })
  await expect(sendAll(aProducer(final).producer, [aRecord(1)])).rejects.toBe(final)
})
