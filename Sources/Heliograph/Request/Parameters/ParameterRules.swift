public import Foundation

/// How parameters are written, as pairs for a query or a form, or as JSON.
///
/// | value | setting | pairs | JSON |
/// |---|---|---|---|
/// | `"a": [1, 2]` | ``arrays`` `.brackets` (default) | `a[]=1&a[]=2` | `[1,2]` |
/// | | `.repeated` | `a=1&a=2` | the same |
/// | | `.indices` | `a[0]=1&a[1]=2` | the same |
/// | | `.joined(separator: ",")` | `a=1,2` | the same |
/// | `"a": ["b": 1]` | ``objects`` `.brackets` (default) | `a[b]=1` | `{"b":1}` |
/// | | `.dots` | `a.b=1` | the same |
/// | `"a": [["b": 1]]` | `.brackets` and `.brackets` | `a[][b]=1` | `[{"b":1}]` |
/// | | `.indices` and `.dots` | `a[0].b=1` | the same |
/// | `"a": true` | ``booleans`` `.words` (default) | `a=true` | `true` |
/// | | `.digits` | `a=1` | `true` |
/// | a date | ``dates`` `.iso8601` (default) | `a=2026-01-02T03:04:05Z`, `a=2026-01-02T03:04:05.250Z` | the same text |
/// | | `.secondsSince1970` | `a=1767323045` | `1767323045` |
/// | | `.millisecondsSince1970` | `a=1767323045250` | `1767323045250` |
/// | `"a": nil` | ``nulls`` `.omitted` (default) | nothing | `null` |
/// | | `.empty` | `a=` | `null` |
/// | `"a": 1e21` | | `a=1000000000000000000000` | the same digits |
/// | `"a": 2.0` | | `a=2` | `2` |
/// | data | | `a=AQI=` (base64, RFC 4648 §4) | the same text |
/// | `"a": []`, `"a": [:]` | | nothing | `[]`, `{}` |
///
/// Numbers have no exponent, no grouping and a point, whatever the device's language; a minus zero is a zero. Dates are
/// taken to the nearest millisecond, in UTC; `.secondsSince1970` drops the rest. With `.indices` an element that is omitted leaves
/// a gap. Names are taken as they are: a name that holds brackets of its own cannot be told from a nested one.
///
/// In JSON the names of every object are sorted by their UTF-8 bytes, so that the order makes no difference.
public struct ParameterRules: Sendable, Hashable {
  /// How the elements of an array are named.
  public enum Arrays: Sendable, Hashable {
    /// `a[]=1&a[]=2`.
    case brackets
    /// `a=1&a=2`.
    case repeated
    /// `a[0]=1&a[1]=2`.
    case indices
    /// `a=1,2`.
    ///
    /// Elements that hold the separator are not escaped; an element that is an array or an object is an error.
    case joined(separator: String)
  }

  /// How the members of an object are named.
  public enum Objects: Sendable, Hashable {
    /// `a[b]=1`.
    case brackets
    /// `a.b=1`.
    case dots
  }

  /// How a truth value is written in pairs.
  public enum Booleans: Sendable, Hashable {
    /// `true` and `false`.
    case words
    /// `1` and `0`.
    case digits
  }

  /// What becomes of a null in pairs.
  public enum Nulls: Sendable, Hashable {
    /// It is left out.
    case omitted
    /// It has an empty text for a value.
    case empty
  }

  /// How many arrays and objects may be inside each other, the outermost counted: 128.
  ///
  /// This many levels fit on a thread with the stack of Apple's background threads, 512 KiB, in debug builds too.
  public static let maximumDepth = 128

  /// How the elements of an array are named.
  public var arrays: Arrays
  /// How the members of an object are named.
  public var objects: Objects
  /// How a truth value is written in pairs.
  public var booleans: Booleans
  /// The form of dates.
  ///
  /// Default: `nil`, as the ``JSONCoding`` of the request says; ISO 8601 where there is none.
  public var dates: JSONCoding.Dates?
  /// What becomes of a null in pairs.
  public var nulls: Nulls
  /// The form of keys of encoded values; names of literals and dictionaries stay.
  var keys = JSONCoding.Keys.asDeclared

  /// Makes rules.
  ///
  /// - Parameters:
  ///   - arrays: how the elements of an array are named. Default: `a[]=1`.
  ///   - objects: how the members of an object are named. Default: `a[b]=1`.
  ///   - booleans: how a truth value is written in pairs. Default: `true` and `false`.
  ///   - dates: The form of dates. Default: `nil`, as the ``JSONCoding`` says.
  ///   - nulls: what becomes of a null in pairs. Default: it is left out.
  public init(
    arrays: Arrays = .brackets, objects: Objects = .brackets, booleans: Booleans = .words,
    dates: JSONCoding.Dates? = nil, nulls: Nulls = .omitted
  ) {
    self.arrays = arrays
    self.objects = objects
    self.booleans = booleans
    self.dates = dates
    self.nulls = nulls
  }

  /// Takes over the rules for JSON where these have none of their own.
  mutating func follow(_ json: JSONCoding) {
    dates = dates ?? json.dates
    keys = json.keys
  }

  /// Writes parameters as pairs of a name and a text, which are not yet percent-encoded.
  ///
  /// - Parameter parameters: what to write.
  /// - Returns: the pairs in the order of the values; the same for the same parameters.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidParameters`` if they could not be encoded or hold
  ///   what cannot be written: NaN, an infinity, a date out of range, more levels than ``maximumDepth``, or an array in a
  ///   joined array. Its reason names the place.
  public func pairs(_ parameters: Parameters) throws(NetworkError) -> [ParameterPair] {
    var writer = PairWriter(rules: self)
    let object = try parameters.object()
    do throws(ParameterRefusal) { try writer.write(object) } catch { throw error.error }
    return writer.pairs
  }

  /// Writes parameters as a JSON object (RFC 8259), in UTF-8 and without spaces.
  ///
  /// - Parameter parameters: what to write.
  /// - Returns: the same bytes for the same values, whatever their order.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidParameters`` if they could not be encoded or hold
  ///   what cannot be written: NaN, an infinity, a date out of range, or more levels than ``maximumDepth``. Its reason
  ///   names the place.
  public func json(_ parameters: Parameters) throws(NetworkError) -> Data {
    var writer = JSONWriter(rules: self)
    let object = try parameters.object()
    do throws(ParameterRefusal) { try writer.write(.object(object), depth: 0) } catch { throw error.error }
    return Data(writer.bytes)
  }
}
