/** The XOR of two UUIDs: with one of the two it gives the other. */

/** The groups of hex digits between the hyphens, none longer than a safe integer's 32 bits. */
const groups = [
  [0, 8],
  [9, 13],
  [14, 18],
  [19, 23],
  [24, 28],
  [28, 36]
] as const

/** Both in lower case, as is the result. */
export function xorIds(one: string, other: string): string {
  const [a, b, c, d, e, f] = groups.map(([from, to]) => {
    const bits = digitsAt(one, from, to) ^ digitsAt(other, from, to)
    return (bits >>> 0).toString(16).padStart(to - from, '0')
  })
  return `${a}-${b}-${c}-${d}-${e}${f}`
}

function digitsAt(id: string, from: number, to: number): number {
  return Number.parseInt(id.slice(from, to), 16)
}
