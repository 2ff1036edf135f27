import Foundation

extension NetworkError {
  /// Returns the built-in user-facing message.
  ///
  /// It depends on the party at fault, so that a server's failure is not presented as a "network error".
  /// - Parameter language: The language.
  /// - Returns: A sentence; never empty.
  public func message(in language: UserLanguage) -> String {
    let texts = self.texts
    return switch language {
    case .english: texts.english
    case .simplifiedChinese: texts.chinese
    }
  }

  private typealias Texts = (english: String, chinese: String)

  private var texts: Texts {
    switch domain {
    case .client: clientTexts
    case .network: networkTexts
    case .server: serverTexts
    case .api: ("The operation couldn't be completed.", "操作失败。")
    case .processing: processingTexts
    }
  }

  private var clientTexts: Texts {
    switch code {
    case .unreachable: ("You're offline. Check your connection and try again.", "无法连接到网络")
    case .cancelled: ("Cancelled.", "操作已取消。")
    case .contextChanged: ("Your account or settings have changed. Please try again.", "账号或设置已更改，请重试。")
    case .circuitOpen:
      ("The server is having problems. Please try again in a minute.", "服务器暂时出现故障，请一分钟后再试。")
    case .insecureAddress, .insecureRedirect:
      ("This connection isn't secure, so it was blocked.", "连接不安全，已停止访问。")
    case .invalidRedirect, .pageLoop: ("The server sent an invalid response.", "服务器的响应无效。")
    case .requestTooLarge: ("This is too large to send.", "内容过大，无法发送。")
    case .recoveryRefused:
      ("Your session has expired. Please sign in again.", "登录状态已失效，请重新登录。")
    case .recoveryTimedOut:
      ("Signing in again took too long. Please try again.", "登录状态未能及时更新，请重试。")
    case .cannotCreateFile, .cannotWriteFile: ("The file couldn't be saved.", "文件无法保存。")
    case .diskFull: ("There isn't enough free space to save the file.", "存储空间不足，文件无法保存。")
    case .fileInUse: ("This file is already being downloaded.", "文件正在下载中。")
    case .noValue: ("There is nothing to show.", "没有可显示的内容。")
    case .switchRefused: ("The environment can't be changed.", "无法切换环境。")
    default: ("The request couldn't be sent.", "请求无法发送。")
    }
  }

  private var networkTexts: Texts {
    let noSecureConnection = ("A secure connection couldn't be made.", "无法建立安全连接。")
    switch (attribution.party, code) {
    // Without a network, or after waiting too long in the queue.
    case (.client, .timedOut):
      return ("The request couldn't be sent in time. Check your connection.", "请求未能及时发送，请检查网络。")
    case (.client, .responseTooLarge): return ("This is too large to load.", "内容过大，无法加载。")
    // The app's own setup and files, which the user cannot mend: App Transport Security, background sessions, uploads.
    case (.client, .network(-1022)): return ("This connection isn't secure, so it was blocked.", "连接不安全，已停止访问。")
    case (.client, _) where [-995, -996, -997, -1002, -1100, -1101, -1102].contains(code.number):
      return ("The request couldn't be sent.", "请求无法发送。")
    case (.client, _) where (-3005 ... -3000).contains(code.number):
      return ("The file couldn't be saved.", "文件无法保存。")
    // With a network: the process has no free file descriptor.
    case (.client, .cannotConnect) where attribution.evidence != nil && !isOffline:
      return ("The request couldn't be sent.", "请求无法发送。")
    case (.client, .rejectedClientCertificate): return noSecureConnection
    case (.client, _): return ("You're offline. Check your connection and try again.", "无法连接到网络")
    case (_, .secureConnectionFailed), (_, .untrustedCertificate): return noSecureConnection
    case (.path, _):
      return ("Your connection isn't working properly. Please try again.", "网络连接不稳定，请重试。")
    case (.server, .timedOut):
      return ("The server took too long to respond. Please try again later.", "服务器响应超时，请稍后再试。")
    case (.server, .invalidResponse), (.server, .undecodableBody):
      return ("The server sent an invalid response.", "服务器的响应无效。")
    case (.server, _):
      return ("The server isn't available right now. Please try again later.", "服务器暂时不可用，请稍后再试。")
    // Also a total timeout, or that of `timeout(_:failing:)`, while the server responds.
    case (.undetermined, .timedOut): return ("The request took too long. Please try again.", "请求超时，请重试。")
    case (.undetermined, .connectionLost) where response != nil:
      return ("The connection was interrupted. Please try again.", "连接已中断，请重试。")
    case (.undetermined, _):
      return ("Couldn't connect to the server. Please try again.", "无法连接到服务器，请重试。")
    }
  }

  private var serverTexts: Texts {
    switch code.number {
    case 401: ("Please sign in to continue.", "请登录后继续。")
    case 403: ("You don't have permission to do this.", "您没有权限执行此操作。")
    case 404: ("This couldn't be found.", "未找到相关内容。")
    case 410: ("This is no longer available.", "内容已被移除。")
    case 407, 511: ("This network requires you to sign in.", "当前网络需要登录认证。")
    case 413: ("This is too large to send.", "内容过大，无法发送。")
    case 429: ("Too many requests. Please wait a moment and try again.", "请求过于频繁，请稍候再试。")
    case 400..<500: ("The server rejected the request.", "服务器未接受该请求。")
    case 500...: ("The server had a problem. Please try again later.", "服务器出现问题，请稍后再试。")
    default: ("The server couldn't process the request.", "服务器无法处理该请求。")
    }
  }

  private var processingTexts: Texts {
    switch code {
    case .transformFailed: ("The server's response couldn't be read.", "无法读取服务器返回的数据。")
    case .emptyBody: ("The server's response was empty.", "服务器没有返回数据。")
    case .digestMismatch: ("The download is damaged. Please try again.", "文件已损坏，请重新下载。")
    default: ("The server's response couldn't be read.", "服务器返回的数据格式错误！")
    }
  }
}

/// A language of the built-in user-facing messages.
///
/// New cases may be added, so a `switch` should have a `default`.
public enum UserLanguage: Sendable, Hashable, CaseIterable {
  /// English, which is also the fallback for unsupported languages.
  case english
  /// Simplified Chinese.
  case simplifiedChinese

  /// The user's language: the first of the system's preferred languages that is supported.
  ///
  /// On Linux these are `LANGUAGE`, then the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty, as set when
  /// the process started.
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
