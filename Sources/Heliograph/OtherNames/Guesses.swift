// Guesses at our own members, unavailable: the compiler's message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

extension RequestOptions {
  @available(*, unavailable, renamed: "idleTimeout")
  public var timeoutInterval: Double {
    get { 0 }
    set {}
  }

  @available(*, unavailable, renamed: "cache")
  public var cachePolicy: CachePolicy {
    get { cache }
    set {}
  }

  @available(*, unavailable, renamed: "stages.envelope")
  public var envelope: (any Envelope)? {
    get { nil }
    set {}
  }

  @available(
    *, unavailable, message: "Set stages.baseValidators, which replace the check of the status, or stages.validators"
  )
  public var validators: [any Validator] {
    get { [] }
    set {}
  }

  @available(*, unavailable, message: "Write Request(.post, path)")
  public var httpMethod: String? {
    get { nil }
    set {}
  }

  @available(*, unavailable, message: "Write body: .json(value) or .data(data, contentType: …) of the Request")
  public var httpBody: Data? {
    get { nil }
    set {}
  }

  @available(*, unavailable, message: "Write headers: [name: value] of the Request")
  public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {}
}

extension NetworkClient.Configuration {
  @available(*, unavailable, renamed: "idleTimeout")
  public var timeoutInterval: Double {
    get { 0 }
    set {}
  }

  @available(*, unavailable, renamed: "stages.envelope")
  public var envelope: (any Envelope)? {
    get { nil }
    set {}
  }

  @available(
    *, unavailable, message: "Set stages.baseValidators, which replace the check of the status, or stages.validators"
  )
  public var validators: [any Validator] {
    get { [] }
    set {}
  }

  @available(*, unavailable, message: "Set json = JSONCoding(…)")
  public var decoder: JSONDecoder {
    get { JSONDecoder() }
    set {}
  }

  @available(*, unavailable, message: "Set json = JSONCoding(…)")
  public var jsonDecoder: JSONDecoder {
    get { JSONDecoder() }
    set {}
  }

  @available(*, unavailable, renamed: "headers")
  public var httpHeaders: HTTPHeaders {
    get { headers }
    set {}
  }

  @available(*, unavailable, renamed: "middleware")
  public var middlewares: [any Middleware] {
    get { middleware }
    set {}
  }
}

extension NetworkClient.Configuration {
  @available(*, unavailable, message: "Set stages.baseValidators = [StatusValidator(accepted: …)]")
  public var validationType: StatusValidator {
    get { StatusValidator() }
    set {}
  }
}

extension KeyedEnvelope {
  @available(*, unavailable, renamed: "init(code:message:payload:)")
  public init(code: String? = nil, message: String? = nil, data: String) { self.init() }
}

extension Middleware where Self == HeaderMiddleware {
  @available(*, unavailable, message: "Write headers[name] = value of the client, or .header(name) { value }")
  public static func header(_ name: String, _ value: String) -> HeaderMiddleware { .header(name) { value } }
}

extension HTTPRequest {
  @available(*, unavailable, renamed: "url.path")
  public var path: String { url.path }

  @available(*, unavailable, renamed: "url.query")
  public var query: String? { url.query }
}

extension WebLink {
  @available(*, unavailable, message: "Write relations.contains(relation)")
  public var rel: String { "" }

  @available(*, unavailable, message: "Write relations.contains(relation)")
  public var relation: String { "" }
}

extension [WebLink] {
  @available(*, unavailable, message: "Write first { $0.relations.contains(relation) }?.target")
  public subscript(relation: String) -> WebLink? { nil }
}

extension RequestReport {
  @available(*, unavailable, message: "Write response?.statusCode")
  public var statusCode: Int? { nil }
}
