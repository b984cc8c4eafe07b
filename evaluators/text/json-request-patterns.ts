/** Defines patterns that detect requests for JSON in lowercase prompts. */
import { anyOf } from './any-of.ts'

const words = '(?:only|just|a|an|one|your|single|valid|strict|pure|raw|plain|well-formed)'
const json = `(?:${words} ){0,4}json\\b(?! ?lines)`
/** Up to 60 characters of the same sentence. */
const near = '[^.!?\\n]{0,60}?\\b'

/** Every quantifier is bounded, so no prompt makes the pattern slow. */
export const jsonRequest = new RegExp(
  anyOf(
    // "Answer in JSON", "format your response as valid JSON", "the output must be JSON".
    `\\b(?:respond|reply|answer|output|return|response|result|format)(?:s|ted)?\\b${near}` +
      `(?:in|as|with|using|be|is) ${json}`,
    // "Return a JSON object with …": an imperative with JSON as its object.
    '(?:^|[.!?:;,\\n"] {0,4}|\\b(?:please|must|should|shall|always|only|and|then|will) )' +
      '(?:return|output|produce|generate|give|provide|emit|write)(?: me| us| back)? ' +
      `(?:${words} ){0,4}json(?:[.,:;!)\\n]|$| ` +
      '(?:object|array|document|list|only|with|that|containing|in|matching|of|format)\\b)',
    '\\bjson (?:format )?only\\b|\\bformat: {0,2}json\\b',
    '\\bonly (?:valid |a )?json\\b(?! (?:files?|inputs?|data|imports?|uploads?|is|are)\\b)',
    // German, French and Spanish.
    `\\b(?:antworte[nt]?|gib|geben|liefern?|erzeuge|antwort|ausgabe)\\b${near}` +
      '(?:als|in|im|mit|nur|ausschließlich|gültiges|valides|reines) json\\b',
    `\\b(?:réponds|répondez|réponse|renvoie|renvoyez|retourne|retournez|donne|fournis)\\b${near}` +
      '(?:en|format|un|objet) json\\b',
    `\\b(?:responde|responda|respuesta|contesta|devuelve|devuelva|genera|genere)\\b${near}` +
      '(?:en|con|un|formato|objeto) json\\b'
  ),
  'g'
)

/** Matches sentences that ask about JSON, or that ask for a program that produces JSON. */
export const otherMeaning = new RegExp(
  anyOf(
    '^\\W{0,3}(?:how|why|what|when|where|does|did|wie|warum|comment|pourquoi|cómo)\\b',
    '\\b(?:function|endpoint|script|program|server|handler|method|parser|library)s?\\b'
  )
)
