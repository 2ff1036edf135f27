extension NetworkError {
  /// Returns the built-in user-facing message.
  ///
  /// It depends on the party at fault, so that a server's failure is not presented as a "network error".
  /// - Parameter language: the language.
  /// - Returns: a sentence; never empty.
  public func message(in language: UserLanguage) -> String {
    let words = self.words
    return switch language {
    case .english: words.english
    case .simplifiedChinese: words.chinese
    }
  }

  private struct Words {
    let english: String
    let chinese: String

    init(_ english: String, _ chinese: String) {
      self.english = english
      self.chinese = chinese
    }
  }

  private var words: Words {
    switch domain {
    case .client: clientWords
    case .network: networkWords
    case .server: serverWords
    case .api: Words("The operation failed.", "操作失败。")
    case .processing: processingWords
    }
  }

  private var clientWords: Words {
    switch code {
    case .unreachable: Words("There is no network connection.", "无法连接到网络")
    case .cancelled: Words("This was cancelled.", "操作已取消。")
    case .contextChanged: Words("This is no longer up to date.", "当前内容已失效。")
    case .circuitOpen:
      Words("The server is having trouble. Please try again in a minute.", "服务器暂时出现故障，请一分钟后再试。")
    case .insecureAddress, .insecureRedirect:
      Words("The connection would not be secure.", "连接不安全，已停止访问。")
    case .requestTooLarge: Words("This is too large.", "内容过大。")
    case .switchRefused: Words("The environment cannot be changed.", "无法切换环境。")
    default: Words("The request could not be sent.", "请求无法发送。")
    }
  }

  private var networkWords: Words {
    switch (attribution.party, code) {
    // Without a network, or after waiting too long in the queue.
    case (.client, .timedOut):
      return Words("This could not be sent in time. Please check the network.", "请求未能及时发送，请检查网络。")
    case (.client, .responseTooLarge): return Words("This is too large to load.", "内容过大，无法加载。")
    case (.client, .rejectedClientCertificate),
      (.server, .secureConnectionFailed), (.server, .untrustedCertificate), (.undetermined, .secureConnectionFailed),
      (.undetermined, .untrustedCertificate):
      return Words("No secure connection could be made.", "无法建立安全连接。")
    case (.client, _): return Words("This device has no network connection.", "设备未连接到网络。")
    case (.path, _):
      return Words("The network connection is not working. Please try again.", "网络连接不稳定，请重试。")
    case (.server, .timedOut):
      return Words("The server takes too long to answer. Please try again later.", "服务器响应超时，请稍后再试。")
    case (.server, .invalidResponse), (.server, .undecodableBody):
      return Words("The server's answer is not valid.", "服务器的响应无效。")
    case (.server, _):
      return Words("The server is out of order. Please try again later.", "服务器暂时不可用，请稍后再试。")
    case (.undetermined, _):
      return Words("The server could not be reached. Please try again.", "无法连接到服务器，请重试。")
    }
  }

  private var serverWords: Words {
    switch code.rawValue {
    case 401: Words("Sign-in is required, or was not accepted.", "未登录，或登录信息未被接受。")
    case 403: Words("You are not allowed to do this.", "您没有权限执行此操作。")
    case 404, 410: Words("This does not exist any more.", "内容不存在或已被删除。")
    case 407, 511: Words("The network wants you to sign in to it.", "当前网络需要登录认证。")
    case 413: Words("This is too large.", "内容过大。")
    case 429: Words("Too many requests. Please wait a moment.", "请求过于频繁，请稍候再试。")
    case 400..<500: Words("The server did not accept the request.", "服务器未接受该请求。")
    case 500...: Words("The server has a problem. Please try again later.", "服务器出现问题，请稍后再试。")
    default: Words("The server could not answer the request.", "服务器无法处理该请求。")
    }
  }

  private var processingWords: Words {
    switch code {
    case .transformFailed: Words("The app could not use the server's answer.", "应用无法处理服务器的数据。")
    case .emptyBody: Words("The server's answer is empty.", "服务器没有返回数据。")
    default: Words("The format of the server's answer is wrong.", "服务器返回的数据格式错误！")
    }
  }
}
