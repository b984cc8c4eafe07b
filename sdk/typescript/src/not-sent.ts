/** The line that says how many decisions an end has cost. */
export function notSent(count: number, why: string): string {
  return `sluice: ${count} ${count === 1 ? 'decision was' : 'decisions were'} not sent: ${why}`
}
