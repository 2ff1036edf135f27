// swift-format-ignore-file: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase

// What Apple's phones, televisions and watches do not have, for `.ci/apple-check`, which adds this file to every module when it
// checks as iOS. The SDK marks them with API_UNAVAILABLE(ios) or leaves them out.

import Foundation

@available(*, unavailable, message: "macOS only") struct Process {}
@available(*, unavailable, message: "macOS only") struct Host {}
@available(*, unavailable, message: "macOS only") struct XMLDocument {}
@available(*, unavailable, message: "macOS only") struct XMLElement {}
@available(*, unavailable, message: "macOS only") struct XMLNode {}
@available(*, unavailable, message: "macOS only") struct XMLDTD {}
@available(*, unavailable, message: "macOS only") struct XMLDTDNode {}
@available(*, unavailable, message: "macOS only") struct NSAppleScript {}
@available(*, unavailable, message: "macOS only") struct DistributedNotificationCenter {}
@available(*, unavailable, message: "macOS only") let system: Never = fatalError()
@available(*, unavailable, message: "macOS only") let daemon: Never = fatalError()

// Deprecated, as the compiler passes over members that are unavailable.
extension FileManager {
  @available(*, deprecated, message: "macOS only")
  var homeDirectoryForCurrentUser: URL { fatalError() }
  @available(*, deprecated, message: "macOS only")
  func homeDirectory(forUser user: String) -> URL? { nil }
}

extension ProcessInfo {
  @available(*, deprecated, message: "macOS only")
  var userName: String { "" }
  @available(*, deprecated, message: "macOS only")
  var fullUserName: String { "" }
}
