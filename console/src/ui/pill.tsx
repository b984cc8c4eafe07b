/** Shows a verdict or a status as a colored word. */

const tones: Readonly<Record<string, string>> = {
  pass: 'good',
  active: 'good',
  silent: 'warn',
  succeeded: 'good',
  evaluated: 'good',
  replayed: 'good',
  fail: 'bad',
  error: 'bad',
  failed: 'bad',
  expired: 'bad',
  mixed: 'warn',
  expiring: 'warn',
  partial: 'warn',
  blocked: 'warn',
  retrying: 'warn'
}

export function Pill({ word }: { readonly word: string }) {
  const tone = Object.hasOwn(tones, word) ? tones[word] : 'plain'
  return <span className={`pill ${tone}`}>{word.replaceAll('_', ' ')}</span>
}
