/** Detects the language of a text by its script and, for the Latin script, by common short words.
 */
import { wordsOf } from './words.ts'

/**
 * Common words of languages in Latin script. They are rare in source code, and most are rare in the
 * other languages.
 */
const smallWords = {
  de: 'der die das und ist nicht sie ich wir ein eine den dem mit für auf von wird sich auch bei',
  en: 'the of to you your that are it will have be can we has which been they would this was i',
  es: 'el los las que en es por con una su para como más pero está son muy también lo usted hay',
  fr: 'le les des et est vous une que pour dans pas sur avec nous votre ce sont au être il du',
  it: 'il di che è per non una sono della con gli nel più anche questo alla dei come lo si ha',
  nl: 'het een van en is niet dat op te zijn met voor ik we wij aan deze ook bij kunt worden',
  pt: 'o que não uma os para com é em do da dos das por mais você são ao seu também está no'
} as const

type LatinLanguage = keyof typeof smallWords

/** Script of each language. Latin and Cyrillic are shared by several languages. */
const scriptOf = {
  de: 'Latin',
  en: 'Latin',
  es: 'Latin',
  fr: 'Latin',
  it: 'Latin',
  nl: 'Latin',
  pt: 'Latin',
  ar: 'Arabic',
  el: 'Greek',
  he: 'Hebrew',
  hi: 'Devanagari',
  ja: 'Japanese',
  ko: 'Hangul',
  ru: 'Cyrillic',
  th: 'Thai',
  uk: 'Cyrillic',
  zh: 'Han'
} as const

export type Language = keyof typeof scriptOf
export type Script = (typeof scriptOf)[Language]

export const languages = Object.keys(scriptOf) as readonly Language[]

export interface Detected {
  readonly script: Script
  /** Null if neither the script nor the words determine the language. */
  readonly language: Language | null
}

type Range = readonly [script: string, from: number, to: number]
const ranges: readonly Range[] = [
  ['Latin', 0x41, 0x5a],
  ['Latin', 0x61, 0x7a],
  ['Latin', 0xc0, 0x24f],
  ['Greek', 0x370, 0x3ff],
  ['Cyrillic', 0x400, 0x52f],
  ['Hebrew', 0x590, 0x5ff],
  ['Arabic', 0x600, 0x6ff],
  ['Devanagari', 0x900, 0x97f],
  ['Thai', 0xe00, 0xe7f],
  ['Kana', 0x3040, 0x30ff],
  ['Han', 0x3400, 0x9fff],
  ['Hangul', 0xac00, 0xd7af]
]
/** Includes `Kana`, which `scriptOf` lacks: `joinJapanese` adds it to Han as `Japanese`. */
const scripts: readonly string[] = ['none', 'Kana', ...new Set(Object.values(scriptOf))]
const places = new Uint8Array(0x10000)
for (const [script, from, to] of ranges) places.fill(scripts.indexOf(script), from, to + 1)

const sampleCharacters = 4000
const lettersMin = 12
const scriptShareMin = 0.7
/** Minimum share of kana in Japanese text. Almost every Japanese sentence contains kana. */
const kanaShareMin = 0.1

type Counts = Map<string, number>

/** Returns the dominant script, or null if the text is too short or has none. */
function scriptIn(text: string): Script | null {
  const counts = lettersOf(text)
  joinJapanese(counts)
  const letters = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const [most, count] = mostOf(counts)
  const isClear = letters >= lettersMin && count >= letters * scriptShareMin
  return isClear ? (most as Script) : null
}

function lettersOf(text: string): Counts {
  const tally = new Uint32Array(scripts.length)
  for (let at = Math.min(text.length, sampleCharacters) - 1; at >= 0; at--) {
    const script = places[text.charCodeAt(at)] ?? 0
    tally[script] = (tally[script] ?? 0) + 1
  }
  const found = scripts.map((script, at): [string, number] => [script, tally[at] ?? 0])
  return new Map(found.filter(([script, count]) => script !== 'none' && count > 0))
}

/**
 * Counts Chinese characters as Japanese in a text with enough kana, because Japanese mixes both.
 */
function joinJapanese(counts: Counts): void {
  const kana = counts.get('Kana') ?? 0
  const japanese = kana + (counts.get('Han') ?? 0)
  if (kana === 0 || kana < japanese * kanaShareMin) return
  counts.delete('Han')
  counts.delete('Kana')
  counts.set('Japanese', japanese)
}

function mostOf(counts: ReadonlyMap<string, number>): readonly [string, number] {
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), ['none', 0])
}

const wordLanguages = new Map<number, LatinLanguage[]>()
for (const [language, words] of Object.entries(smallWords)) {
  for (const word of wordsOf(words)) {
    const known = wordLanguages.get(word) ?? []
    wordLanguages.set(word, [...known, language as LatinLanguage])
  }
}

const wordsMin = 15
const hitsMin = 5
const hitShareMin = 0.12
/** Minimum ratio of the best language's hits to the second-best language's hits. */
const leadMin = 1.5

function latinLanguageOf(words: readonly number[]): Language | null {
  if (words.length < wordsMin) return null
  const hits: Counts = new Map()
  for (const word of words) {
    const speakers = wordLanguages.get(word) ?? []
    for (const language of speakers) hits.set(language, (hits.get(language) ?? 0) + 1)
  }
  const [first, count] = mostOf(hits)
  hits.delete(first)
  const [, next] = mostOf(hits)
  const isClear = count >= Math.max(hitsMin, words.length * hitShareMin, next * leadMin)
  return isClear ? (first as Language) : null
}

/**
 * Detects the language of a text, or returns null.
 * @param lowerText the text in lower case
 * @param words the hashes of the words of the text
 */
export function languageOf(lowerText: string, words: readonly number[]): Detected | null {
  const script = scriptIn(lowerText)
  if (script === null) return null
  if (script === 'Latin') return { script, language: latinLanguageOf(words) }
  const speakers = languages.filter((each) => scriptOf[each] === script)
  return { script, language: speakers.length === 1 ? (speakers[0] ?? null) : null }
}

/** Checks whether a text can be in a language. Returns null if that is unknown. */
export function isLanguage(detected: Detected, language: Language): boolean | null {
  if (detected.script !== scriptOf[language]) return false
  if (detected.language !== null) return detected.language === language
  return detected.script === 'Latin' ? null : true
}

const english = new Intl.DisplayNames('en', { type: 'language' })
/** Names of languages, cached because looking up a name costs more than detecting a language. */
const names = new Map(languages.map((code) => [code, english.of(code) ?? code]))

export function languageName({ language, script }: Detected): string {
  return language === null ? `a language in ${script} script` : (names.get(language) ?? language)
}
