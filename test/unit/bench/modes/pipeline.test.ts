/** Tests the figures that --pipeline computes from several measurements. */
import { expect, test } from '@jest/globals'
import { figuresOf } from '../../../../bench/modes/pipeline.ts'
import { mapParts } from '../../../../bench/system/whole-system.ts'

function turnOf(seconds: number, waits_ms: readonly number[]) {
  const relations = [
    { name: 'decisions', kind: 'table', bytes: 1000 },
    { name: 'decisions_pkey', kind: 'index', bytes: 80 }
  ] as const
  return {
    accepted: 6000,
    seconds,
    cpu: mapParts((part) => (part === 'gateway' ? 1000 : seconds)),
    kept: { decisions: 6500, relations, topics: {}, wal: 100 * seconds },
    evaluation_us: 10 * seconds,
    waits_ms,
    lost: 0
  }
}

test('computes medians and combines the waits of all measurements', () => {
  expect(figuresOf([turnOf(6, [100, 200]), turnOf(2, [300]), turnOf(3, [50, 2500])])).toEqual({
    cpu_us: 18,
    decisions_per_second: 2000,
    postgres_bytes: 1080,
    wal_bytes: 300,
    wait_p50_s: 0.2,
    wait_max_s: 2.5,
    evaluation_us: 30
  })
})
