// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Models of Apple's Combine: see Combine.swift. The tests load a published property.

/// A model that announces its changes.
public protocol ObservableObject: AnyObject {}

/// A property of an observable object.
@propertyWrapper
public struct Published<Value> {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public init(initialValue: Value) { wrappedValue = initialValue }
  public var wrappedValue: Value
}
