// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The names of Apple's SwiftUI that an app's every file has, with their shapes (https://developer.apple.com/documentation/swiftui),
// so that `.ci/apple-check` finds public names of ours that collide; all others stand in `names`. It is never linked into anything.

/// A part of a user interface.
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View

  @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene

  @MainActor @preconcurrency var body: Body { get }
}

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene

  @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}

public struct EnvironmentValues {
  public init() {}
}

@frozen @propertyWrapper
public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}

  public var wrappedValue: Value { fatalError() }
}

@frozen @propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
  public init(
    get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {}

  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }

  public var projectedValue: Binding<Value> { self }

  public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}

@frozen @propertyWrapper
public struct State<Value> {
  public init(wrappedValue value: Value) {}

  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }

  public var projectedValue: Binding<Value> { fatalError() }
}

@resultBuilder
public enum ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}
