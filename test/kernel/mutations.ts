/** Mutations of the kernel: at least one of each of its rules. */
export interface Mutation {
  readonly name: string
  readonly file: 'json.as.ts' | 'kernel.as.ts' | 'kernel.ts'
  /** Text of the file, which must occur once. */
  readonly from: string
  readonly to: string
}

type Row = readonly [name: string, from: string, to: string]

const json: readonly Row[] = [
  ['nested one level too deep', 'const depthMax = 63', 'const depthMax = 64'],
  ['nested one level less', 'const depthMax = 63', 'const depthMax = 62'],
  ['form feed is white space', 'code !== 13 &&', 'code !== 13 && code !== 12 &&'],
  ['carriage return is no white space', ' && code !== 13', ''],
  ['the digit : is hexadecimal', '(digit as u32) <= 9', '(digit as u32) <= 10'],
  ['upper-case letters are not hexadecimal', '(code | 32) - 97', 'code - 97'],
  ['the third digit is not checked', '(a | b | c | d) <= 15', '(a | b | d) <= 15'],
  ['escape of a quote', 'case quote:\n    case', 'case'],
  ['escape of a backslash', 'case backslash:\n', ''],
  ['escape of a slash', 'case 47:\n', ''],
  ['escape \\b', 'return 8\n', 'return 9\n'],
  ['escape \\f', 'return 12\n', 'return 11\n'],
  ['escape \\n', 'return 10\n', 'return 13\n'],
  ['escape \\r', 'return 13\n', 'return 10\n'],
  ['escape \\t', 'return 9\n', 'return 8\n'],
  ['unknown escapes are accepted', 'default:\n      return 0', 'default:\n      return code'],
  ['first high surrogate', 'unit >= 0xd800', 'unit > 0xd800'],
  ['last high surrogate', 'unit < 0xdc00', 'unit < 0xdbff'],
  ['first low surrogate', 'unit >= 0xdc00', 'unit > 0xdc00'],
  ['last low surrogate', 'unit < 0xe000', 'unit < 0xdfff'],
  ['control character U+001F in strings', 'i8x16.splat(32)', 'i8x16.splat(31)'],
  ['space ends a string', 'i8x16.splat(32)', 'i8x16.splat(33)'],
  ['chunks of strings overlap', 'at + ctz(hits)\n    at += 16', 'at + ctz(hits)\n    at += 17'],
  [
    'strings end at a control character',
    'code !== backslash) return 0',
    'code !== backslash) return at + 1'
  ],
  ['an escape saves two bytes', 'saved += 1\n', 'saved += 2\n'],
  ['malformed \\u', 'if (unit < 0) return 0', 'if (unit < -1) return 0'],
  ['any unit completes a high surrogate', 'if (isLowSurrogate(unitAt(at + 2))) {', 'if (true) {'],
  ['a pair saves seven bytes', '12 - 4', '12 - 5'],
  ['U+0000 is accepted', 'unit === 0 || isHigh', 'isHigh'],
  ['lone high surrogates are accepted', '|| isHighSurrogate(unit) || isLow', '|| isLow'],
  ['lone low surrogates are accepted', ' || isLowSurrogate(unit))', ')'],
  ['U+0080 takes one byte', 'unit < 0x80 ?', 'unit <= 0x80 ?'],
  ['U+007F takes two bytes', 'unit < 0x80 ?', 'unit < 0x7f ?'],
  ['U+0800 takes two bytes', 'unit < 0x800 ?', 'unit <= 0x800 ?'],
  ['U+07FF takes three bytes', 'unit < 0x800 ?', 'unit < 0x7ff ?'],
  ['the digit 9', '((byte(at) - zero) as u32) <= 9', '((byte(at) - zero) as u32) <= 8'],
  ['letters of true', '0x65757274 ? from', '0x65757274 || true ? from'],
  ['letters of null', '0x6c6c756e ? from', '0x6c6c756e || true ? from'],
  ['letters of false', '0x65736c61 ? from', '0x65736c61 || true ? from'],
  ['no negative numbers', '=== minus ? from + 1 : from', '=== minus ? from : from'],
  [
    'leading zeros',
    'byte(whole) === zero ? whole + 1 : digitsEnd',
    'false ? whole + 1 : digitsEnd'
  ],
  ['numbers without digits', 'if (at === whole) return 0', ''],
  ['fractions without digits', 'if (at === fraction) return 0', ''],
  ['exponents without digits', 'if (at === exponent) return 0', ''],
  ['no upper-case exponents', '(byte(at) | 32) === 101', 'byte(at) === 101'],
  ['no sign + of exponents', 'sign === 43 || ', ''],
  ['no sign - of exponents', 'sign === 43 || sign === minus', 'sign === 43'],
  ['names without a quote', 'if (byte(from) !== quote) return 0', ''],
  ['length of a name', '((at - from) as i32) - 2', '((at - from) as i32) - 3'],
  ['missing colon', 'byte(at) === colon ? skipSpace(at + 1) : 0', 'skipSpace(at + 1)'],
  [
    'no space after a colon',
    'byte(at) === colon ? skipSpace(at + 1) : 0',
    'byte(at) === colon ? at + 1 : 0'
  ],
  ['members without a name', 'if (code === openBrace) at = nameEnd(at)', ''],
  ['later members without a name', 'if (open === openBrace) at = nameEnd(at)', ''],
  [
    'trailing comma',
    'at = skipSpace(at + 1)\n        if (open',
    'at = skipSpace(at + 1)\n        if (byte(at) === open + 2) continue\n        if (open'
  ],
  [
    'mismatched brackets',
    'if (byte(at) !== open + 2) return 0',
    'if (byte(at) !== closeBracket && byte(at) !== closeBrace) return 0'
  ],
  ['decoding of a chunk without escapes', 'if (slashes === 0) continue\n', ''],
  ['high bits of a pair', '(unit & 0x3ff) << 10', '(unit & 0x1ff) << 10'],
  ['offset of a pair', '0x10000 + ((unit', '((unit'],
  ['UTF-8 of one byte', 'if (point < 0x80) {', 'if (point < 0x81) {'],
  ['UTF-8 of two bytes', 'point < 0x800 ? 1', 'point < 0x7ff ? 1'],
  ['UTF-8 of three bytes', 'point < 0x10000 ? 2', 'point < 0xffff ? 2'],
  ['UTF-8 of the first byte', '0xf00 >> (more + 1)', '0xf00 >> more'],
  ['UTF-8 of the next bytes', '(6 * (more - each))) & 63', '(6 * (more - each))) & 31']
]

const kernel: readonly Row[] = [
  ['one item too many', 'const itemsMax = 1000', 'const itemsMax = 1001'],
  ['one item fewer', 'const itemsMax = 1000', 'const itemsMax = 999'],
  ['one unknown member fewer', 'const unknownMax = 16', 'const unknownMax = 15'],
  [
    'unknown members without limit',
    'if (unknownCount === unknownMax || length > unknownBytesMax) return false',
    'if (unknownCount === unknownMax || length > unknownBytesMax) return true'
  ],
  ['counts of ten digits', 'const digitsMax = 9', 'const digitsMax = 10'],
  ['counts of eight digits', 'const digitsMax = 9', 'const digitsMax = 8'],
  [
    'names are compared by length',
    'if (load<u8>(one + each) !== load<u8>(other + each)) return false',
    ''
  ],
  ['names are compared by prefix', 'byte(name) === length && isSame', 'isSame'],
  [
    'duplicate unknown members',
    'if (load<i32>(other + 4) === length && isSame(at, load<u32>(other), length)) return false',
    ''
  ],
  ['unknown names are compared by prefix', 'load<i32>(other + 4) === length && ', ''],
  ['unknown members are not counted', 'unknownCount += 1', 'unknownCount += 0'],
  [
    'a UUID without its last digit',
    'for (let at = 0; at < idBytes; at++) {\n    const is',
    'for (let at = 0; at < idBytes - 1; at++) {\n    const is'
  ],
  ['hyphens of a UUID', 'isHyphen ? code !== minus :', 'isHyphen ? false :'],
  ['digits of a UUID', ': hexValue(code) > 15', ': false'],
  ['type of output', 'return first === quote', 'return true'],
  ['null members', 'if (startOf(member) === isNull) return true', ''],
  ['type of metadata', 'return first === openBrace', 'return true'],
  ['counts with a fraction', 'digitsEnd(from) === to &&', 'true &&'],
  [
    'output tokens are not checked',
    'member === inputTokens || member === outputTokens) {\n    return digits',
    'member === inputTokens) {\n    return digits'
  ],
  ['type of texts', 'if (first !== quote) return false', ''],
  ['length of a UUID', 'textLength(member) === idBytes && ', ''],
  [
    'maximum length of texts',
    'textLength(member) <= load<i32>(lengthsMax + 4 * member)',
    'textLength(member) <= load<i32>(lengthsMax + 4 * member) + 1'
  ],
  ['maximum length of texts, one less', 'textLength(member) <= load', 'textLength(member) < load'],
  [
    'repeated unknown names are certain',
    'if (!noteUnknown(name, length)) isCertain = false',
    'noteUnknown(name, length)'
  ],
  ['duplicate known members', 'if (startOf(member) !== absent) isCertain = false', ''],
  [
    'a duplicate after null',
    'if (startOf(member) !== absent) isCertain',
    'if (startOf(member) >= 0) isCertain'
  ],
  [
    'null as an input',
    'member !== input && member !== output\n  store',
    'member !== output\n  store'
  ],
  ['values are not checked', 'if (!fits(member, from, at)) isCertain = false', ''],
  ['an odd string in an earlier item', 'resetIsOdd()\n  isCertain', 'isCertain'],
  [
    'an item that is no object',
    'isCertain = false\n  if (byte(from) !== openBrace) return',
    'if (byte(from) !== openBrace) return'
  ],
  [
    'unknown members of an earlier item',
    'isCertain = true\n  unknownCount = 0',
    'isCertain = true'
  ],
  [
    'members of an earlier item',
    'for (let member = 0; member < knownCount; member++) store<i32>(starts + 4 * member, absent)',
    ''
  ],
  [
    'sdk_version of an earlier item',
    'member < knownCount; member++) store',
    'member < sdkVersion; member++) store'
  ],
  ['empty objects', 'if (byte(at) !== closeBrace) {\n    while', 'if (true) {\n    while'],
  ['escaped names', 'if (saved > 0) isCertain = false', ''],
  ['objects without a comma', 'if (byte(at) !== comma) return 0\n      at = skip', 'at = skip'],
  [
    'trailing comma of an item',
    'at = skipSpace(at + 1)\n    }\n  }\n  if (isOdd',
    'at = skipSpace(at + 1)\n      if (byte(at) === closeBrace) break\n    }\n  }\n  if (isOdd'
  ],
  ['odd strings', 'if (isOdd || start', 'if (start'],
  ['missing input', 'startOf(input) < 0 || ', ''],
  ['missing output', ' || startOf(output) < 0) is', ') is'],
  ['size of a varint', '(value as u32) >> 6; rest', '(value as u32) >> 7; rest'],
  ['size of a long varint', 'rest > 0; rest >>= 7', 'rest > 0; rest >>= 8'],
  ['zigzag', '(value as u32) << 1', 'value as u32'],
  ['bytes of a varint', 'while (rest > 127)', 'while (rest > 128)'],
  ['copies of 16 bytes', 'each < length; each += 16', 'each + 16 < length; each += 16'],
  ['escapes are copied', 'return savingOf(member) === 0\n', 'return true\n'],
  ['metadata is a text', 'member === input || member === metadata\n', 'member === input\n'],
  ['digits of a count', 'count * 10 +', 'count * 8 +'],
  [
    'size of output has a union',
    'const union = member === input || member === output ? 0 : 1',
    'const union = member === input ? 0 : 1'
  ],
  ['null takes two bytes', 'return union\n', 'return union + 1\n'],
  [
    'union of output',
    'if (member !== input && member !== output) {\n',
    'if (member !== input) {\n'
  ],
  ['null as another type', 'store<u8>(at, 0)\n    return', 'store<u8>(at, 2)\n    return'],
  ['the agent is no key', 'if (startOf(agentId) >= 0) return agentId\n', ''],
  ['an empty session is a key', ' && textLength(sessionId) > 0 ?', ' ?'],
  ['the session is no key', 'startOf(sessionId) >= 0 && textLength', 'false && textLength'],
  ['upper-case UUIDs', 'code >= 65 && code <= 70 ? code | 32 : code', 'code'],
  ['the letter F of UUIDs', 'code <= 70', 'code < 70'],
  ['decision_id of the caller', 'if (startOf(decisionId) < 0) {', 'if (true) {'],
  [
    'an empty agent_id',
    'if (startOf(agentId) >= 0 && textLength(agentId) === 0) store',
    'if (false) store'
  ],
  [
    'order of members',
    'at = writeMember(at, member)',
    'at = writeMember(at, decisionId - 1 - member)'
  ],
  [
    'the last member is left out',
    'member < decisionId; member++) at =',
    'member < sdkVersion; member++) at ='
  ],
  ['size of the value', 'let size = prefixBytes\n', 'let size = prefixBytes + 1\n'],
  ['size of a key', 'key === decisionId ? idBytes : textLength(key)', 'textLength(key)'],
  [
    'the key is the decision_id',
    'if (key === decisionId) memory.copy(keyAt, value + idFrom, idBytes)',
    ''
  ],
  ['place of the decision_id', 'const idFrom = 6', 'const idFrom = 7'],
  ['decision_id in the headers', 'memory.copy(headers + idInSuffix, value + idFrom, idBytes)', ''],
  [
    'end of a record',
    'store<i32>(row + 12, (at - recordsAt) as i32)',
    'store<i32>(row + 12, ((at - recordsAt) as i32) + 1)'
  ],
  ['whether a decision has an agent', 'key === agentId ? 1 : 0', '0'],
  ['number of unknown members', 'store<i32>(row + 20, unknownCount)', ''],
  [
    'start of the sdk_version',
    '((headers - recordsAt) as i32) - sdkBytes',
    '((headers - recordsAt) as i32) - sdkBytes + 1'
  ],
  [
    'end of the sdk_version',
    'store<i32>(row + 28, (headers - recordsAt) as i32)',
    'store<i32>(row + 28, ((headers - recordsAt) as i32) - 1)'
  ],
  ['records overlap', 'recordsEnd = at\n', 'recordsEnd = at - 1\n'],
  ['bytes of values', 'valueBytes += size', ''],
  [
    'start of an item',
    'store<i32>(row, (from - bodyAt) as i32)',
    'store<i32>(row, (from - bodyAt - 1) as i32)'
  ],
  [
    'end of an item',
    'store<i32>(row + 4, (to - bodyAt) as i32)',
    'store<i32>(row + 4, (to - bodyAt - 1) as i32)'
  ],
  ['uncertain items are written', 'if (isCertain) writeRecord', 'if (true) writeRecord'],
  ['an item that the parser has to read', 'else store<i32>(row + 8, -1)', ''],
  [
    'a malformed item',
    'if (at === 0) return -1\n    addItem',
    'if (at === 0) return count\n    addItem'
  ],
  ['items without a comma', 'if (byte(at) !== comma) return -1\n', ''],
  [
    'trailing comma of the array',
    'at = skipSpace(at + 1)\n  }\n  return -1',
    'at = skipSpace(at + 1)\n    if (byte(at) === closeBracket) {\n' +
      '      arrayEnd = ((at - bodyAt) as i32) + 1\n      return count\n    }\n  }\n  return -1'
  ],
  ['an envelope that is no object', 'if (byte(at) !== openBrace) return -1\n', ''],
  ['decisions that are no array', 'byte(at) === openBracket && isSame', 'isSame'],
  ['another array of the envelope', ' && isSame(name + 1, decisions, 10)', ''],
  ['a name that begins with decisions', 'decisions, 10', 'decisions, 9'],
  ['members of the envelope', 'memberCount += 1', 'memberCount = 1'],
  [
    'malformed members of the envelope',
    'if (at === 0) return -1\n    memberCount',
    'if (at === 0) return count\n    memberCount'
  ],
  ['end of the array', '((at - bodyAt) as i32) + 1\n', '(at - bodyAt) as i32\n'],
  [
    'an envelope without its brace',
    'byte(at) === closeBrace && skipSpace(at + 1) === end',
    'skipSpace(at + 1) === end'
  ],
  ['text after the envelope', ' && skipSpace(at + 1) === end ? count', ' ? count'],
  ['an item continues in the next line', 'store<u8>(last, 0)\n', ''],
  ['line feeds', 'i8x16.splat(10)', 'i8x16.splat(13)'],
  ['spaces before an item', 'lineStart(at, from), last', 'at, last'],
  ['a line begins before its line feed', 'byte(start - 1) !== 10', 'true'],
  ['blank lines at the end', 'if (at >= end) break', 'if (at > end) break'],
  ['one line too many', 'if (count === itemsMax) return -1', 'if (count > itemsMax) return -1'],
  ['malformed lines', 'if (after === 0 || skipSpace(after)', 'if (after !== 0 && skipSpace(after)'],
  ['text after an item in a line', 'after === 0 || skipSpace(after) !== last', 'after === 0'],
  ['a body without lines', 'count > 0 ? count : -1', 'count'],
  [
    'a malformed decision',
    'if (at === 0 || skipSpace(at) !== end ||',
    'if (at !== 0 && skipSpace(at) !== end ||'
  ],
  ['text after a decision', 'skipSpace(at) !== end || !isCertain', '!isCertain'],
  ['an uncertain decision', ' || !isCertain) return -1', ') return -1'],
  ['records over the body', '(end + 63) & ~15', '(end - 64) & ~15'],
  ['bytes of the values of an earlier body', 'valueBytes = 0\n  if', 'if'],
  ['place of records of an earlier body', 'recordsEnd = recordsAt\n', '']
]

const glue: readonly Row[] = [
  ['bodies that are not UTF-8', ' || !isUtf8(body)', ''],
  ['larger bodies', 'const kernelBytesMax = 1024 * 1024', 'const kernelBytesMax = 1024 * 1024 + 1'],
  [
    'smaller bodies',
    'const kernelBytesMax = 1024 * 1024',
    'const kernelBytesMax = 1024 * 1024 - 1'
  ],
  ['no zero bytes after the body', 'const zeroBytes = 32', 'const zeroBytes = 0'],
  ['prefix of an earlier body', 'prefix.copy(memory, prefixAt)\n', ''],
  ['suffix of an earlier body', 'suffix.copy(memory, suffixAt)\n', ''],
  ['identifiers of an earlier body', 'frameOfBody = frame\n', 'frameOfBody ??= frame\n'],
  [
    'slab without the records',
    'memory.copy(slab, 0, from, to)',
    'memory.copy(slab, 0, from, to - 1)'
  ],
  [
    'bytes before the records',
    'memory.copy(slab, 0, from, to)',
    'memory.copy(slab, 0, from - 1, to)'
  ],
  ['maximum lengths of the schema', 'schemas[name]?.maxLength ?? 0', '1000'],
  ['order of the members', "'agent_id',\n  'session_id',", "'session_id',\n  'agent_id',"]
]

export const mutations: readonly Mutation[] = [
  ...json.map(([name, from, to]): Mutation => ({ name, file: 'json.as.ts', from, to })),
  ...kernel.map(([name, from, to]): Mutation => ({ name, file: 'kernel.as.ts', from, to })),
  ...glue.map(([name, from, to]): Mutation => ({ name, file: 'kernel.ts', from, to }))
]
