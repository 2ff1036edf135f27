import TestSupport
import Testing

@testable import HeliographInspector

struct HARTimingsTests {
  @Test func connectContainsTLSAndTheTotalIsTheSum() {
    let timings = HARTimings(
      ExchangePhases(
        blocked: .microseconds(1_500), connect: .microseconds(200), tls: .microseconds(300), wait: .microseconds(7)))
    expectEqual(timings.connect, 500)
    expectEqual(timings.ssl, 300)
    expectEqual(timings.dns, -1)
    expectEqual(timings.total, 2_007)
    var bytes: [UInt8] = []
    timings.append(to: &bytes)
    expectEqual(
      String(decoding: bytes, as: UTF8.self),
      #""blocked":1.500,"dns":-1,"connect":0.500,"ssl":0.300,"send":0.000,"wait":0.007,"receive":0.000"#)
  }
}
