package import Foundation

extension NetworkError {
  /// Returns the error of a file that cannot be created or opened; a full disk has a code of its own.
  package static func cannotCreate(_ url: URL, _ number: Int32) -> NetworkError {
    file(.cannotCreateFile, "cannot create \(url.path.singleLine)", number)
  }

  package static func cannotWrite(_ url: URL, _ number: Int32) -> NetworkError {
    file(.cannotWriteFile, "cannot write \(url.path.singleLine)", number)
  }

  /// Returns the error of a file that exceeds ``ResponseLimits/streamedByteCount``.
  static func fileTooLarge(_ limit: Int) -> NetworkError {
    NetworkError(.responseTooLarge, reason: "file over the limit of \(limit) bytes")
  }

  private static func file(_ code: Code, _ reason: String, _ number: Int32) -> NetworkError {
    // A quota and the process's file size limit also count as a lack of space.
    let code = [ENOSPC, EDQUOT, EFBIG].contains(number) ? .diskFull : code
    let cause = POSIXErrorCode(rawValue: number).map { POSIXError($0) }
    return NetworkError(code, reason: "\(reason): \(String(cString: strerror(number)))", underlying: cause)
  }
}
