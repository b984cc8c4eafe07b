/** Kernel: reads decisions from the bytes of a body, and writes the records of those that are
 * certainly valid. It is AssemblyScript, a form of TypeScript that compiles to WebAssembly.
 *
 * An item that is invalid, or unusual in any way, is left to the parser, and so is a body that is
 * not certainly well-formed. The kernel rejects nothing, so every error comes from the parser.
 *
 * The body is UTF-8. Everything has a fixed place in the memory:
 *
 *     tables · rows · prefix · suffix … bodyAt: body · zeros … recordsAt: records …
 */
import {
  byte,
  closeBrace,
  closeBracket,
  comma,
  decodeTo,
  digitsEnd,
  hexValue,
  isOdd,
  minus,
  nameBytes,
  nameEnd,
  openBrace,
  openBracket,
  quote,
  resetIsOdd,
  saved,
  skipSpace,
  stringEnd,
  valueEnd,
  zero
} from './json.as'

/** Writes the decision_id of an item that names none. */
declare function writeId(at: usize, index: i32): void

const itemsMax = 1000
/** Maximum number of unknown members whose names are compared with each other, and their length. */
const unknownMax = 16
const unknownBytesMax = 64
/** Maximum number of digits of a count, which is then an i32. */
const digitsMax = 9
const idBytes = 36
/** Position of the decision_id in a value, after the wire header and its length. */
const idFrom = 6
/** Position of the decision_id in `suffix`, after the number of headers, a name and two lengths. */
const idInSuffix = 14

/** The members, in the order of the Avro record. The caller writes their names in this order. */
const input = 0
const output = 1
const agentId = 2
const sessionId = 3
const metadata = 5
const inputTokens = 6
const outputTokens = 7
const sdkVersion = 8
const decisionId = 9
const knownCount = 10

/** The start of a member that is absent or null. */
const absent = -1
const isNull = -2

/** Each name, after its length. */
const nameBytesMax = 16
export const names = memory.data(knownCount * nameBytesMax)
/** The maximum length of each text. */
export const lengthsMax = memory.data(4 * knownCount)
/** Of each member of the current item: first byte, byte after the last, bytes saved by decoding. */
const starts = memory.data(4 * knownCount)
const ends = memory.data(4 * knownCount)
const savings = memory.data(4 * knownCount)
/** Start and length of each unknown name of the current item. */
const unknowns = memory.data(8 * unknownMax)

/** Eight numbers for each item: see `ItemPlaces` in kernel.ts. */
const rowBytes = 32
export const rows = memory.data(rowBytes * itemsMax)
/** First bytes of each value: the wire header, a decision_id, the organization and the time. */
export const prefix = memory.data(128)
/** Last bytes of each record: its headers. */
export const suffix = memory.data(256)
export const bodyAt: usize = 128 * 1024
/** The place of the records of the last body, and the place after them. */
export let recordsAt: usize = 0
export let recordsEnd: usize = 0
/** Number of bytes of all values of the last body. */
export let valueBytes: i32 = 0
/** Place of the array in the last envelope, relative to the body, and its number of members. */
export let arrayStart: i32 = 0
export let arrayEnd: i32 = 0
export let memberCount: i32 = 0

let prefixBytes: i32 = 0
let suffixBytes: i32 = 0
let isCertain: bool = true
let unknownCount: i32 = 0

function startOf(member: i32): i32 {
  return load<i32>(starts + 4 * member)
}

function endOf(member: i32): i32 {
  return load<i32>(ends + 4 * member)
}

function savingOf(member: i32): i32 {
  return load<i32>(savings + 4 * member)
}

/** Returns the length of the decoded text of a member. */
function textLength(member: i32): i32 {
  return endOf(member) - startOf(member) - 2 - savingOf(member)
}

function isSame(one: usize, other: usize, length: i32): bool {
  for (let each = 0; each < length; each++) {
    if (load<u8>(one + each) !== load<u8>(other + each)) return false
  }
  return true
}

/** Returns the member with this name, or -1. */
function memberOf(at: usize, length: i32): i32 {
  for (let member = 0; member < knownCount; member++) {
    const name = names + nameBytesMax * member
    if (byte(name) === length && isSame(at, name + 1, length)) return member
  }
  return -1
}

/** Notes an unknown member. Returns false if its name repeats, or is not compared. */
function noteUnknown(at: usize, length: i32): bool {
  if (unknownCount === unknownMax || length > unknownBytesMax) return false
  for (let each = 0; each < unknownCount; each++) {
    const other = unknowns + 8 * each
    if (load<i32>(other + 4) === length && isSame(at, load<u32>(other), length)) return false
  }
  store<u32>(unknowns + 8 * unknownCount, at)
  store<i32>(unknowns + 8 * unknownCount + 4, length)
  unknownCount += 1
  return true
}

function isUuidAt(from: usize): bool {
  for (let at = 0; at < idBytes; at++) {
    const isHyphen = at === 8 || at === 13 || at === 18 || at === 23
    const code = byte(from + at)
    if (isHyphen ? code !== minus : hexValue(code) > 15) return false
  }
  return true
}

/** Checks whether the value of a known member is certainly valid. */
function fits(member: i32, from: usize, to: usize): bool {
  const first = byte(from)
  if (member === input) return true
  if (member === output) return first === quote
  if (startOf(member) === isNull) return true
  if (member === metadata) return first === openBrace
  if (member === inputTokens || member === outputTokens) {
    return digitsEnd(from) === to && ((to - from) as i32) <= digitsMax
  }
  if (first !== quote) return false
  if (member === decisionId) {
    return textLength(member) === idBytes && savingOf(member) === 0 && isUuidAt(from + 1)
  }
  // A text has at least as many bytes as characters.
  return textLength(member) <= load<i32>(lengthsMax + 4 * member)
}

/** Notes a member. Returns the place after its value at `from`, or 0. */
function memberEnd(name: usize, length: i32, from: usize): usize {
  const first = byte(from)
  const at = first === quote ? stringEnd(from + 1) : valueEnd(from)
  if (at === 0) return 0
  const member = memberOf(name, length)
  if (member < 0) {
    if (!noteUnknown(name, length)) isCertain = false
    return at
  }
  if (startOf(member) !== absent) isCertain = false
  const isNullable = member !== input && member !== output
  store<i32>(starts + 4 * member, isNullable && first === 110 ? isNull : (from as i32))
  store<i32>(ends + 4 * member, at as i32)
  store<i32>(savings + 4 * member, saved)
  if (!fits(member, from, at)) isCertain = false
  return at
}

/** Reads an item. Returns the place after it, or 0 if it is not certainly JSON. */
function itemEnd(from: usize): usize {
  resetIsOdd()
  isCertain = false
  if (byte(from) !== openBrace) return valueEnd(from)
  isCertain = true
  unknownCount = 0
  for (let member = 0; member < knownCount; member++) store<i32>(starts + 4 * member, absent)
  let at = skipSpace(from + 1)
  if (byte(at) !== closeBrace) {
    while (true) {
      const name = at + 1
      at = nameEnd(at)
      if (at === 0) return 0
      if (saved > 0) isCertain = false
      at = memberEnd(name, nameBytes, at)
      if (at === 0) return 0
      at = skipSpace(at)
      if (byte(at) === closeBrace) break
      if (byte(at) !== comma) return 0
      at = skipSpace(at + 1)
    }
  }
  if (isOdd || startOf(input) < 0 || startOf(output) < 0) isCertain = false
  return at + 1
}

/** Lengths and counts are zigzag-encoded varints. */
function varintSize(value: i32): i32 {
  let size = 1
  for (let rest = (value as u32) >> 6; rest > 0; rest >>= 7) size += 1
  return size
}

function writeVarint(from: usize, value: i32): usize {
  let at = from
  let rest = (value as u32) << 1
  while (rest > 127) {
    store<u8>(at, (rest & 127) | 128)
    at += 1
    rest >>= 7
  }
  store<u8>(at, rest)
  return at + 1
}

/** Copies up to 15 bytes too many, which are overwritten next or lie after the records. */
function copyTo(at: usize, from: usize, length: usize): usize {
  for (let each: usize = 0; each < length; each += 16) {
    v128.store(at + each, v128.load(from + each))
  }
  return at + length
}

/** Writes the decoded text of a member without its length. */
function writeText(at: usize, member: i32): usize {
  const from = startOf(member) + 1
  return savingOf(member) === 0
    ? copyTo(at, from, textLength(member))
    : decodeTo(at, from, endOf(member) - 1)
}

/** Whether a member is JSON text exactly as sent. */
function isRaw(member: i32): bool {
  return member === input || member === metadata
}

function isCount(member: i32): bool {
  return member === inputTokens || member === outputTokens
}

function countOf(member: i32): i32 {
  let count = 0
  for (let at = startOf(member); at < endOf(member); at++) count = count * 10 + byte(at) - zero
  return count
}

/** Returns the size of a member in the Avro record. */
function sizeOf(member: i32): i32 {
  // A member that may be null begins with the index of its type in the union.
  const union = member === input || member === output ? 0 : 1
  if (startOf(member) < 0) return union
  if (isCount(member)) return union + varintSize(countOf(member))
  const length = isRaw(member) ? endOf(member) - startOf(member) : textLength(member)
  return union + varintSize(length) + length
}

function writeMember(from: usize, member: i32): usize {
  let at = from
  if (startOf(member) < 0) {
    store<u8>(at, 0)
    return at + 1
  }
  if (member !== input && member !== output) {
    store<u8>(at, 2)
    at += 1
  }
  if (isCount(member)) return writeVarint(at, countOf(member))
  if (!isRaw(member)) return writeText(writeVarint(at, textLength(member)), member)
  const length = endOf(member) - startOf(member)
  return copyTo(writeVarint(at, length), startOf(member), length)
}

/** Returns the member that is the key of the record: the agent, else the session, else the id. */
function keyMember(): i32 {
  if (startOf(agentId) >= 0) return agentId
  return startOf(sessionId) >= 0 && textLength(sessionId) > 0 ? sessionId : decisionId
}

function writeIdOfItem(at: usize, index: i32): void {
  if (startOf(decisionId) < 0) {
    writeId(at, index)
    return
  }
  const from: usize = startOf(decisionId) + 1
  for (let each = 0; each < idBytes; each++) {
    const code = byte(from + each)
    store<u8>(at + each, code >= 65 && code <= 70 ? code | 32 : code)
  }
}

/** Writes the record of the current item at `recordsEnd`, and its places into `row`. */
function writeRecord(row: usize, index: i32): void {
  // An empty agent_id means no agent.
  if (startOf(agentId) >= 0 && textLength(agentId) === 0) store<i32>(starts + 4 * agentId, isNull)
  let size = prefixBytes
  for (let member = 0; member < decisionId; member++) size += sizeOf(member)
  const key = keyMember()
  const keyBytes = key === decisionId ? idBytes : textLength(key)
  const keyAt = writeVarint(recordsEnd, keyBytes)
  if (key !== decisionId) writeText(keyAt, key)
  const value = writeVarint(keyAt + keyBytes, size)
  let at = copyTo(value, prefix, prefixBytes)
  writeIdOfItem(value + idFrom, index)
  if (key === decisionId) memory.copy(keyAt, value + idFrom, idBytes)
  for (let member = 0; member < decisionId; member++) at = writeMember(at, member)
  const sdkBytes = startOf(sdkVersion) < 0 ? 0 : textLength(sdkVersion)
  const headers = at
  at = copyTo(at, suffix, suffixBytes)
  memory.copy(headers + idInSuffix, value + idFrom, idBytes)
  store<i32>(row + 8, (recordsEnd - recordsAt) as i32)
  store<i32>(row + 12, (at - recordsAt) as i32)
  store<i32>(row + 16, key === agentId ? 1 : 0)
  store<i32>(row + 20, unknownCount)
  store<i32>(row + 24, ((headers - recordsAt) as i32) - sdkBytes)
  store<i32>(row + 28, (headers - recordsAt) as i32)
  recordsEnd = at
  valueBytes += size
}

/** Writes the row of the current item, and its record if it is certainly valid. */
function addItem(index: i32, from: usize, to: usize): void {
  const row = rows + rowBytes * index
  store<i32>(row, (from - bodyAt) as i32)
  store<i32>(row + 4, (to - bodyAt) as i32)
  if (isCertain) writeRecord(row, index)
  else store<i32>(row + 8, -1)
}

/** Reads the items after the bracket before `from`. Returns their number, or -1. */
function readItems(from: usize): i32 {
  let at = skipSpace(from)
  for (let count = 0; count < itemsMax;) {
    const start = at
    at = itemEnd(at)
    if (at === 0) return -1
    addItem(count, start, at)
    count += 1
    at = skipSpace(at)
    if (byte(at) === closeBracket) {
      arrayEnd = ((at - bodyAt) as i32) + 1
      return count
    }
    if (byte(at) !== comma) return -1
    at = skipSpace(at + 1)
  }
  return -1
}

/** The name of the array, with its closing quote. */
const decisions = memory.data<u8>([100, 101, 99, 105, 115, 105, 111, 110, 115, 34])

/** Reads `{"decisions": […]}`, with other members before or after the array. */
function readEnvelope(end: usize): i32 {
  let count = -1
  memberCount = 0
  let at = skipSpace(bodyAt)
  if (byte(at) !== openBrace) return -1
  do {
    const name = skipSpace(at + 1)
    at = nameEnd(name)
    if (at === 0 || saved > 0) return -1
    if (byte(at) === openBracket && isSame(name + 1, decisions, 10)) {
      if (count >= 0) return -1
      arrayStart = (at - bodyAt) as i32
      count = readItems(at + 1)
      if (count < 0) return -1
      at = bodyAt + arrayEnd
    } else at = valueEnd(at)
    if (at === 0) return -1
    memberCount += 1
    at = skipSpace(at)
  } while (byte(at) === comma)
  return byte(at) === closeBrace && skipSpace(at + 1) === end ? count : -1
}

/** Returns the place of the next line feed, or `end`. */
function lineEnd(from: usize, end: usize): usize {
  for (let at = from; at < end; at += 16) {
    const feeds = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(10)))
    if (feeds !== 0) return min(end, at + ctz(feeds))
  }
  return end
}

/** Returns the place after the last line feed between `from` and `at`, or `from`. */
function lineStart(at: usize, from: usize): usize {
  let start = at
  while (start > from && byte(start - 1) !== 10) start -= 1
  return start
}

/** Reads an item from each line that is not blank. One that is not JSON is left to the parser. */
function readLines(end: usize): i32 {
  let count = 0
  let from = bodyAt
  while (true) {
    const at = skipSpace(from)
    if (at >= end) break
    if (count === itemsMax) return -1
    const last = lineEnd(at, end)
    // The item must not continue in the next line, where a line feed would be white space.
    store<u8>(last, 0)
    const after = itemEnd(at)
    if (after === 0 || skipSpace(after) !== last) isCertain = false
    addItem(count, lineStart(at, from), last)
    count += 1
    from = last + 1
  }
  return count > 0 ? count : -1
}

function readOne(end: usize): i32 {
  const at = itemEnd(skipSpace(bodyAt))
  if (at === 0 || skipSpace(at) !== end || !isCertain) return -1
  addItem(0, bodyAt, end)
  return 1
}

/**
 * Reads the body of `bytes` bytes in a form of kernel.ts. `head` and `tail` are the lengths of
 * `prefix` and `suffix`. Returns the number of items, or -1 if the parser has to read the body.
 */
export function read(bytes: i32, form: i32, head: i32, tail: i32): i32 {
  prefixBytes = head
  suffixBytes = tail
  const end: usize = bodyAt + bytes
  recordsAt = (end + 63) & ~15
  recordsEnd = recordsAt
  valueBytes = 0
  if (form === 0) return readEnvelope(end)
  return form === 1 ? readLines(end) : readOne(end)
}

/** Checks whether the body of `bytes` bytes, which no zeros follow yet, is certainly one value. */
export function isValue(bytes: i32): bool {
  const end: usize = bodyAt + bytes
  memory.fill(end, 0, 32)
  return skipSpace(valueEnd(skipSpace(bodyAt))) === end
}
