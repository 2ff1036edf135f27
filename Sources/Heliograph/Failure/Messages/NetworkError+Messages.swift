extension NetworkError {
  /// Returns the built-in user-facing message.
  ///
  /// It depends on the party at fault, so that a server's failure is not presented as a "network error".
  /// - Parameter language: the language.
  /// - Returns: a sentence; never empty.
  public func message(in language: UserLanguage) -> String {
    let texts = self.texts
    return switch language {
    case .english: texts.english
    case .simplifiedChinese: texts.chinese
    }
  }

  private struct Texts {
    let english: String
    let chinese: String

    init(_ english: String, _ chinese: String) {
      self.english = english
      self.chinese = chinese
    }
  }

  private var texts: Texts {
    switch domain {
    case .client: clientTexts
    case .network: networkTexts
    case .server: serverTexts
    case .api: Texts("The operation failed.", "操作失败。")
    case .processing: processingTexts
    }
  }

  private var clientTexts: Texts {
    switch code {
    case .unreachable: Texts("There is no network connection.", "无法连接到网络")
    case .cancelled: Texts("This was cancelled.", "操作已取消。")
    case .contextChanged: Texts("This is no longer up to date.", "当前内容已失效。")
    case .circuitOpen:
      Texts("The server is having trouble. Please try again in a minute.", "服务器暂时出现故障，请一分钟后再试。")
    case .insecureAddress, .insecureRedirect:
      Texts("The connection would not be secure.", "连接不安全，已停止访问。")
    case .requestTooLarge: Texts("This is too large.", "内容过大。")
    case .recoveryRefused:
      Texts("Your session has expired. Please sign in again.", "登录状态无法更新，请重新登录。")
    case .recoveryTimedOut:
      Texts("Signing in again took too long. Please try again.", "登录状态未能及时更新，请重试。")
    case .cannotCreateFile, .cannotWriteFile: Texts("The file could not be saved.", "文件无法保存。")
    case .diskFull: Texts("There is not enough space to save the file.", "存储空间不足，文件无法保存。")
    case .fileInUse: Texts("The file is already being downloaded.", "文件正在下载中。")
    case .switchRefused: Texts("The environment cannot be changed.", "无法切换环境。")
    default: Texts("The request could not be sent.", "请求无法发送。")
    }
  }

  private var networkTexts: Texts {
    switch (attribution.party, code) {
    // Without a network, or after waiting too long in the queue.
    case (.client, .timedOut):
      return Texts("This could not be sent in time. Please check the network.", "请求未能及时发送，请检查网络。")
    case (.client, .responseTooLarge): return Texts("This is too large to load.", "内容过大，无法加载。")
    case (.client, .rejectedClientCertificate),
      (.server, .secureConnectionFailed), (.server, .untrustedCertificate), (.undetermined, .secureConnectionFailed),
      (.undetermined, .untrustedCertificate):
      return Texts("No secure connection could be made.", "无法建立安全连接。")
    case (.client, _): return Texts("This device has no network connection.", "设备未连接到网络。")
    case (.path, _):
      return Texts("The network connection is not working. Please try again.", "网络连接不稳定，请重试。")
    case (.server, .timedOut):
      return Texts("The server takes too long to answer. Please try again later.", "服务器响应超时，请稍后再试。")
    case (.server, .invalidResponse), (.server, .undecodableBody):
      return Texts("The server's answer is not valid.", "服务器的响应无效。")
    case (.server, _):
      return Texts("The server is out of order. Please try again later.", "服务器暂时不可用，请稍后再试。")
    case (.undetermined, _):
      return Texts("The server could not be reached. Please try again.", "无法连接到服务器，请重试。")
    }
  }

  private var serverTexts: Texts {
    switch code.number {
    case 401: Texts("Sign-in is required, or was not accepted.", "未登录，或登录信息未被接受。")
    case 403: Texts("You are not allowed to do this.", "您没有权限执行此操作。")
    case 404, 410: Texts("This does not exist any more.", "内容不存在或已被删除。")
    case 407, 511: Texts("The network wants you to sign in to it.", "当前网络需要登录认证。")
    case 413: Texts("This is too large.", "内容过大。")
    case 429: Texts("Too many requests. Please wait a moment.", "请求过于频繁，请稍候再试。")
    case 400..<500: Texts("The server did not accept the request.", "服务器未接受该请求。")
    case 500...: Texts("The server has a problem. Please try again later.", "服务器出现问题，请稍后再试。")
    default: Texts("The server could not answer the request.", "服务器无法处理该请求。")
    }
  }

  private var processingTexts: Texts {
    switch code {
    case .transformFailed: Texts("The app could not use the server's answer.", "应用无法处理服务器的数据。")
    case .emptyBody: Texts("The server's answer is empty.", "服务器没有返回数据。")
    case .digestMismatch: Texts("The downloaded file is damaged. Please try again.", "文件已损坏，请重新下载。")
    default: Texts("The format of the server's answer is wrong.", "服务器返回的数据格式错误！")
    }
  }
}
