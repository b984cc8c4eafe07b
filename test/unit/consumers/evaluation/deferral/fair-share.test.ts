/** Tests fairShare, which computes a max-min fair share. */
import { expect, test } from '@jest/globals'
import { fairShare } from '../../../../../consumers/evaluation/deferral/fair-share.ts'

test.each([
  { what: 'there are no demands', demands: [], share: Infinity },
  { what: 'all demands fit', demands: [10, 40, 50], share: Infinity },
  { what: 'one demands more than the total', demands: [101], share: 100 },
  { what: 'all demand the same', demands: [60, 60, 60, 60], share: 25 },
  { what: 'one leaves the rest of its part to the others', demands: [200, 10, 200], share: 45 },
  { what: 'small demands leave nearly all to a large one', demands: [1, 1, 1000, 1], share: 97 }
])('returns $share of 100 when $what', ({ demands, share }) => {
  expect(fairShare(demands, 100)).toBe(share)
})
