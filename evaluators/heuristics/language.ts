/** Check `language`: fails if the output is not in the expected language. */
import { notApplicable, verdict } from '../evaluator.ts'
import type { Evaluate, Finding, Skipped } from '../evaluator.ts'
import { booleanOutput } from '../kind.ts'
import type { Kind } from '../kind.ts'
import type { Subject } from '../subject.ts'
import { isLanguage, languageName, languageOf, languages } from '../text/languages.ts'
import type { Detected, Language } from '../text/languages.ts'
import { wordsOf } from '../text/words.ts'

interface LanguageConfig {
  readonly expected?: readonly Language[]
}

export const language: Kind<LanguageConfig> = {
  properties: {
    expected: { type: 'array', items: { enum: languages }, minItems: 1, uniqueItems: true }
  },
  isBounded: true,
  outputOf: () => booleanOutput,
  compile: ({ expected }) => {
    if (expected === undefined) return compareWithRequest
    return (subject) => compareWith(expected, outputLanguageOf(subject))
  }
}

function outputLanguageOf(subject: Subject): Detected | null {
  return languageOf(subject.lowerOutput(), subject.outputWords())
}

function compareWith(expected: readonly Language[], found: Detected | null): Finding | Skipped {
  if (found === null) return notApplicable
  const answers = expected.map((each) => isLanguage(found, each))
  if (answers.includes(true)) return verdict(true, `The output is in ${languageName(found)}.`)
  if (answers.includes(null)) return notApplicable
  return verdict(false, `The output is in ${languageName(found)}, not in ${expected.join(', ')}.`)
}

/** Matches requests for a translation or for another language, which are skipped. */
export const otherLanguage =
  /translat|übersetz|tradu[czi]|vertaal|перев[оё]д|翻译|翻訳|번역|\b(?:in|into|to|auf|ins) (?:english|german|french|spanish|italian|portuguese|dutch|chinese|japanese|korean|russian|arabic|hindi|deutsch|englisch|französisch|spanisch)\b|\ben (?:anglais|français|allemand|espagnol|inglés|francés|alemán)\b/

const compareWithRequest: Evaluate = (subject) => {
  const request = subject.inputText().lowerRequest()
  if (otherLanguage.test(request)) return notApplicable
  const asked = languageOf(request, wordsOf(request))
  const found = outputLanguageOf(subject)
  if (asked === null || found === null) return notApplicable
  const isSame = isSameLanguage(asked, found)
  if (isSame === null) return notApplicable
  const name = languageName(found)
  if (isSame) return verdict(true, `The output is in ${name}, as is the request.`)
  return verdict(false, `The output is in ${name}, the request in ${languageName(asked)}.`)
}

function isSameLanguage(one: Detected, other: Detected): boolean | null {
  if (one.script !== other.script) return false
  if (one.language === null || other.language === null) return one.script === 'Latin' ? null : true
  return one.language === other.language
}
