/** Formats the stderr line that says how many decisions were not sent, and why. */
export function formatNotSent(count: number, why: string): string {
  return `sluice: ${count} ${count === 1 ? 'decision was' : 'decisions were'} not sent: ${why}`
}
