import Foundation

extension RequestBuilder {
  /// Writes the parameters to the query or the body.
  func place(
    _ resolved: ResolvedRequest, _ common: [CommonParameters], _ rules: ParameterRules, into draft: inout RequestDraft
  ) throws(NetworkError) {
    let request = resolved.request
    let shared = common.reduce(Parameters()) { $0.merging($1.parameters) }
    if !request.query.isEmpty { draft.query += try rules.pairs(request.query) }
    if shared.isEmpty, request.parameters.isEmpty { return }
    let hasBody: Bool
    if case .empty = request.body { hasBody = false } else { hasBody = true }
    let isBodiless = [.get, .head, .delete].contains(request.method)
    switch request.options.placement ?? resolved.service?.placement ?? placement {
    case .legacy(let field) where !hasBody && !isBodiless:
      if !shared.isEmpty { draft.query += try rules.pairs(shared) }
      let json = String(decoding: try rules.json(request.parameters), as: UTF8.self)
      draft.form = [ParameterPair(field, json)]
    case .form where !hasBody && !isBodiless:
      draft.form = try rules.pairs(shared.merging(request.parameters))
    case .json where !hasBody && !isBodiless:
      draft.body = .data(try rules.json(shared.merging(request.parameters)))
      draft.suggest(contentType: "application/json")
    default:
      draft.query += try rules.pairs(shared.merging(request.parameters))
    }
  }

  /// Encodes the request's own body.
  func encode(
    _ body: RequestBody, _ rules: ParameterRules, _ json: JSONCoding, into draft: inout RequestDraft
  ) throws(NetworkError) {
    switch body {
    case .empty: break
    case .form(let parameters): draft.form = try rules.pairs(parameters)
    case .multipart(let multipart):
      let (body, contentType) = try multipart.body()
      draft.set(body, contentType)
    case .data(let data, let contentType): draft.set(.data(data), contentType)
    case .file(let url, let contentType): draft.set(.file(url), contentType)
    case .stream(let stream, let contentType): draft.set(.stream(stream), contentType)
    case .json(let value):
      do {
        let data = try (value as? EncodedJSON)?.result.get() ?? json.makeEncoder().encode(value)
        draft.set(.data(data), "application/json")
      } catch {
        throw NetworkError(.client, .invalidBody, reason: "the body cannot be encoded", underlying: error)
      }
    }
  }
}

extension RequestDraft {
  fileprivate mutating func set(_ body: HTTPBody, _ contentType: String) {
    self.body = body
    if !contentType.isEmpty { suggest(contentType: contentType) }
  }

  /// Sets the content type unless the caller has set one.
  mutating func suggest(contentType: String) {
    if headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
  }
}
