/** Extracts the first code block of a text. */

export const blockFence = /^[ \t]{0,3}(`{3,20}|~{3,20})[^\n`]{0,200}$/gm

/** Returns the content of the first block that is opened and closed, or null. */
export function codeBlockOf(text: string): string | null {
  if (!text.includes('```') && !text.includes('~~~')) return null
  let start = -1
  let mark = ''
  for (const { 0: line, 1: found = '', index } of text.matchAll(blockFence)) {
    if (start < 0) {
      start = index + line.length
      mark = found
    } else if (found.startsWith(mark)) {
      return text.slice(start, index).trim()
    }
  }
  return null
}
