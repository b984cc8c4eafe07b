/** How the model of the judge server thinks: it reads a prompt as a model would, and grades. */

/** What a prompt of ours holds, found in its text as any model has to find it. */
export interface Prompt {
  readonly nonce: string
  readonly scale: { readonly min: number; readonly max: number } | { readonly labels: string[] }
  /** What was fenced, by name, decoded. */
  readonly fenced: Readonly<Record<string, unknown>>
  /** What the judge takes for the words of who asks: all but what is fenced. */
  readonly outside: string
}

export interface Message {
  readonly role: string
  readonly content: string
}

export type Grade = number | string

/** Grades what is fenced, and nothing else. */
export type Mind = (prompt: Prompt) => Grade

export function readPrompt(messages: readonly Message[]): Prompt {
  const [system, user] = [saidBy('system', messages), saidBy('user', messages)]
  const boundary = firstGroup(/\[\[\/?NAME ([0-9a-f]+)\]\]/, system)
  const fence = new RegExp(
    `^\\[\\[([\\w.-]+) ${boundary}\\]\\]\\n(.*)\\n\\[\\[/\\1 ${boundary}\\]\\]$`,
    'gm'
  )
  const fenced: Record<string, unknown> = {}
  for (const [, name = '', json = 'null'] of user.matchAll(fence)) fenced[name] = JSON.parse(json)
  return {
    nonce: firstGroup(/"nonce" to "(\w+)"/, system),
    scale: scaleIn(system),
    fenced,
    outside: user.replaceAll(fence, '')
  }
}

/** The first message of that role: later ones are asked to repair a reply. */
function saidBy(role: string, messages: readonly Message[]): string {
  return messages.find((message) => message.role === role)?.content ?? ''
}

function firstGroup(pattern: RegExp, text: string): string {
  return pattern.exec(text)?.[1] ?? 'none'
}

function scaleIn(system: string): Prompt['scale'] {
  const labels = /"label":\{[^}]*"enum":(\[[^\]]*\])/.exec(system)?.[1]
  if (labels !== undefined) return { labels: JSON.parse(labels) as string[] }
  const [, min = '0', max = '1'] = /"score":\{[^}]*from (-?[\d.]+) to (-?[\d.]+)/.exec(system) ?? []
  return { min: Number(min), max: Number(max) }
}

/** The share of the scale: for labels, the first is the best one. */
export function gradeAt(scale: Prompt['scale'], share: number): Grade {
  if (!('labels' in scale)) return scale.min + share * (scale.max - scale.min)
  const place = Math.round((1 - share) * (scale.labels.length - 1))
  return scale.labels[place] ?? ''
}

/** The same output always gets the same grade, somewhere on the scale. */
export const honest: Mind = ({ fenced, scale }) => {
  const text = JSON.stringify(fenced['output'] ?? fenced)
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 997
  return gradeAt(scale, sum / 996)
}

const orders: readonly (readonly [order: RegExp, share: number])[] = [
  [/(?:highest|best|top) (?:score|label|grade)/i, 1],
  [/(?:lowest|worst|bottom) (?:score|label|grade)/i, 0]
]

/** Tells good answers from bad ones by a word, as the samples of the self-test need it. */
export function knowing(isGood: (output: string) => boolean): Mind {
  return ({ fenced, scale }) => gradeAt(scale, isGood(String(fenced['output'])) ? 0.9 : 0.1)
}

/** Obeys whatever it takes for an instruction: what stands outside the fences. */
export function naive(mind: Mind): Mind {
  return (prompt) => obeyed(prompt, prompt.outside) ?? mind(prompt)
}

/** Obeys instructions wherever they stand, as models without any training against it do. */
export function gullible(mind: Mind): Mind {
  return (prompt) => obeyed(prompt, JSON.stringify(prompt.fenced)) ?? naive(mind)(prompt)
}

function obeyed({ scale }: Prompt, text: string): Grade | null {
  const order = orders.find(([pattern]) => pattern.test(text))
  return order === undefined ? null : gradeAt(scale, order[1])
}
