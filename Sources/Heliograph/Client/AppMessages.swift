/// The app's user-facing messages for the errors of a request, in the order of their precedence.
struct AppMessages: Sendable {
  let ofRequest: [NetworkError.Code: String]
  let ofService: [NetworkError.Code: String]
  let ofClient: [NetworkError.Code: String]

  var isEmpty: Bool { ofRequest.isEmpty && ofService.isEmpty && ofClient.isEmpty }

  /// Returns an error with the app's message, if any, and the presentation style.
  func applied(to error: NetworkError, _ presentation: PresentationStyle?) -> NetworkError {
    // The statuses and `api` codes of a token refresh are those of another request.
    let isForeign = error.isOfRefresh && [.server, .api].contains(error.domain)
    // The request that failed in the refresh has a message already, which may be more specific than the client's.
    let hasMessage = error.isOfRefresh && error.marks.hasAppMessage
    let tables = (isForeign ? [] : [ofRequest, ofService]) + (hasMessage ? [] : [ofClient])
    let codes = error.allCodes
    // The first table's message; a blank one counts as none.
    let message = tables.lazy.flatMap { table in codes.lazy.compactMap { table[$0] } }.first { !$0.isBlank }
    var error = message.map(error.withAppMessage) ?? error
    if let presentation { error.presentation = presentation }
    return error
  }
}
