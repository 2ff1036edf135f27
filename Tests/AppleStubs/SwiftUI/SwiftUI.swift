// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The names of Apple's SwiftUI that an app's every file has, with their shapes (https://developer.apple.com/documentation/swiftui),
// so that `.ci/apple-check` finds public names of ours that collide; all others stand in `names`. It is never linked into anything.

/// A part of a user interface.
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View

  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene

  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene

  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
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
  public init(initialValue value: Value) {}

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

extension ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<TrueContent: View, FalseContent: View>(
    first: TrueContent
  ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent() }
  public static func buildEither<TrueContent: View, FalseContent: View>(
    second: FalseContent
  ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent() }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)>
  {
    TupleView()
  }
}

public struct TupleView<T>: View {
  nonisolated public init() {}
  public var body: Never { fatalError() }
}

@resultBuilder
public enum SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

extension Never: Scene {}

extension App {
  @MainActor public static func main() {}
}

public struct WindowGroup<Content: View>: Scene {
  nonisolated public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

public struct _ConditionalContent<TrueContent, FalseContent>: View {
  nonisolated init() {}
  public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}

public struct EmptyView: View {
  nonisolated public init() {}
  public var body: Never { fatalError() }
}

@frozen public struct Color: View {
  nonisolated init() {}
  public static let clear = Color()
  public var body: Never { fatalError() }
}

@frozen public struct Alignment: Sendable {
  public static let center = Alignment()
  public static let bottom = Alignment()
}

public struct Text: View {
  nonisolated public init<S: StringProtocol>(_ content: S) {}
  public var body: Never { fatalError() }
}

public struct Image: View {
  nonisolated public init(systemName: String) {}
  public var body: Never { fatalError() }
}

public struct VStack<Content: View>: View {
  nonisolated public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

public struct ZStack<Content: View>: View {
  nonisolated public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
  nonisolated init(_ label: Label?) {}
  public var body: Never { fatalError() }
}

extension ProgressView where Label == EmptyView, CurrentValueLabel == EmptyView {
  nonisolated public init() { self.init(nil) }
}

public struct Label<Title: View, Icon: View>: View {
  nonisolated public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {}
  public var body: Never { fatalError() }
}

extension Label where Title == Text, Icon == Image {
  nonisolated public init<S: StringProtocol>(_ title: S, systemImage name: String) {
    self.init(title: { Text(title) }, icon: { Image(systemName: name) })
  }
}

public struct Button<Label: View>: View {
  nonisolated public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
  public var body: Never { fatalError() }
}

extension Button where Label == Text {
  nonisolated public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
    self.init(action: action) { Text(title) }
  }
}

public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: View {
  nonisolated public init(
    @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
    @ViewBuilder actions: () -> Actions = { EmptyView() }
  ) {}
  public var body: Never { fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
  nonisolated init(_ content: Content?) {}
  public var body: Never { fatalError() }
}

extension ForEach where ID == Data.Element.ID, Data.Element: Identifiable {
  nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) { self.init(nil) }
}

public struct List<SelectionValue: Hashable, Content: View>: View {
  nonisolated init(_ content: Content?) {}
  public var body: Never { fatalError() }
}

extension List where SelectionValue == Never {
  nonisolated public init(@ViewBuilder content: () -> Content) { self.init(nil) }

  nonisolated public init<Data: RandomAccessCollection, RowContent: View>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
  ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable { self.init(nil) }
}

@MainActor @preconcurrency public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = _ViewModifier_Content<Self>

  @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

public struct _ViewModifier_Content<Modifier: ViewModifier>: View {
  nonisolated init() {}
  public var body: Never { fatalError() }
}

@frozen public struct ModifiedContent<Content, Modifier> {
  fileprivate init(of content: Content.Type) {}
}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
  public var body: Never { fatalError() }
}

extension View {
  nonisolated public func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> {
    ModifiedContent(of: Self.self)
  }

  nonisolated public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View {
    self
  }

  nonisolated public func task<T: Equatable>(
    id value: T, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { self }

  nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }

  nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }

  nonisolated public func overlay<V: View>(
    alignment: Alignment = .center, @ViewBuilder content: () -> V
  ) -> some View { self }

  nonisolated public func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View { self }

  nonisolated public func alert<S: StringProtocol, A: View, T>(
    _ title: S, isPresented: Binding<Bool>, presenting data: T?, @ViewBuilder actions: (T) -> A
  ) -> some View { self }
}

public struct BackgroundTask<Request, Response>: Sendable {
  public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void>
  where Request == Void, Response == Void {
    BackgroundTask<Void, Void>()
  }
}

extension Scene {
  nonisolated public func backgroundTask<D, R>(
    _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
  ) -> some Scene { self }
}
