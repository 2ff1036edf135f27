/// The ordered, named values of a query, a form or a JSON body.
///
/// ```swift
/// let search: Parameters = ["q": text, "page": page, "tags": ["a", "b"], "max": optional]
/// let typed = Parameters(SearchQuery(text: "lamp"))
/// ```
/// The values of a literal are ``ParameterConvertible``. For an object of mixed values, write
/// `"price": ["min": 1, "currency": "EUR"] as ParameterObject`.
///
/// `Parameters` is a value type. An `Encodable` value is encoded once, on the thread that creates the parameters. If
/// the encoding fails, reading the parameters throws the error, and nothing is sent. ``ParameterRules`` define how they
/// are serialized.
public struct Parameters: Sendable {
  private var contents: Result<ParameterObject, NetworkError>

  /// Creates empty parameters.
  public init() { contents = .success([:]) }

  /// Creates parameters from named values.
  ///
  /// - Parameter object: The named values, in order.
  public init(_ object: ParameterObject) { contents = .success(object) }

  /// Creates parameters from the properties of a value, in the order in which the value encodes them.
  ///
  /// A property that is `nil` is omitted (`encodeIfPresent`); one that is encoded as `nil` becomes
  /// ``ParameterValue/null``. Coding keys rename properties. Dates, data and decimals keep their type. A URL becomes
  /// its absolute string, a UUID its string, and a `Float` the number of its shortest decimal representation. Unordered
  /// collections are sorted: dictionaries by name, sets by element. A value that encodes nothing, or `nil`, creates
  /// empty parameters.
  ///
  /// Reading the parameters fails with ``NetworkError/Code/invalidParameters`` if the value throws, encodes an array or
  /// a single value instead of an object, contains NaN or an infinity, or nests deeper than
  /// ``ParameterRules/maximumDepth``. The error's reason contains the path.
  ///
  /// - Parameter value: The value, which is encoded immediately.
  public init(_ value: some Encodable & Sendable) {
    do throws(ParameterError) {
      switch try ParameterEncoder.encode(value) {
      case .object(let object): contents = .success(object)
      case .null: contents = .success([:])
      default: throw ParameterError("a value without a parameter name")
      }
    } catch {
      contents = .failure(error.networkError)
    }
  }

  /// Returns the parameters as an object, in the order in which they were added.
  ///
  /// - Returns: The object.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidParameters`` if a value could not be
  ///   encoded.
  public func object() throws(NetworkError) -> ParameterObject { try contents.get() }

  /// Whether there are no values and no encoding error.
  public var isEmpty: Bool {
    guard case .success(let object) = contents else { return false }
    return object.isEmpty
  }

  /// Accesses the value with a name; `nil` if there is none.
  ///
  /// Setting `nil` removes the name; setting ``ParameterValue/null`` keeps it with a null value. Parameters that could
  /// not be encoded have no values and cannot be changed. The name of a property of an encoded value remains a coding
  /// key, to which ``JSONCoding/Keys`` applies.
  public subscript(name: String) -> ParameterValue? {
    get { try? contents.get()[name] }
    set {
      guard case .success(var object) = contents else { return }
      contents = .success([:])  // Releases the second reference, so that nothing is copied.
      object[name] = newValue
      contents = .success(object)
    }
  }

  /// Sets the value with a name, as in `parameters["page"] = page`; `nil` removes the name.
  ///
  /// Write-only; to read a value, use the subscript of ``ParameterValue``.
  @_disfavoredOverload
  public subscript<Value: ParameterConvertible>(name: String) -> Value? {
    @available(*, unavailable, message: "a value is read as a ParameterValue")
    get { nil }
    set { self[name] = newValue?.parameterValue }
  }

  /// Returns these values merged with others; if both have a name, the later value takes the position of the earlier
  /// one.
  ///
  /// The merge is shallow: an object in both is replaced, not merged. If either could not be encoded, the result has
  /// the same error.
  ///
  /// - Parameter later: The values that take precedence.
  /// - Returns: All values, in the order of the first occurrence of their names.
  public func merging(_ later: Parameters) -> Parameters {
    guard case .success(var object) = contents else { return self }
    guard case .success(let overrides) = later.contents else { return later }
    object.merge(overrides)
    return Parameters(object)
  }

  func naming(by keys: JSONCoding.Keys) -> Parameters {
    guard keys != .asDeclared, case .success(let object) = contents else { return self }
    return Parameters(ParameterObject(object.members(keys).map { ($0.name, $0.value) }))
  }

  /// Merges two sets of parameters; see ``merging(_:)``.
  public static func + (earlier: Parameters, later: Parameters) -> Parameters {
    earlier.merging(later)
  }
}

extension Parameters: ExpressibleByDictionaryLiteral {
  /// Creates parameters; for a repeated name the last value is used, at the position of the first.
  public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
    self.init(ParameterObject(elements.map { ($0.0, $0.1?.parameterValue ?? .null) }))
  }
}

extension Parameters: _Summarized {
  /// The names on one line, without the values, which may be passwords.
  public var description: String {
    switch contents {
    case .success(let object): object.description
    case .failure(let error): error.description
    }
  }
  /// The names, without the values.
  public var customMirror: Mirror { Mirror(self, children: ["names": description], displayStyle: .struct) }
}

/// The location of a request's parameters: the query or the body.
///
/// If the request has a body of its own, the parameters always go into the query.
public enum ParameterPlacement: Sendable, Hashable {
  /// The query for `GET`, `HEAD` and `DELETE`; a form (`application/x-www-form-urlencoded`) for all other methods.
  case form
  /// The query for `GET`, `HEAD` and `DELETE`; a JSON body for all other methods.
  case json
  /// The query, whatever the method.
  case query
  /// For older servers: common parameters in the query, the request's own as JSON in one field of a form.
  ///
  /// With `GET`, `HEAD` and `DELETE` all parameters go into the query. A request without parameters of its own has the
  /// field with `{}` if there are common ones, else no body.
  case legacy(field: String)
}

/// A named set of parameters and header fields shared by several requests.
///
/// A service can have any number of sets. A request selects any number of them. If several have the same name, a later
/// set overrides an earlier one, and the request's own value overrides all: a common parameter is not sent if the
/// request has its name in the URL, such as that of a linked page, in ``Request/query``, in ``Request/parameters`` or in
/// a form or multipart form as its body. Bodies of another kind are not searched.
public struct CommonParameters: Sendable {
  /// The name of a set of common parameters.
  public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name as text.
    public let rawValue: String

    /// Creates a name from text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name from text.
    public init(stringLiteral value: String) { rawValue = value }
  }

  /// The name by which a request selects the set.
  public let name: Name
  /// The parameters of the set.
  public var parameters: Parameters
  /// The header fields of the set.
  public var headers: HTTPHeaders

  /// Creates a set.
  ///
  /// - Parameters:
  ///   - name: The name by which a request selects the set.
  ///   - parameters: The parameters. Default: none.
  ///   - headers: The header fields. Default: none.
  public init(_ name: Name, _ parameters: Parameters = Parameters(), headers: HTTPHeaders = [:]) {
    self.name = name
    self.parameters = parameters
    self.headers = headers
  }
}
