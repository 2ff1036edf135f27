import Foundation
import Testing

@testable import Heliograph

@Suite struct PEMTests {
  private func block(_ label: String, _ text: String) -> String {
    "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
  }

  private func certificates(_ text: String) -> [Data] { PEM.certificates(in: Data(text.utf8)) }

  @Test func certificatesAreFoundAmongOtherThings() {
    let text =
      "subject=CN = ca\r\n" + block("CERTIFICATE", "AQID") + block("PRIVATE KEY", "BAUG") + "# another\n"
      + block("CERTIFICATE", "Bwg=\r\n")
    #expect(certificates(text) == [Data([1, 2, 3]), Data([7, 8])])
  }

  @Test func whatIsCutOffIsNone() {
    let whole = block("CERTIFICATE", "AQID")
    #expect(certificates(whole + "-----BEGIN CERTIFICATE-----\nAQID\n") == [Data([1, 2, 3])])
    #expect(certificates(whole + block("CERTIFICATE", "")) == [Data([1, 2, 3])])
    #expect(certificates(whole + block("CERTIFICATE", "AQI")) == [Data([1, 2, 3])])
    #expect(certificates("").isEmpty)
    #expect(certificates(block("PRIVATE KEY", "AQID")).isEmpty)
  }

  @Test(.enabled(if: Certificates.openssl != nil)) func openSSLsFilesAreRead() throws {
    let data = try Data(contentsOf: Certificates.file("ca.pem"))
    let found = PEM.certificates(in: data + data)
    #expect(found.count == 2)
    // A sequence with a length in two bytes, which is all there is.
    let bytes = [UInt8](try #require(found.first))
    #expect(bytes.starts(with: [0x30, 0x82]))
    #expect(Int(bytes[2]) * 256 + Int(bytes[3]) + 4 == bytes.count)
  }
}
