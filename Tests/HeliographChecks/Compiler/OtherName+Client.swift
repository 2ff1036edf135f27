/// The names of other networking libraries, and the former ones of the client.
extension OtherName {
  static let clientPrelude = """
    import Foundation
    import Heliograph
    struct User: Codable, Sendable { var name = "" }
    @MainActor final class Screen { var title = 0 }
    enum API: Endpoint {
      case user(Int)
      var request: Request { "/users" }
    }
    let client = NetworkClient()
    let (text, file) = ("/users", URL(fileURLWithPath: "/tmp/film"))
    let order: Parameters = ["page": 1]
    let fields = ["a": "b"]
    let request = Request(.get, "/users")
    let raw = client.enqueue(request: request)
    enum Kind: String, Decodable, DefaultValue {
      case lamp
      static let defaultValue = Kind.lamp
    }
    func show(_ value: Any) {}

    """

  static let former = [
    OtherName(
      "show(client.upload(request: request, resultType: User.self).first())",
      "a transfer begins with its progress: write finished().first()"),
    OtherName(
      "show(client.upload(request: request.returning(User.self)))",
      "Write upload(request: request, resultType: Output.self)"),
    OtherName(
      "Task { show(try await client.upload(request.returning(User.self))) }", "Write upload(request, as: Output.self)"),
    OtherName(
      "show(client.outcomes(of: request.returning(User.self)))", "Write outcomes(of: request, as: Output.self)"),
    OtherName(
      "Task { show(try await client.value(of: text, as: User.self)) }", "write Request(.get, RequestPath(text))"),
    OtherName("show(client.enqueue(request: text))", "write Request(.get, RequestPath(text))"),
    OtherName("show(client.download(request: text))", "write Request(.get, RequestPath(text))"),
    OtherName("show(text.returning(User.self))", "write Request(.get, RequestPath(text))"),
    OtherName("let path: RequestPath = \"/a\"; show(client.stream(request: path))", "write Request(.get, path)"),
    OtherName("Task { show(try await client.get(\"/users/1\", as: User.self)) }", #"write value(of: "/users/\(id)""#),
    OtherName("Task { show(try await client.get(text, parameters: order, as: User.self)) }", "write value(of:"),
    OtherName(
      "Task { show(try await client.post(\"/users\", body: .json(User()), as: User.self)) }",
      "write value(of: Request(.post, path, body: .json(value)), as: User.self)"),
    OtherName("Task { show(try await client.put(\"/users\", as: User.self)) }", "write value(of: Request(.put, path"),
    OtherName("Task { show(try await client.patch(\"/a\", as: User.self)) }", "write value(of: Request(.patch, path"),
    OtherName("Task { show(try await client.delete(\"/users/1\")) }", "write send(Request(.delete, path))"),
    OtherName(
      "Task { show(try await client.request(\"/a\", method: .post, as: User.self)) }",
      "write value(of: Request(.post, path, parameters: …), as: User.self)"),
    OtherName("Task { show(try await client.response(for: request)) }", "write send(request); exchange(request:)"),
    OtherName("Task { show(try await client.data(for: request)) }", "write send(request); exchange(request:)"),
    OtherName(
      "Task { show(try await client.data(from: file)) }", "write send(Request(.get, path)); exchange(request:)"),
    OtherName("Task { show(try await client.upload(for: request, from: Data())) }", "write upload(Request(.post, path"),
    OtherName("Task { show(try await client.upload(for: request, fromFile: file)) }", "body: .file(url, contentType:"),
    OtherName("Task { show(try await client.upload(request, from: file)) }", "write upload(Request(.post, path"),
    OtherName("Task { show(try await client.upload(\"/a\", from: Data(), as: User.self)) }", "write upload(Request("),
    OtherName("Task { show(try await client.upload(from: file)) }", "write upload(Request(.post, path"),
    OtherName("Task { show(try await client.upload(from: file, to: \"/a\")) }", "write upload(Request(.post, path"),
    OtherName("show(client.enqueue(request.returning(User.self)))", "renamed to 'enqueue(request:)'"),
    OtherName("show(NetworkClient(baseURL: \"https://a.example\"))", "write NetworkClient(baseURL: URL(string: text))"),
    OtherName(
      "show(NetworkClient(baseURL: file, monitors: [], transport: StubbedTransport()))",
      "cannot find 'StubbedTransport' in scope"),
    OtherName(
      "show(NetworkClient(baseURL: file, retry: Retry(limit: 1)))", "settings go into the closure"),
    OtherName("show(Request(.get, \"/a\", timeout: .seconds(1)))", "write idleTimeout:"),
    OtherName("var options = RequestOptions(); options.timeout = .seconds(1)", "renamed to 'idleTimeout'"),
    OtherName("show(RequestOptions(timeout: .seconds(1)))", "write .with { $0.idleTimeout = … }"),
    OtherName("show(NetworkClient(baseURL: nil) { $0.timeout = .seconds(1) })", "renamed to 'idleTimeout'"),
    OtherName("show(try! client.httpRequest(for: \"/a\").curl)", "renamed to 'curlCommand'"),
    OtherName("show(ErrorPresenter().current)", "renamed to 'dialog'"),
    OtherName("show(ResponseCache().removeAll(of: \"shop\"))", "write removeAll(ofService: \"shop\")"),
    OtherName("show(HMACSigner(key: Data(), place: .header))", "write location: instead of place:"),
    OtherName("show(JSONCoding(decoder: { _ in }))", "write configureEncoder: and configureDecoder:"),
    OtherName(
      "show(client.download(request: \"/a\").map { $0.response?.value.count })", "renamed to 'finished'"),
    OtherName("show(raw.map { $0.header(\"ETag\") })", "write headers[name]"),
    OtherName("show(raw.map { $0.data })", "renamed to 'value'"),
    OtherName("show(raw.map { $0.body })", "renamed to 'value'"),
    OtherName("var form = Multipart(); form.append(\"Ada\", name: \"owner\")", "write append(.text(name, text))"),
    OtherName("var form = Multipart(); form.append(file: file, name: \"photo\")", "write append(.file(name, url))"),
  ]

  static let alamofire = [
    OtherName("show(AF)", "Create a NetworkClient(baseURL: url) and pass it on"),
    OtherName(
      "AF.request(text).responseDecodable(of: User.self) { show($0) }", "Create a NetworkClient",
      "Write value(of: Request(", "Write try await client.value(of: request, as: User.self)"),
    OtherName(
      "Task { show(try await AF.request(text).validate().serializingDecodable(User.self).value) }",
      "Create a NetworkClient", "Write value(of:", "Leave it out", "Write try await client.value(of: request"),
    OtherName(
      "show(client.request(text, method: .post, parameters: order, encoding: 1))", "Write value(of: Request(.post, path"
    ),
    OtherName("show(client.request(text, method: .post, parameters: order))", "Write value(of: Request(.post, path"),
    OtherName(
      "show(client.request(text, method: .post, parameters: User(), encoder: JSONEncoder()))",
      "Write value(of: Request(.post, path, body: .json(value)), as: User.self)"),
    OtherName("show(client.streamRequest(text))", "Write stream(request:), lines(request:) or events(request:)"),
    OtherName(
      "show(client.upload(multipartFormData: { $0.append(.text(\"b\", \"a\")) }, to: text))",
      "Write upload(Request(.post, path, body: .multipart([…])), as: User.self)"),
    OtherName("show(client.upload(Data(), to: text))", "body: .data(data, contentType: …)), as: …)"),
    OtherName("show(client.upload(file, to: text))", "body: .file(url, contentType: …)), as: …)"),
    OtherName("show(Request(.get, \"/a\", parameters: fields))", "Write parameters: Parameters(values)"),
    OtherName("show(Request(.get, \"/a\", headers: fields))", "Write HTTPHeaders in place of [String: String]"),
    OtherName("@MainActor func f(_ pager: Pager<User, [User]>) { show(pager.isLoading) }", "Write isRefreshing for"),
    OtherName(
      "var copy = request; copy.addValue(\"b\", forHTTPHeaderField: \"A\")", "Write headers.add(value, for: name)"),
    OtherName("show(Request.get(\"/a\"))", "Write Request(.get, path)"),
    OtherName("let _: Request = .post(\"/a\")", "Write Request(.post, path, body: .json(value))"),
    OtherName("show(Request(.post, \"/a\", json: User()))", "Write body: .json(value)"),
    OtherName("show(raw.asResult().compactMap { $0.value })", "Write try? get(), or switch over the result"),
    OtherName("show(raw.asResult().compactMap { $0.error })", "Write switch, or if case .failure(let error) = result"),
    OtherName("show(request.validate())", "Leave it out: each response is validated"),
    OtherName("show(request.responseData { show($0) })", "Write try await client.send(request)"),
    OtherName(
      "show(request.responseString { show($0) })", "Write try await client.value(of: request, as: String.self)"),
    OtherName("show(request.responseJSON { show($0) })", "Write try await client.value(of: request, as: JSON.self)"),
    OtherName("show(request.serializingData())", "Write try await client.value(of: request, as: Data.self)"),
    OtherName("show(request.serializingString())", "Write try await client.value(of: request, as: String.self)"),
    OtherName("show(request.uploadProgress { show($0) })", "Write client.upload(request, as: …) { progress in … }"),
    OtherName("show(request.downloadProgress { show($0) })", "Write client.download(request, to: file)"),
    OtherName("show(request.authenticate(username: \"a\", password: \"b\"))", "Set headers: [.authorization("),
    OtherName("show(try! client.httpRequest(for: \"/a\").cURLDescription())", "Write curlCommand"),
    OtherName(
      "var form = Multipart(); form.append(Data(), withName: \"a\", mimeType: \"text/csv\")",
      "Write append(.data(name, data"),
    OtherName("var form = Multipart(); form.append(file, withName: \"a\")", "Write append(.file(name, url"),
    OtherName("show(HTTPHeaders().value(for: \"A\") ?? \"\")", "Write headers[name]"),
    OtherName("var fields = HTTPHeaders(); fields.add(name: \"A\", value: \"b\")", "Write add(value, for: name)"),
    OtherName("let _: AFError? = nil", "renamed to 'NetworkError'"),
    OtherName("let _: DataRequest? = nil", "renamed to 'Request'"),
    OtherName("let _: AFDataResponse<User>? = nil", "Write Response<User>; a failure is thrown"),
    OtherName("let _: DataResponse<User, Never>? = nil", "Write Response<User>; a failure is thrown"),
    OtherName("let _: (any URLRequestConvertible)? = nil", "renamed to 'RequestConvertible'"),
    OtherName("let _: HTTPHeader? = nil", "renamed to 'HTTPHeaders.Field'"),
    OtherName("let _ = MultipartFormData()", "renamed to 'Multipart'"),
    OtherName("let _: (any RequestInterceptor)? = nil", "Use a Middleware to change requests"),
    OtherName("let _: (any RequestAdapter)? = nil", "renamed to 'Middleware'"),
    OtherName("let _: (any RequestRetrier)? = nil", "Use Retry(limit:), and a Recovery for a fresh token"),
    OtherName("let _: AuthenticationInterceptor<User>? = nil", "Write .bearer { session.value?.token } and a Recovery"),
    OtherName("let _: (any EventMonitor)? = nil", "renamed to 'Monitor'"),
    OtherName("let _: (any NetworkReachabilityManager)? = nil", "renamed to 'Reachability'"),
    OtherName("let _: ServerTrustManager? = nil", "Set the trust of TransportSettings"),
    OtherName("let _: ParameterEncoding? = nil", "options.placement = .json sends JSON"),
    OtherName("let _: URLEncoding? = nil", "of a POST a form; query: is always the query"),
    OtherName("let _: JSONEncoding? = nil", "Write body: .json(value), or options.placement = .json for parameters"),
    OtherName(
      "show(Request(.post, \"/a\", parameters: order, encoding: .json))", "Write body: .json(value), or options:"),
    OtherName(
      "show(Request(.post, \"/a\", parameters: order, parameterEncoding: .json))",
      "Write body: .json(value), or options:"),
    OtherName(
      "show(Request(.post, \"/a\", parameters: order, encoding: JSONEncoding.default))",
      "Write body: .json(value), or options: .with { $0.placement = .json }", "Write body: .json(value)",
      "Leave it out: the method decides; .json sends JSON"),
    OtherName("let _: ParameterPlacement = .queryString", "renamed to 'query'"),
    OtherName("let _: ParameterPlacement = .httpBody", "renamed to 'form'"),
    OtherName(
      "show(NetworkClient(baseURL: nil) { $0.interceptors = [] })",
      "Set middleware to change requests, retry and recoveries"),
    OtherName("show(NetworkClient(baseURL: nil) { $0.eventMonitors = [] })", "renamed to 'monitors'"),
    OtherName("show(NetworkClient(baseURL: nil) { $0.jsonCoding = JSONCoding() })", "renamed to 'json'"),
    OtherName(
      "show(NetworkClient(baseURL: nil) { $0.timeoutIntervalForRequest = 10 })", "renamed to 'idleTimeout'"),
    OtherName(
      "show(NetworkClient(baseURL: nil) { $0.timeoutIntervalForResource = 10 })", "renamed to 'totalTimeout'"),
    OtherName("var copy = request; copy.setValue(\"b\", forHTTPHeaderField: \"A\")", "Write headers[name] = value"),
    OtherName(
      "let _: (inout HTTPRequest) -> Void = { $0.setValue(\"b\", forHTTPHeaderField: \"A\") }",
      "Write headers[name] = value"),
    OtherName("let _: (HTTPRequest) -> HTTPBody? = { $0.httpBody }", "renamed to 'body'"),
    OtherName("let _: (HTTPRequest) -> HTTPHeaders? = { $0.allHTTPHeaderFields }", "renamed to 'headers'"),
    OtherName(
      "show(raw.decode(type: User.self, decoder: JSONDecoder()))", "Write enqueue(request: request, resultType: User"),
    OtherName(
      "let filter: (inout RequestDraft) -> Void = { $0.parameters[\"a\"] = 1 }; show(filter)",
      "Append to query or form: the parameters are in one of them already"),
    OtherName(
      "show(try! JSONCoding().decode(User.self, from: Data()))", "Write makeDecoder().decode(User.self, from: data)"),
    OtherName("show(try! JSONCoding().encode(User()))", "Write makeEncoder().encode(value)"),
  ]

  static let moya = [
    OtherName("let _: (any TargetType)? = nil", "Conform to Endpoint, whose only requirement is var request: Request"),
    OtherName("show(MoyaProvider<API>())", "Use a NetworkClient: client.value(of: API.user(1), as: User.self)"),
    OtherName("let _: MoyaError? = nil", "renamed to 'NetworkError'"),
    OtherName("let _: (any MultiTarget)? = nil", "Leave it out: a client takes requests of any type"),
    OtherName("let _: (any PluginType)? = nil", "Use a Monitor to observe, a Middleware to change requests"),
    OtherName("show(NetworkLoggerPlugin())", "Write $0.monitors = [ConsoleMonitor()]"),
    OtherName("let _: AccessTokenPlugin? = nil", "Write $0.middleware = [.bearer { token.value }]"),
    OtherName("let _: NetworkActivityPlugin? = nil", "Use an ActivityMonitor"),
    OtherName(
      "show(client.rx.request(API.user(1)).map(User.self, atKeyPath: \"data\"))",
      "Leave it out: enqueue(request:resultType:)", "Write enqueue(request: target, resultType: User.self)",
      "Set stages.envelope = KeyedEnvelope(payload: path), then write enqueue(request: request, resultType: User"),
    OtherName(
      "show(MoyaProvider<API>(plugins: [NetworkLoggerPlugin(configuration: .init(logOptions: .verbose))]))",
      "Use a NetworkClient:", "Write $0.monitors = [ConsoleMonitor()]"),
    OtherName("client.request(API.user(1)) { show($0) }", "Write try await value(of: target, as: User.self)"),
    OtherName("show(client.requestPublisher(API.user(1)))", "Write enqueue(request: target, resultType: User.self)"),
    OtherName("show(NetworkClient(baseURL: nil) { $0.plugins = [] })", "Set monitors for plug-ins that observe"),
    OtherName("show(raw.filterSuccessfulStatusCodes())", "Leave it out: a status outside 200…299 is an error"),
    OtherName(
      "show(client.enqueue(request: \"/a\", resultType: User.self).filterSuccessfulStatusCodes())",
      "Leave it out: a status outside 200…299 is an error"),
    OtherName("show(NSObject().rx)", "Write bound(to: self) in the chain, assign(to:on:) for a binding"),
    OtherName(
      "show(raw.filterSuccessfulStatusAndRedirectCodes())", "Leave it out: a status outside 200…299 is an error"),
    OtherName("show(raw.filter(statusCode: 200))", "Set options.stages.baseValidators = [StatusValidator("),
    OtherName("show(raw.filter(statusCodes: 200...201))", "Set options.stages.baseValidators = [StatusValidator("),
    OtherName("show(raw.mapJSON().map { $0[\"a\"] })", "Write enqueue(request: request, resultType: JSON.self)"),
    OtherName(
      "show(raw.mapString().map { $0.count })",
      "Write enqueue(request: request, resultType: String.self); a key path is a KeyedEnvelope(payload: path)"),
    OtherName(
      "show(raw.tryMap { try JSONDecoder().decode(User.self, from: $0.value) })", "The closure throws any Error"),
    OtherName(
      "show(raw.map(\\.data).decode(type: User.self, decoder: JSONDecoder()))", "renamed to 'value'",
      "Write enqueue(request: request"),
    OtherName(
      "Task { show(try await client.send(request).decode(as: User.self)) }", "Write send(request, as: User.self), or"),
    OtherName(
      "let _ = raw.tryMap { try $0.decode(User.self) }", "The closure throws any Error", "Write send(request, as:"),
    OtherName(
      "show(client.enqueue(request: request, resultType: JSON.self).map { $0[\"a\"] })", "Write response.value[name]"),
    OtherName(
      "show(raw.map(User.self, atKeyPath: \"data\").map(\\.name))",
      "KeyedEnvelope(payload: path), then write enqueue(request: request, resultType: User.self)"),
    OtherName(
      "Task { show(try await client.send(request).filterSuccessfulStatusCodes()) }", "Leave it out: send(_:) throws for"
    ),
    OtherName("Task { show(try await client.send(request).mapJSON()) }", "Write value(of: request, as: JSON.self)"),
    OtherName(
      "Task { show(try await client.send(request).mapString()) }",
      "Write value(of: request, as: String.self); a key path is a KeyedEnvelope(payload: path)"),
    OtherName(
      "Task { show(try await client.send(request).map(User.self, atKeyPath: \"data\")) }",
      "KeyedEnvelope(payload: path), then write value(of: request, as: User.self)"),
  ]

  static let lenient = [
    OtherName("struct Item: Decodable { @Defaulted(0) var count: Int }", "Write @Defaulted<ZeroValue>"),
    OtherName("struct Item: Decodable { @Defaulted var count: Int = 0 }", "Write @Defaulted<ZeroValue>"),
    OtherName("struct Item: Decodable { @Defaulted([]) var tags: [String] }", "Write @Defaulted<EmptyValue>"),
    OtherName("struct Item: Decodable { @Defaulted var name: String = \"\" }", "Write @Defaulted<EmptyValue>"),
    OtherName("struct Item: Decodable { @Defaulted(true) var isNew: Bool }", "Write @Defaulted<FalseValue> or"),
    OtherName(
      "struct Item: Decodable { @Defaulted var isNew = false }", "Write @Defaulted<FalseValue> or @Defaulted<TrueValue>"
    ),
    OtherName("struct Item: Decodable { @Defaulted(nil) var page: URL? }", "Write @Defaulted<NilValue>"),
    OtherName("struct Item: Decodable { @Defaulted var kind = Kind.lamp }", "Write @Defaulted<Kind>, with a Kind"),
    OtherName("struct Item: Decodable { @Defaulted(Kind.lamp) var kind: Kind }", "Write @Defaulted<Kind>, with a Kind"),
  ]

  /// Mistakes in the client's own names, whose explanations the others must not spoil.
  static let clientMistakes = [
    OtherName(
      "Task { let user: User = try await client.value(of: \"/users/1\"); show(user) }",
      "cannot convert value of type 'Data' to specified type 'User'"),
    OtherName(
      "Task { let user: User = try await client.value(of: request); show(user) }", "cannot convert value of type"),
    OtherName(
      "struct Plain {}; Task { show(try await client.value(of: \"/a\", as: Plain.self)) }", "conform to 'Decodable'"),
    OtherName(
      "struct Plain {}; Task { show(try await client.send(request, as: Plain.self)) }", "conform to 'Decodable'"),
    OtherName("Task { let a = try await client.value(of: request, as: User.slef); show(a) }", "has no member 'slef'"),
    OtherName("Task { let a = try await client.value(of: \"/a\", as: User.slef); show(a) }", "has no member 'slef'"),
    OtherName("Task { let a = try await client.send(API.user(1), as: User.slef); show(a) }", "has no member 'slef'"),
    OtherName(
      "Task { let a = try await client.value(of: request, as: Usr.self); show(a) }", "cannot find 'Usr' in scope"),
    OtherName(
      "show(Request(.get, \"/a\", parameters: [\"a\": client]))", "cannot convert value of type 'NetworkClient'"),
    OtherName("show(raw.tryMap { (raw) throws(NetworkError) in raw.size })", "has no member 'size'"),
    OtherName("show(raw.map { raw in let size = raw.size; return size })", "has no member 'size'"),
    OtherName(
      "show(client.stream(request: 5))", "cannot convert value of type 'Int' to expected argument type 'Request'"),
    OtherName("Task { show(try await client.send(\"/a\", ass: User.self)) }", "ass"),
    OtherName("Task { show(try await client.download(request: \"/a\").value()) }", "ambiguous use of 'value()'"),
    OtherName(
      "struct Stamp: Middleware { func adapt(_ request: HTTPRequest) async throws -> HTTPRequest { request } }",
      "type 'Stamp' does not conform to protocol 'Middleware'"),
    OtherName(
      "enum Shop: Endpoint { case all; var path: String { \"/all\" }; var headers: [String: String]? { nil } }",
      "type 'Shop' does not conform to protocol 'Endpoint'"),
    OtherName("struct Item: Decodable { @Defaulted<ZeroValue> var count: Int = 0 }"),
  ]
}
