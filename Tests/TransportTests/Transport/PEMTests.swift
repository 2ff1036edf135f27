import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct PEMTests {
  private func block(_ label: String, _ text: String) -> String {
    "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
  }

  private func certificates(_ text: String) -> [Data] { PEM.certificates(in: Data(text.utf8)) }

  @Test func certificatesAreFoundAmongOtherThings() {
    let text =
      "subject=CN = ca\r\n" + block("CERTIFICATE", "AQID") + block("PRIVATE KEY", "BAUG") + "# another\n"
      + block("CERTIFICATE", "Bwg=\r\n")
    expectEqual(certificates(text), [Data([1, 2, 3]), Data([7, 8])])
  }

  @Test func whatIsCutOffIsNone() {
    let whole = block("CERTIFICATE", "AQID")
    expectEqual(certificates(whole + "-----BEGIN CERTIFICATE-----\nAQID\n"), [Data([1, 2, 3])])
    expectEqual(certificates(whole + block("CERTIFICATE", "")), [Data([1, 2, 3])])
    expectEqual(certificates(whole + block("CERTIFICATE", "AQI")), [Data([1, 2, 3])])
    expect(certificates("").isEmpty)
    expect(certificates(block("PRIVATE KEY", "AQID")).isEmpty)
  }

  @Test("S1-36", .enabled(if: Certificates.openssl != nil)) func openSSLsFilesAreRead() throws {
    let data = try Data(contentsOf: Certificates.file("ca.pem"))
    let found = PEM.certificates(in: data + data)
    expectEqual(found.count, 2)
    // A sequence with a length in two bytes, which is all there is.
    let bytes = [UInt8](try require(found.first))
    expect(bytes.starts(with: [0x30, 0x82]))
    expectEqual(Int(bytes[2]) * 256 + Int(bytes[3]) + 4, bytes.count)
  }
}
