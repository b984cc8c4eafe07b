/** Parses and renders prompt templates: texts with variables such as `{{output}}`. */

/** Variables with fixed names. Metadata members are addressed by their path. */
export const plainVariables = ['input', 'output', 'domain', 'reference'] as const
export const metadataPrefix = 'metadata.'

export interface Template {
  /** Parts in order. Every second part is a variable. */
  readonly parts: readonly string[]
  /** Each variable once, in order of first use. */
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

/** Replaces each occurrence of a variable with the result of `valueOf`. */
export function renderTemplate(template: Template, valueOf: (name: string) => string): string {
  return template.parts.map((part, index) => (index % 2 === 1 ? valueOf(part) : part)).join('')
}
