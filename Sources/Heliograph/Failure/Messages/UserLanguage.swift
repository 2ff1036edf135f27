import Foundation

/// A language that errors can speak to people in.
public enum UserLanguage: Sendable, Hashable, CaseIterable {
  /// English, also for those whose language is not here.
  case english
  /// Chinese in simplified characters.
  case simplifiedChinese

  /// The user's: the first of the system's preferred languages that is here.
  ///
  /// On Linux these are `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG`, in this order, as the process was started with them.
  public static let current = UserLanguage(preferred: systemPreferred)

  /// The first of some preferred languages that is here; English if none is.
  ///
  /// - Parameter preferred: names such as `zh-Hans-CN`, `zh_CN.UTF-8` or `en`, the most preferred one first. Chinese in
  ///   traditional characters is another language.
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
    let list = environment["LANGUAGE"]?.split(separator: ":").map(String.init) ?? []
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    return list + (locale.map { [$0] } ?? [])
    #else
    return Locale.preferredLanguages
    #endif
  }
}
