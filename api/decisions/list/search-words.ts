/** The search for words in what an agent was asked, what it answered and what it added. */

export const searchCharsMax = 200
export const wordsMax = 10
/** Of each text so many characters are searched: one of some megabytes would hold up the others. */
export const searchedChars = 50_000

export function wordsOf(text: string): readonly string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))]
}

/**
 * How a word may stand in a JSON text: as it is, or with what JSON escapes. Servers fold letters
 * beyond ASCII only where their database has a language, so those come in all their forms.
 */
export function formsOf(word: string): readonly string[] {
  const capital = word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()
  const cases = [word, word.toLowerCase(), word.toUpperCase(), capital]
  const forms = cases.flatMap((each) => {
    const escaped = JSON.stringify(each).slice(1, -1)
    return [each, escaped, inAscii(escaped)]
  })
  return [...new Set(forms)]
}

function inAscii(text: string): string {
  return text.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}

/** Conditions on a row that is called `s`; `searched.text` is what `searchedSql` made of it. */
export function searchCondition(
  text: string,
  parameter: (value: unknown) => string
): readonly string[] {
  return wordsOf(text).map(
    (word) =>
      `exists (select from unnest(${parameter(formsOf(word))}::text[]) as form
                where strpos(searched.text, lower(form)) > 0)`
  )
}

/** Once for each row, and not once for each word. */
export const searchedSql = `cross join lateral (
        select lower(concat_ws(chr(10), left(s.input, ${searchedChars}),
                               left(s.output, ${searchedChars}),
                               left(s.metadata, ${searchedChars}))) as text
        offset 0) as searched`
