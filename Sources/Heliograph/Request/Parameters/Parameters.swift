/// Named values in order, for a query, a form or a JSON body.
///
/// ```swift
/// let search: Parameters = ["q": text, "page": page, "tags": ["a", "b"], "max": optional]
/// let typed = Parameters(SearchQuery(text: "lamp"))
/// ```
/// Values of a literal are ``ParameterConvertible``; for an object of mixed values, write
/// `"price": ["min": 1, "currency": "EUR"] as ParameterObject`.
///
/// They are a value: what is encoded is encoded once, on the thread that makes them. If that fails, whoever reads the
/// parameters gets the error, and nothing is sent. ``ParameterRules`` say how they are written.
public struct Parameters: Sendable {
  private var contents: Result<ParameterObject, NetworkError>

  /// Makes parameters without values.
  public init() {
    contents = .success([:])
  }

  /// Makes parameters of named values.
  ///
  /// - Parameter object: the values.
  public init(_ object: ParameterObject) {
    contents = .success(object)
  }

  /// Makes parameters of a value's properties, in the order in which the value encodes them.
  ///
  /// A property that is `nil` is left out (`encodeIfPresent`), one that is encoded as `nil` becomes
  /// ``ParameterValue/null``; coding keys rename. Dates, data and decimals stay what they are, a URL becomes its address,
  /// a UUID its text, and a `Float` the number that its digits say. What has no order of its own is sorted: the names of
  /// a dictionary, the elements of a set. A value that encodes nothing, or `nil`, makes parameters without values.
  ///
  /// Reading the parameters fails with ``NetworkError/Code/invalidParameters`` if the value throws, is no object but an array
  /// or a single value, holds NaN or an infinity, or encodes more than ``ParameterRules/maximumDepth`` values inside
  /// each other; the error's reason names the place.
  ///
  /// - Parameter value: what is encoded, here and now.
  public init(_ value: some Encodable & Sendable) {
    do throws(ParameterRefusal) {
      switch try ParameterEncoder.encode(value) {
      case .object(let object): contents = .success(object)
      case .null: contents = .success([:])
      default: throw ParameterRefusal("a value without names")
      }
    } catch {
      contents = .failure(error.error)
    }
  }

  /// The named values.
  ///
  /// - Returns: all of them, in order.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidParameters`` if a value could not be encoded.
  public func object() throws(NetworkError) -> ParameterObject {
    try contents.get()
  }

  /// Whether there is nothing to send, not even an error.
  public var isEmpty: Bool {
    guard case .success(let object) = contents else { return false }
    return object.isEmpty
  }

  /// The value of a name; `nil` if there is none.
  ///
  /// Setting `nil` removes the name; setting ``ParameterValue/null`` keeps it. Parameters that could not be encoded have
  /// no values and stay as they are.
  public subscript(name: String) -> ParameterValue? {
    get { try? contents.get()[name] }
    set {
      guard case .success(var object) = contents else { return }
      contents = .success([:])  // So that there is one owner, and nothing is copied.
      object[name] = newValue
      contents = .success(object)
    }
  }

  /// These values and those of others; where both have a name, the later value wins, in the place of the earlier one.
  ///
  /// Only the top level: an object in both is replaced, not merged. If one of the two could not be encoded, neither is
  /// the result.
  ///
  /// - Parameter later: the values that win.
  /// - Returns: all values, in the order in which their names first came.
  public func merging(_ later: Parameters) -> Parameters {
    guard case .success(var object) = contents else { return self }
    guard case .success(let winning) = later.contents else { return later }
    object.merge(winning)
    return Parameters(object)
  }

  /// The same as ``merging(_:)``.
  public static func + (earlier: Parameters, later: Parameters) -> Parameters {
    earlier.merging(later)
  }
}

extension Parameters: ExpressibleByDictionaryLiteral {
  /// Makes parameters; of values with the same name the last one stays, in the place of the first.
  public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
    self.init(ParameterObject(elements.map { ($0.0, $0.1?.parameterValue ?? .null) }))
  }
}

extension Parameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The names on one line, without the values, which may be passwords.
  public var description: String {
    switch contents {
    case .success(let object): object.description
    case .failure(let error): error.description
    }
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The names, without the values.
  public var customMirror: Mirror { Mirror(self, children: ["names": description], displayStyle: .struct) }
}
