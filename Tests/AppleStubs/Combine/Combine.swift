// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The part of Apple's Combine that the sources use, declared from its documentation
// (https://developer.apple.com/documentation/combine), so that `.ci/apple-check` can type-check on Linux what stands
// behind `canImport(Combine)`. It is compiled as a module of its own and never linked into anything; the bodies here
// only have to be plausible. Shapes, constraints and labels are Apple's. `Sendable` is declared only
// where every SDK has it: what type-checks without it does so with it.

/// A sequence of values over time.
public protocol Publisher<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error

  /// Attaches a subscriber.
  func receive<S>(subscriber: S) where S: Subscriber, Self.Failure == S.Failure, Self.Output == S.Input
}

extension Publisher {
  /// Attaches a subscriber: what callers use in place of `receive(subscriber:)`.
  public func subscribe<S>(_ subscriber: S) where S: Subscriber, Failure == S.Failure, Output == S.Input {
    receive(subscriber: subscriber)
  }

  /// Hides the publisher's type.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// What receives a publisher's values.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  associatedtype Input
  associatedtype Failure: Error

  /// Tells that the subscription has begun.
  func receive(subscription: any Subscription)
  /// Receives a value; returns how many more are wanted, in addition to those asked for before.
  func receive(_ input: Input) -> Subscribers.Demand
  /// Receives the end.
  func receive(completion: Subscribers.Completion<Failure>)
}

/// What can be cancelled.
public protocol Cancellable {
  /// Cancels.
  func cancel()
}

/// The connection between a publisher and a subscriber.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Tells the publisher how many more values are wanted.
  func request(_ demand: Subscribers.Demand)
}

/// A unique identity of a subscription or a subscriber.
public struct CombineIdentifier: Hashable, CustomStringConvertible {
  private let value: UInt

  /// Makes a new identity.
  public init() { value = 0 }

  /// Makes the identity of an object.
  public init(_ object: AnyObject) { value = UInt(bitPattern: ObjectIdentifier(object).hashValue) }

  /// A description for logs.
  public var description: String { "0x\(String(value, radix: 16))" }
}

/// What has a Combine identity.
public protocol CustomCombineIdentifierConvertible {
  /// The identity.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The object's own identity.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

/// The namespace of types that concern subscribers.
public enum Subscribers {}

extension Subscribers {
  /// How a publisher ends.
  @frozen
  public enum Completion<Failure: Error> {
    case finished
    case failure(Failure)
  }

  /// How many values a subscriber wants.
  @frozen
  public struct Demand: Equatable, Comparable, Hashable, Codable, CustomStringConvertible {
    private var count: UInt

    private init(count: UInt) { self.count = count }

    /// No end of values.
    public static var unlimited: Demand { Demand(count: .max) }

    /// No values.
    public static var none: Demand { Demand(count: 0) }

    /// At most so many values.
    public static func max(_ value: Int) -> Demand { Demand(count: UInt(value)) }

    /// The number of values, or `nil` for `unlimited`.
    public var max: Int? { count == .max ? nil : Int(count) }

    /// A description for logs.
    public var description: String { max.map { "max(\($0))" } ?? "unlimited" }

    public static func + (left: Demand, right: Demand) -> Demand {
      let (sum, isTooLarge) = left.count.addingReportingOverflow(right.count)
      return Demand(count: isTooLarge ? .max : sum)
    }
    public static func += (left: inout Demand, right: Demand) { left = left + right }
    public static func + (left: Demand, right: Int) -> Demand { left + .max(right) }
    public static func += (left: inout Demand, right: Int) { left = left + right }
    public static func * (left: Demand, right: Int) -> Demand {
      left == .unlimited ? left : Demand(count: left.count * UInt(right))
    }
    public static func *= (left: inout Demand, right: Int) { left = left * right }
    public static func - (left: Demand, right: Demand) -> Demand {
      left == .unlimited ? left : Demand(count: left.count - right.count)
    }
    public static func -= (left: inout Demand, right: Demand) { left = left - right }
    public static func - (left: Demand, right: Int) -> Demand { left - .max(right) }
    public static func -= (left: inout Demand, right: Int) { left = left - right }

    public static func < (left: Demand, right: Demand) -> Bool { left.count < right.count }
    public static func == (left: Demand, right: Int) -> Bool { left == .max(right) }
    public static func != (left: Demand, right: Int) -> Bool { left != .max(right) }
    public static func == (left: Int, right: Demand) -> Bool { right == left }
    public static func != (left: Int, right: Demand) -> Bool { right != left }
    public static func > (left: Demand, right: Int) -> Bool { left > .max(right) }
    public static func >= (left: Demand, right: Int) -> Bool { left >= .max(right) }
    public static func < (left: Demand, right: Int) -> Bool { left < .max(right) }
    public static func <= (left: Demand, right: Int) -> Bool { left <= .max(right) }
    public static func > (left: Int, right: Demand) -> Bool { right < left }
    public static func < (left: Int, right: Demand) -> Bool { right > left }
  }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

/// A publisher whose type is hidden.
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline
  final class Box {
    let attach: (any Subscriber<Output, Failure>) -> Void

    init(_ attach: @escaping (any Subscriber<Output, Failure>) -> Void) { self.attach = attach }
  }

  @usableFromInline let box: Box

  public var description: String { "AnyPublisher" }
  public var playgroundDescription: Any { description }

  /// Hides a publisher's type.
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    box = Box { subscriber in AnyPublisher.open(subscriber, publisher) }
  }

  public func receive<S>(subscriber: S) where S: Subscriber, Failure == S.Failure, Output == S.Input {
    box.attach(subscriber)
  }

  private static func open<S: Subscriber, P: Publisher>(_ subscriber: S, _ publisher: P)
  where S.Input == P.Output, S.Failure == P.Failure {
    publisher.receive(subscriber: subscriber)
  }
}

/// A handle that cancels, also when it is freed.
public final class AnyCancellable: Cancellable, Hashable {
  private var action: (() -> Void)?

  /// Makes a handle from a closure.
  public init(_ cancel: @escaping () -> Void) { action = cancel }

  /// Makes a handle of something that can be cancelled.
  public init<C: Cancellable>(_ canceller: C) { action = canceller.cancel }

  deinit { cancel() }

  public func cancel() {
    let action = action
    self.action = nil
    action?()
  }

  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyCancellable {
  /// Keeps the handle in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Keeps the handle in a collection.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }
}
