/** A prompt with variables: `{{output}}` stands for what the judge is to grade. */

/** Variables by name; of metadata, any member by its path. */
export const plainVariables = ['input', 'output', 'domain', 'reference'] as const
export const metadataPrefix = 'metadata.'

export interface Template {
  /** Text and variables in turn: every second part, from the second on, is a variable. */
  readonly parts: readonly string[]
  /** Each once, in the order of their first use. */
  readonly variables: readonly string[]
}

const variable = /\{\{([^{}]*)\}\}/

export function parseTemplate(text: string): Template {
  const parts = text.split(variable).map((part, index) => (index % 2 === 1 ? part.trim() : part))
  return { parts, variables: [...new Set(parts.filter((_, index) => index % 2 === 1))] }
}

export function isVariable(name: string): boolean {
  if ((plainVariables as readonly string[]).includes(name)) return true
  return name.startsWith(metadataPrefix) && name.length > metadataPrefix.length
}

/** `valueOf` is asked for each variable where it stands. */
export function renderTemplate(template: Template, valueOf: (name: string) => string): string {
  return template.parts.map((part, index) => (index % 2 === 1 ? valueOf(part) : part)).join('')
}
