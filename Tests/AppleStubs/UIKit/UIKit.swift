// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What the sample of a table uses of UIKit, from Apple's documentation (https://developer.apple.com/documentation/uikit). Its
// classes descend from NSObject; here they do not, because no sample needs it. It is never linked into anything.
public import Foundation

@MainActor open class UIViewController {
  public init() {}
  public required init?(coder: NSCoder) {}

  open func viewDidLoad() {}
}

@MainActor open class UITableViewController: UIViewController {
  public init(style: UITableView.Style) { super.init() }
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  open var tableView: UITableView! { nil }

  open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
  open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell { fatalError() }
}

@MainActor open class UITableView {
  public enum Style: Int, Sendable {
    case plain
    case grouped
    case insetGrouped
  }

  open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}
  open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
    fatalError()
  }
  open func reloadData() {}
}

@MainActor open class UITableViewCell {
  open func defaultContentConfiguration() -> UIListContentConfiguration { fatalError() }
  open var contentConfiguration: (any UIContentConfiguration)? {
    get { nil }
    set {}
  }
}

@MainActor public protocol UIContentConfiguration {}

@MainActor public struct UIListContentConfiguration: UIContentConfiguration {
  public var text: String? {
    get { nil }
    set {}
  }
}

extension IndexPath {
  public var row: Int { 0 }
}
