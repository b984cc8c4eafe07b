/** Checks whether every Markdown code fence is closed. */

/** A line that opens or closes a block, possibly inside a list or a quotation. */
export const fenceLine = /^[ \t>]{0,12}(`{3,20}|~{3,20})([^\n`]{0,200})$/gm

interface Fence {
  readonly mark: string
  readonly info: string
  readonly isLast: boolean
}

/**
 * Checks whether all fences are closed. Ambiguous fences count as closed, because models nest
 * blocks in ways that Markdown cannot express.
 */
export function areFencesBalanced(text: string): boolean {
  if (!text.includes('```') && !text.includes('~~~')) return true
  let fences = 0
  let open: Fence | null = null
  for (const match of text.matchAll(fenceLine)) {
    fences++
    const fence = fenceOf(match, text.length)
    if (open === null) open = fence
    else if (closes(fence, open)) open = null
  }
  if (open === null || fences % 2 === 0) return true
  // Accepts a lone closing fence at the end, because the prompt may have contained the opening
  // fence.
  return open.isLast && open.info === ''
}

function fenceOf(match: RegExpExecArray, textLength: number): Fence {
  const [line, mark = '', info = ''] = match
  return { mark, info: info.trim(), isLast: match.index + line.length === textLength }
}

function closes(fence: Fence, open: Fence): boolean {
  const isSame = fence.mark[0] === open.mark[0] && fence.mark.length >= open.mark.length
  return isSame && fence.info === ''
}
