import HeliographTestSupport
import TestSupport
import Testing

/// Where the tests look for the program that they start.
struct ChildTests {
  /// The arguments of a run by SwiftPM and by Xcode on a Mac, and by SwiftPM on Linux.
  @Test(
    arguments: [
      ([], ["/x/swiftpm-testing-helper", "--test-bundle-path", "/b/All.xctest/Contents/MacOS/All", "--filter", "a"]),
      (["/x/Xcode.app", "/b/All.xctest"], ["/x/xctest"]),
      (["/b"], ["/b/All.xctest/Contents/MacOS/All"]),
      (["/b"], ["/b/All.xctest/Contents/MacOS/All", "--test-bundle-path"]),
    ])
  func theBundleIsFound(_ bundles: [String], _ arguments: [String]) {
    expect(Child.testBundle(among: bundles, arguments: arguments).hasPrefix("/b/All.xctest"))
  }
}
