/** Reads JSON from the kernel's memory, where zero bytes follow the body. No valid JSON contains a
 * zero byte, so no loop runs past the end of the body. A function that reads something returns the
 * place after it, or 0 if it is malformed.
 */

export const quote = 34
export const comma = 44
export const minus = 45
export const zero = 48
export const colon = 58
export const openBracket = 91
const backslash = 92
export const closeBracket = 93
export const openBrace = 123
export const closeBrace = 125
const letterU = 117

/** Maximum nesting of a value in a decision, whose own object is one level. */
const depthMax = 63
/** The open brackets and braces around the current value. */
const stack = memory.data(64)

/** Bytes that decoding the string that was read last saves. */
export let saved: i32 = 0
/** Whether a string that was read had an escaped U+0000 or surrogate without its pair. */
export let isOdd: bool = false
/** Length of the name that was read last. */
export let nameBytes: i32 = 0

export function resetIsOdd(): void {
  isOdd = false
}

export function byte(at: usize): i32 {
  return load<u8>(at)
}

export function skipSpace(from: usize): usize {
  let at = from
  while (true) {
    const code = byte(at)
    if (code > 32 || (code !== 32 && code !== 10 && code !== 13 && code !== 9)) return at
    at += 1
  }
}

/** Returns the value of a hexadecimal digit, or a value above 15. */
export function hexValue(code: i32): i32 {
  const digit = code - zero
  if ((digit as u32) <= 9) return digit
  const letter = (code | 32) - 97
  return (letter as u32) <= 5 ? letter + 10 : 255
}

/** Returns the UTF-16 unit with the four hexadecimal digits at `at`, or -1. */
function unitAt(at: usize): i32 {
  const a = hexValue(byte(at))
  const b = hexValue(byte(at + 1))
  const c = hexValue(byte(at + 2))
  const d = hexValue(byte(at + 3))
  return (a | b | c | d) <= 15 ? (a << 12) | (b << 8) | (c << 4) | d : -1
}

/** Returns the byte that an escape other than `\u` stands for, or 0. */
function escaped(code: i32): i32 {
  switch (code) {
    case quote:
    case backslash:
    case 47:
      return code
    case 98:
      return 8
    case 102:
      return 12
    case 110:
      return 10
    case 114:
      return 13
    case 116:
      return 9
    default:
      return 0
  }
}

function isHighSurrogate(unit: i32): bool {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLowSurrogate(unit: i32): bool {
  return unit >= 0xdc00 && unit < 0xe000
}

/** Returns the place of the next quote, backslash or control character. */
function plainEnd(from: usize): usize {
  let at = from
  while (true) {
    const chunk = v128.load(at)
    const quotes = i8x16.eq(chunk, i8x16.splat(quote as i8))
    const slashes = i8x16.eq(chunk, i8x16.splat(backslash as i8))
    const controls = i8x16.lt_u(chunk, i8x16.splat(32))
    const hits = i8x16.bitmask(v128.or(v128.or(quotes, slashes), controls))
    if (hits !== 0) return at + ctz(hits)
    at += 16
  }
}

/** Reads the rest of a string after its opening quote. */
export function stringEnd(from: usize): usize {
  let at = from
  saved = 0
  while (true) {
    at = plainEnd(at)
    const code = byte(at)
    if (code === quote) return at + 1
    if (code !== backslash) return 0
    if (byte(at + 1) !== letterU) {
      if (escaped(byte(at + 1)) === 0) return 0
      at += 2
      saved += 1
      continue
    }
    const unit = unitAt(at + 2)
    if (unit < 0) return 0
    at += 6
    if (isHighSurrogate(unit) && byte(at) === backslash && byte(at + 1) === letterU) {
      if (isLowSurrogate(unitAt(at + 2))) {
        at += 6
        saved += 12 - 4
        continue
      }
    }
    if (unit === 0 || isHighSurrogate(unit) || isLowSurrogate(unit)) isOdd = true
    saved += 6 - (unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3)
  }
}

export function digitsEnd(from: usize): usize {
  let at = from
  while (((byte(at) - zero) as u32) <= 9) at += 1
  return at
}

/** Reads a number, `true`, `false` or `null`. */
function scalarEnd(from: usize): usize {
  switch (byte(from)) {
    case 116:
      return load<u32>(from) === 0x65757274 ? from + 4 : 0
    case 110:
      return load<u32>(from) === 0x6c6c756e ? from + 4 : 0
    case 102:
      return load<u32>(from + 1) === 0x65736c61 ? from + 5 : 0
    default:
      return numberEnd(from)
  }
}

function numberEnd(from: usize): usize {
  const whole = byte(from) === minus ? from + 1 : from
  let at = byte(whole) === zero ? whole + 1 : digitsEnd(whole)
  if (at === whole) return 0
  if (byte(at) === 46) {
    const fraction = at + 1
    at = digitsEnd(fraction)
    if (at === fraction) return 0
  }
  if ((byte(at) | 32) === 101) {
    const sign = byte(at + 1)
    const exponent = sign === 43 || sign === minus ? at + 2 : at + 1
    at = digitsEnd(exponent)
    if (at === exponent) return 0
  }
  return at
}

/** Reads the name of a member, up to its value. */
export function nameEnd(from: usize): usize {
  if (byte(from) !== quote) return 0
  let at = stringEnd(from + 1)
  if (at === 0) return 0
  nameBytes = ((at - from) as i32) - 2
  at = skipSpace(at)
  return byte(at) === colon ? skipSpace(at + 1) : 0
}

/** Reads a value. Returns 0 if it is nested too deeply, too. */
export function valueEnd(from: usize): usize {
  let at = from
  let depth = 0
  while (true) {
    const code = byte(at)
    if (code === openBrace || code === openBracket) {
      if (depth === depthMax) return 0
      store<u8>(stack + depth, code)
      depth += 1
      at = skipSpace(at + 1)
      // The codes of `}` and `]` are those of `{` and `[` plus 2.
      if (byte(at) !== code + 2) {
        if (code === openBrace) at = nameEnd(at)
        if (at === 0) return 0
        continue
      }
    } else {
      at = code === quote ? stringEnd(at + 1) : scalarEnd(at)
      if (at === 0) return 0
    }
    while (true) {
      if (depth === 0) return at
      at = skipSpace(at)
      const open: i32 = load<u8>(stack + depth - 1)
      if (byte(at) === comma) {
        at = skipSpace(at + 1)
        if (open === openBrace) at = nameEnd(at)
        if (at === 0) return 0
        break
      }
      if (byte(at) !== open + 2) return 0
      at += 1
      depth -= 1
    }
  }
}

/** Writes the string from `from` to `last` with its escapes decoded. Returns the place after it. */
export function decodeTo(to: usize, from: usize, last: usize): usize {
  let at = to
  let read = from
  while (read < last) {
    const chunk = v128.load(read)
    v128.store(at, chunk)
    const slashes = i8x16.bitmask(i8x16.eq(chunk, i8x16.splat(backslash as i8)))
    const plain: usize = slashes === 0 ? 16 : ctz(slashes)
    if (read + plain >= last) return at + (last - read)
    read += plain
    at += plain
    if (slashes === 0) continue
    if (byte(read + 1) !== letterU) {
      store<u8>(at, escaped(byte(read + 1)))
      at += 1
      read += 2
      continue
    }
    const unit = unitAt(read + 2)
    read += 6
    if (isHighSurrogate(unit)) {
      at = writeUtf8(at, 0x10000 + ((unit & 0x3ff) << 10) + (unitAt(read + 2) & 0x3ff))
      read += 6
    } else at = writeUtf8(at, unit)
  }
  return at
}

function writeUtf8(at: usize, point: i32): usize {
  if (point < 0x80) {
    store<u8>(at, point)
    return at + 1
  }
  // The first byte has as many leading ones as there are bytes.
  const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3
  store<u8>(at, (0xf00 >> (more + 1)) | (point >> (6 * more)))
  for (let each = 1; each <= more; each++) {
    store<u8>(at + each, 0x80 | ((point >> (6 * (more - each))) & 63))
  }
  return at + more + 1
}
