import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct CalendarDayTests {
  @Test(
    arguments: [
      (1970, 1, 1, 0), (1970, 3, 1, 59), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (1900, 3, 1, -25_508),
      (1601, 1, 1, -134_774), (9999, 12, 31, 2_932_896), (0, 1, 1, -719_528), (-400, 3, 1, -865_565),
    ] as [(Int64, Int64, Int64, Int64)])
  func daysHaveNumbers(_ year: Int64, _ month: Int64, _ day: Int64, _ number: Int64) {
    expectEqual(CalendarDay.number(year, month, day), number)
    expect(CalendarDay.date(number) == (year, month, day))
  }

  @Test func everyDayFollowsTheOneBefore() {
    var number = CalendarDay.number(1896, 1, 1)
    var wrong = 0
    for year in Int64(1896)...2404 {
      for month in Int64(1)...12 {
        for day in 1...CalendarDay.count(inMonth: month, of: year) {
          if CalendarDay.number(year, month, day) != number || CalendarDay.date(number) != (year, month, day) {
            wrong += 1
          }
          number += 1
        }
      }
    }
    expectEqual(wrong, 0)
  }

  @Test(arguments: [(2000, 29), (1900, 28), (2024, 29), (2023, 28), (2100, 28)] as [(Int64, Int64)])
  func februaryHasLeapDays(_ year: Int64, _ count: Int64) {
    expectEqual(CalendarDay.count(inMonth: 2, of: year), count)
  }
}
