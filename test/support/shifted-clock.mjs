/** Loaded before a program, it sets its wall clock off by SLUICE_TEST_CLOCK_OFFSET_MS. */
const offsetMs = Number(process.env['SLUICE_TEST_CLOCK_OFFSET_MS'] ?? 0)
const RealDate = globalThis.Date

/** The current time is shifted; times that are given are left as they are. */
class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs)
    else super(...given)
  }

  static now() {
    return RealDate.now() + offsetMs
  }
}

globalThis.Date = ShiftedDate
