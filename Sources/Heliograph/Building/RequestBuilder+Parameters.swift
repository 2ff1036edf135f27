import Foundation

extension RequestBuilder {
  func writeParameters(
    of resolved: ResolvedRequest, _ common: [CommonParameters], _ rules: ParameterRules, into draft: inout RequestDraft
  ) throws(NetworkError) {
    let request = resolved.request
    if common.isEmpty, request.query.isEmpty, request.parameters.isEmpty { return }
    if !request.query.isEmpty { draft.query += try rules.pairs(request.query) }
    let shared = common.isEmpty ? Parameters() : try shared(common, by: request, draft, rules)
    if shared.isEmpty, request.parameters.isEmpty { return }
    let hasBody: Bool
    if case .empty = request.body { hasBody = false } else { hasBody = true }
    let isBodiless = [.get, .head, .delete].contains(request.method)
    switch request.options.placement ?? resolved.ofService({ $0.placement }) ?? placement {
    case .legacy(let field) where !hasBody && !isBodiless:
      var shared = shared
      for (name, _) in try request.parameters.object().members(rules.keys) { shared[name] = nil }
      draft.query += try rules.pairs(shared)
      let json = String(decoding: try rules.json(request.parameters), as: UTF8.self)
      draft.setForm([ParameterPair(field, json)], request)
    case .form where !hasBody && !isBodiless:
      draft.setForm(try rules.pairs(merged(shared, request.parameters, rules)), request)
    case .json where !hasBody && !isBodiless:
      draft.setJSON(try rules.json(merged(shared, request.parameters, rules)), request)
    default:
      draft.query += try rules.pairs(merged(shared, request.parameters, rules))
    }
  }

  /// Returns the parameters of common sets without the names that the URL, the query or the form of the request has.
  ///
  /// Called before the request's ``Request/parameters`` are added, which replace common ones wherever these are
  /// written.
  private func shared(
    _ common: [CommonParameters], by request: Request, _ draft: RequestDraft, _ rules: ParameterRules
  ) throws(NetworkError) -> Parameters {
    var shared = common.reduce(Parameters()) { $0.merging($1.parameters) }.naming(by: rules.keys)
    var names = draft.url.queryNames
    // As written, with `[]` and the like, and as described: a null value may not be written.
    for pair in draft.query + draft.form { names.append(Array(pair.name.utf8)) }
    for (name, _) in try request.query.object().members(rules.keys) { names.append(Array(name.utf8)) }
    switch request.body {
    case .form(let form): for (name, _) in try form.object().members(rules.keys) { names.append(Array(name.utf8)) }
    case .multipart(let multipart): for part in multipart.parts { names.append(Array(part.name.utf8)) }
    default: break
    }
    if names.isEmpty { return shared }
    let opening = UInt8(ascii: rules.objects == .dots ? "." : "[")
    for (name, _) in try shared.object() {
      let isOwn = names.contains { own in
        guard own.starts(with: name.utf8) else { return false }
        let rest = own.dropFirst(name.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "[") || rest.first == opening
      }
      if isOwn { shared[name] = nil }
    }
    return shared
  }

  /// Merges common parameters with those of a request by the names that are sent.
  private func merged(_ shared: Parameters, _ own: Parameters, _ rules: ParameterRules) -> Parameters {
    shared.isEmpty ? own : shared.merging(own.naming(by: rules.keys))
  }

  func encode(
    _ request: Request, _ rules: ParameterRules, _ json: JSONCoding, into draft: inout RequestDraft
  ) throws(NetworkError) {
    switch request.body {
    case .empty: break
    case .form(let parameters): draft.setForm(try rules.pairs(parameters), request)
    case .multipart(let multipart):
      let (body, contentType) = try multipart.body()
      draft.set(body, contentType, request)
      if let own = request.headers["Content-Type"], own.mediaType.hasPrefix("multipart/") {
        draft.headers["Content-Type"] = try own.bounded(by: contentType)
      }
    case .data(let data, let contentType): draft.set(.data(data), contentType, request)
    case .file(let url, let contentType): draft.set(.file(url), contentType, request)
    case .stream(let stream, let contentType): draft.set(.stream(stream), contentType, request)
    case .json(let value):
      do {
        let data = try (value as? EncodedJSON)?.result.get() ?? json.makeEncoder().encode(value)
        draft.setJSON(data, request)
      } catch {
        throw NetworkError(.invalidBody, reason: "cannot encode the body", underlying: error)
      }
    }
  }
}

extension URL {
  /// The decoded names in the query, such as that of a link to the next page.
  fileprivate var queryNames: [[UInt8]] {
    guard absoluteString.utf8.contains(UInt8(ascii: "?")) else { return [] }
    return (query(percentEncoded: true) ?? "").queryPieces.map(\.nameAndValue.name)
  }
}

extension RequestDraft {
  /// Sets the body and its content type, which replaces a default content type but not the request's own.
  fileprivate mutating func set(_ body: HTTPBody, _ contentType: String, _ request: Request) {
    self.body = body
    if !contentType.isEmpty, request.headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
  }

  /// Sets a JSON body; a default JSON content type remains, because it may be more precise.
  fileprivate mutating func setJSON(_ data: Data, _ request: Request) {
    set(.data(data), headers["Content-Type"]?.isJSONMediaType == true ? "" : "application/json", request)
  }

  /// Sets the fields of a form; a default content type of another body is removed.
  fileprivate mutating func setForm(_ pairs: [ParameterPair], _ request: Request) {
    form = pairs
    guard !pairs.isEmpty, request.headers["Content-Type"] == nil, let type = headers["Content-Type"] else { return }
    if type.isFormMediaType { return }
    headers["Content-Type"] = nil
    // Stored in case a filter replaces the form.
    replacedContentType = type
  }

  /// Sets the content type of a form, or of the body that has replaced one, unless a content type is set.
  mutating func suggestContentType() {
    let suggested = form.isEmpty ? replacedContentType : "application/x-www-form-urlencoded"
    guard let suggested, !form.isEmpty || body != .empty, headers["Content-Type"] == nil else { return }
    headers["Content-Type"] = suggested
  }
}

extension String {
  /// Returns this multipart type with the boundary of the encoded body.
  fileprivate func bounded(by encoded: String) throws(NetworkError) -> String {
    let boundary = encoded.mediaTypeParameter("boundary") ?? ""
    guard let own = mediaTypeParameter("boundary") else { return "\(self); boundary=\(boundary)" }
    guard own == boundary else {
      throw NetworkError(
        .invalidHeader, reason: "the boundary in Content-Type differs from the body's: set `Multipart.boundary`")
    }
    return self
  }
}
