/** Simulates LLM judges: models that read a judge prompt and return a grade. */

/** Judge prompt, parsed from its text. */
export interface Prompt {
  readonly nonce: string
  readonly scale: { readonly min: number; readonly max: number } | { readonly labels: string[] }
  /** Decoded contents of the fenced sections, by name. */
  readonly fenced: Readonly<Record<string, unknown>>
  /** Text outside the fenced sections. */
  readonly outside: string
}

export interface Message {
  readonly role: string
  readonly content: string
}

export type Grade = number | string

export type GradingModel = (prompt: Prompt) => Grade

export function readPrompt(messages: readonly Message[]): Prompt {
  const [system, user] = [textOfRole('system', messages), textOfRole('user', messages)]
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

/**
 * Returns the first message with the role. Later messages only ask the model to correct its reply.
 */
function textOfRole(role: string, messages: readonly Message[]): string {
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

/**
 * Returns the grade at a fraction of the scale, from 0 (worst) to 1 (best). The first label is the
 * best.
 */
function gradeAt(scale: Prompt['scale'], share: number): Grade {
  if (!('labels' in scale)) return scale.min + share * (scale.max - scale.min)
  const place = Math.round((1 - share) * (scale.labels.length - 1))
  return scale.labels[place] ?? ''
}

/**
 * Derives the grade from a hash of the output, so that the same output always gets the same grade.
 */
export const honest: GradingModel = ({ fenced, scale }) => {
  const text = JSON.stringify(fenced['output'] ?? fenced)
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 997
  return gradeAt(scale, sum / 996)
}

const orders: readonly (readonly [order: RegExp, share: number])[] = [
  [/(?:highest|best|top) (?:score|label|grade)/i, 1],
  [/(?:lowest|worst|bottom) (?:score|label|grade)/i, 0]
]

/**
 * Returns a model that gives a high grade if the output satisfies `isGood`, and a low grade
 * otherwise.
 */
export function knowing(isGood: (output: string) => boolean): GradingModel {
  return ({ fenced, scale }) => gradeAt(scale, isGood(String(fenced['output'])) ? 0.9 : 0.1)
}

/** Wraps a model so that it follows instructions outside the fenced sections. */
export function naive(mind: GradingModel): GradingModel {
  return (prompt) => obeyed(prompt, prompt.outside) ?? mind(prompt)
}

/**
 * Wraps a model so that it follows instructions anywhere, like a model without training against
 * prompt injection.
 */
export function gullible(mind: GradingModel): GradingModel {
  return (prompt) => obeyed(prompt, JSON.stringify(prompt.fenced)) ?? naive(mind)(prompt)
}

function obeyed({ scale }: Prompt, text: string): Grade | null {
  const order = orders.find(([pattern]) => pattern.test(text))
  return order === undefined ? null : gradeAt(scale, order[1])
}
