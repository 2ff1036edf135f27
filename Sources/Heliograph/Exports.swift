@_exported public import Signals
