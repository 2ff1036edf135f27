import Foundation

/// A language of the built-in user-facing messages.
public enum UserLanguage: Sendable, Hashable, CaseIterable {
  /// English, which is also the fallback for unsupported languages.
  case english
  /// Simplified Chinese.
  case simplifiedChinese

  /// The user's language: the first of the system's preferred languages that is supported.
  ///
  /// On Linux these are `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG`, in this order, as set when the process started.
  public static let current = UserLanguage(preferred: systemPreferred)

  /// Creates the first supported language of a list; English if none is supported.
  ///
  /// - Parameter preferred: Names such as `zh-Hans-CN`, `zh_CN.UTF-8` or `en`, in descending order of preference.
  ///   Traditional Chinese is not supported.
  public init(preferred: [String]) {
    for name in preferred {
      let parts = name.lowercased().split { "-_.@".contains($0) }
      if parts.first == "en" { break }
      guard parts.first == "zh", !parts.contains("hant") else { continue }
      if parts.contains("hans") || !parts.contains(where: { ["tw", "hk", "mo"].contains($0) }) {
        self = .simplifiedChinese
        return
      }
    }
    self = .english
  }

  private static var systemPreferred: [String] {
    #if os(Linux)
    let environment = ProcessInfo.processInfo.environment
    let languages = environment["LANGUAGE"]?.split(separator: ":").map(String.init) ?? []
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    return languages + (locale.map { [$0] } ?? [])
    #else
    return Locale.preferredLanguages
    #endif
  }
}
