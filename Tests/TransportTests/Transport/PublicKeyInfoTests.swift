import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// Pins of keys, beside what `openssl pkey -pubout -outform DER | openssl dgst -sha256 -binary | base64` says of them.
struct PublicKeyInfoTests {
  private struct Vector: Sendable {
    let algorithm: PublicKeyInfo.Algorithm
    let key: String
    let pin: String
  }

  private static let vectors = [
    Vector(
      algorithm: .p256, key: "BGsC3NHjr1QwspEHEZ1n6KXAhXY7BoRuxAar0Jvej7Bn+OlULg243NtdUVOJDFzcck4b4iIj2weK6dfYfttv89s=",
      pin: "bLHzkveVX8wOrcZThuzLmtvL33EIic4JhYVGtKHwL8o="),
    Vector(
      algorithm: .p384,
      key:
        "BAcEVxr7E9pK9Q2otSwMrzYYmR4P3tioHQo/+g0Qmf1GFNc2zi6wKkZkMNtxj5YjUSShBojS3q5W2ODZNM2Vdm7lwwyfKSv6CLNqTnu/N2Sg"
        + "M4O/fje780UZysGfe4g45A==",
      pin: "i5EzGmOBWOMv4ycyqKzzfF7Mnf9s6tcpqhO3Wjwd+zM="),
    Vector(
      algorithm: .p521,
      key:
        "BAHykOaKiKj9k/aX7kRAHSkVlzpMa0GxzEB4f5gpuMV5QiV433FYVtTPVzoJD6lLEB+GIohkSeXjPO3y2sXglDDLewFBGT2DaSWPHZMQo62E"
        + "YuzWvL9KfClgzfCdqHhLSRggSC1U15b8TqkNnYGW/2HdwcMux9v3F+y9vpLpgjmzeDJjyg==",
      pin: "PSaVprZc/OK8SEcht4F7zXTW1C+NuYuPNP9e5Nle+4Y="),
    Vector(
      algorithm: .rsa,
      key:
        "MIIBCgKCAQEAqJRWmAWoQ3jK+2zeO93zxBuNEHRWda/b1psM7LTLu55CELiQredosT9i7FJH3dXUZ6oQoBK3UaQDZJhhJw6yfOIuCYSA1XQ6"
        + "yIFr6ZEnqxiV5GV/qCEH1MNrwgENeUudl7S/6OePtcPwqt3Sf3369W1ZlBgCJU54KR3hybdh2oQH7iAoRrBDIsKxbm12U6IUTx69ZPMqj0+1"
        + "Lp+ylf5JXHfti1nD0UkNPTM2OGfRXIeXBaVQSXTodotC8VfH6kubQrnVK24ULGmb1EaZ2jhVeL5jNAE6DgRDnkRqhihgaC+JoOuTrclfE/Oc"
        + "velugAnuvyrgKiYnr2nZNe5T4c/GRQIDAQAB",
      pin: "jq+f0v9ZZiRCR7Iz8ppiUF8ARV66syM/btlzlcOx6/M="),
  ]

  @Test("S1-36") func pinsAreThoseOfOpenSSL() throws {
    for vector in Self.vectors {
      let key = try require(Data(base64Encoded: vector.key))
      expectEqual(PublicKeyInfo.pin(of: key, vector.algorithm), vector.pin, "\(vector.algorithm)")
    }
  }

  @Test func theLengthOfAPointTellsTheCurve() throws {
    for vector in Self.vectors where vector.algorithm != .rsa {
      let key = try require(Data(base64Encoded: vector.key))
      expectEqual(PublicKeyInfo.Algorithm(pointOf: key.count), vector.algorithm)
    }
    expectNil(PublicKeyInfo.Algorithm(pointOf: 64))
  }
}
