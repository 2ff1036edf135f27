/// A value whose dumps and debug descriptions show no more than its description, which leaves out secrets and contents.
///
/// `dump`, `po` and string interpolation of a container use them.
public protocol _Summarized: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension _Summarized {
  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
